// What toml++ says about a text that is not TOML, in our words: what was written wrong, where, and
// what to write instead. Knows toml++'s texts and nothing of settings; a text it does not know is
// passed on without the name of the grammar rule in front.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/lines.h"

namespace asb {

/// What toml++ reports.
struct SyntaxError {
  std::string_view description;  ///< "Error while parsing array: encountered end-of-file"
  std::uint32_t line = 0;        ///< 1-based
  std::uint32_t column = 0;      ///< 1-based, in characters
};

struct SyntaxMessage {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t width = 1;
  std::string message;
  std::string fix;
  bool line_stands_alone = true;  ///< false: the lines below cannot be understood without this one
};

/// `lines` are those of the text as the person wrote it.
SyntaxMessage DescribeSyntaxError(const SyntaxError& error, const Lines& lines);

}  // namespace asb
