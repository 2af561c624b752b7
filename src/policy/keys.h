// THE table of settings. The TOML parser, the command line, --help, the man page, the shell
// completions, the JSON schema and docs/reference/policy.md are all made from it; a test fails when
// one of them drifts. A new setting is one row here and one line in policy/policy.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace asb {

/// One name a setting. The order is that of the table and of all generated documents.
enum class Key : std::uint8_t {
  kView,
  kHome,
  kWorkspace,
  kReadOnly,
  kRo,
  kRw,
  kHide,
  kBind,
  kNetwork,
  kEnv,
  kCommand,
  kArgs,
  kTty,
  kEngine,
  kRequire,
  kAcceptGaps,
};
inline constexpr std::size_t kKeyCount = 16;

enum class KeyType : std::uint8_t {
  kChoice,    ///< one word of `choices`
  kSwitch,    ///< true or false
  kPath,      ///< one path
  kPathList,  ///< paths, '*' '?' '[…]' allowed within a name
  kBindList,  ///< tables {source, target, mode}; SOURCE:TARGET[:MODE] as a flag
  kEnvList,   ///< NAME, NAME* or NAME=VALUE
  kWordList,  ///< words of a command
  kGapList,   ///< names of gaps
};

/// How a key's values of several layers become one.
enum class MergeRule : std::uint8_t {
  kReplace,  ///< the highest layer that sets it wins
  kAppend,   ///< the lists of all layers are joined, lowest layer first
};

struct KeySpec {
  Key key;
  std::string_view name;  ///< in TOML; with "--" in front, the flag
  KeyType type;
  MergeRule merge;
  std::string_view default_value;  ///< as shown to people; empty: an empty list
  std::span<const std::string_view> choices;
  std::string_view value_name;  ///< "PATH" in --ro PATH; empty for switches
  std::string_view flag;        ///< the flag when it is not "--" + name; "-" = no flag
  char short_flag;              ///< 0: none
  std::string_view summary;     ///< one line for --help, no full stop
  std::string_view detail;      ///< sentences for the reference
};

/// Another spelling of a key as a switch: `whitelist = true` says view = "whitelist".
struct Spelling {
  std::string_view name;
  Key key;
  std::string_view when_true;
  std::string_view when_false;  ///< empty: false is refused, for it would not say what is meant
  std::string_view summary;
};

std::span<const KeySpec> AllKeys();
std::span<const Spelling> AllSpellings();
const KeySpec& SpecOf(Key key);

/// nullptr when there is none of that name.
const KeySpec* FindKey(std::string_view name);
const Spelling* FindSpelling(std::string_view name);

/// Every name that may stand left of '=' in a policy: keys that have a place in a file, then
/// spellings.
std::span<const std::string_view> SettingNames();

/// "replaced by a higher layer" or "joined across layers"
std::string_view DescribeMerge(MergeRule rule);

bool IsList(KeyType type);

}  // namespace asb
