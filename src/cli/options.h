// The commands and the options that are not settings. Flags of settings come from policy/keys; both
// together are what the parser, the help, the man page and the completions read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/keys.h"

namespace asb {

enum class CommandId : std::uint8_t { kRun, kShell, kPlan, kExplain, kValidate, kDoctor, kGc };

/// What the words behind a command's options are.
enum class WordsAre : std::uint8_t { kNothing, kProgram, kSubjects };

struct CommandSpec {
  CommandId id;
  std::string_view name;
  WordsAre words;
  std::string_view synopsis;  ///< behind "agent-sandbox"
  std::string_view summary;   ///< one line, no full stop
  std::string_view detail;
};

enum class OptionId : std::uint8_t {
  kConfig,
  kNoConfig,
  kProfile,
  kPolicyFd,
  kPolicyDigest,
  kJson,
  kArgv,
  kFacts,
  kPrintFacts,
  kPrintPolicy,
  kList,
  kAll,
  kOlderThan,
  kMaxSize,
  kDryRun,
  kQuiet,
  kDebug,
  kHelp,
  kVersion,
};

struct OptionSpec {
  OptionId id;
  std::string_view flag;        ///< with its dashes
  char short_flag;              ///< 0: none
  std::string_view value_name;  ///< empty: a switch
  std::string_view summary;
  std::span<const CommandId> commands;  ///< empty: all
};

std::span<const CommandSpec> AllCommands();
std::span<const OptionSpec> AllOptions();
const CommandSpec& SpecOf(CommandId id);
const OptionSpec& SpecOf(OptionId id);
const CommandSpec* FindCommand(std::string_view name);

/// One flag as it can be typed.
struct Flag {
  enum class Meaning : std::uint8_t { kOption, kKey, kSpelling };
  std::string name;  ///< with its dashes
  char short_flag = 0;
  std::string_view value_name;  ///< empty: takes no value
  std::string_view summary;
  Meaning meaning = Meaning::kOption;
  OptionId option = OptionId::kHelp;
  const KeySpec* key = nullptr;  ///< of a key or a spelling
  const Spelling* spelling = nullptr;
  bool on = true;  ///< false for the "--no-" form
};

/// Every flag of any command, options first, then settings in the order of their table.
std::vector<Flag> AllFlags();

bool TakesSettings(CommandId command);
bool Takes(CommandId command, const Flag& flag);

/// Those of AllFlags() that `command` takes.
std::vector<Flag> FlagsOf(CommandId command);

/// True when the flag is a switch that can be turned on and off: --tty and --no-tty.
bool HasOpposite(const Flag& flag);

}  // namespace asb
