// What a value of each type may look like, wherever it was written: the TOML parser and the command
// line both ask here, so that a wrong value gets one message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/keys.h"
#include "policy/layer.h"

namespace asb {

/// Which part of an item is wrong; only a bind has more than its text.
enum class ItemPart : std::uint8_t { kText, kTarget, kMode };

struct ValueProblem {
  std::string message;  ///< starts with the key: "'home' must be one of …"
  std::string hint;     ///< "did you mean 'private'?"
  std::string fix;
  ItemPart part = ItemPart::kText;
};
using ValueProblems = std::vector<ValueProblem>;

/// Where relative paths are understood from, which differs: a file's are refused unless they start
/// with "./" (the workspace); those of the command line start at the current directory.
enum class ValueSource { kFile, kCommandLine };

/// Empty when `item` is a possible value of `key`.
ValueProblems CheckItem(const KeySpec& key, const Item& item, ValueSource source);

/// The value that a switch or a spelling of one gives; nothing when false is refused.
std::optional<std::string_view> SpelledValue(const Spelling& spelling, bool on);

/// What to say when false is refused, written as `source` writes settings.
ValueProblem RefusedSpelling(const Spelling& spelling, ValueSource source);

/// SOURCE:TARGET[:MODE] of the command line. A ':' within a path cannot be written this way; the
/// message says so.
std::optional<ValueProblem> ParseBindWords(std::string_view words, Item& item);

}  // namespace asb
