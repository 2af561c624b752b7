#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace asb {
namespace {

constexpr std::array<CommandSpec, 7> kCommands{{
    {CommandId::kRun, "run", WordsAre::kProgram, "[run] [OPTIONS] [--] CMD…",
     "run a command behind the walls",
     "The word run may be left out. With it, the words behind -- are appended to the command that "
     "the policy or the profile names; without such a command they are the command."},
    {CommandId::kShell, "shell", WordsAre::kNothing, "shell [OPTIONS]",
     "open your shell behind the same walls", "The shell is the one of the password database."},
    {CommandId::kPlan, "plan", WordsAre::kProgram, "plan [OPTIONS] [--] [CMD…]",
     "show what would be asked of the kernel, and run nothing",
     "Prints every mount, variable and gap with the rule that is the reason for it."},
    {CommandId::kExplain, "explain", WordsAre::kSubjects, "explain [OPTIONS] PATH|ENV|HOST…",
     "say why a path, variable or host is as it is",
     "Prints the verdict, the rule that decides, and the smallest change that would decide "
     "otherwise. A word in capitals or with a $ is a variable, a name with a dot is a host unless "
     "a "
     "file has that name, everything else is a path; path:, env: and host: in front say it "
     "outright."},
    {CommandId::kValidate, "validate", WordsAre::kNothing, "validate [OPTIONS]",
     "check the policy file, all profiles included",
     "Every mistake is reported with its line and column. Needs nothing of this host but the "
     "file."},
    {CommandId::kDoctor, "doctor", WordsAre::kNothing, "doctor [OPTIONS]",
     "try what this host can enforce, and say how to mend it",
     "Builds every wall once, alone and together, and leaves nothing behind. Ends with 0 when the "
     "default policy can be run here, with 125 when it cannot."},
    {CommandId::kGc, "gc", WordsAre::kNothing, "gc [OPTIONS]",
     "remove homes that were kept and are not needed any more",
     "Removes what was not used for 30 days and, where all kept homes together are larger than 8 "
     "GiB, the least recently used; never one that is in use."},
}};

constexpr std::array<CommandId, 5> kWithPolicy{CommandId::kRun, CommandId::kShell, CommandId::kPlan,
                                               CommandId::kExplain, CommandId::kValidate};
constexpr std::array<CommandId, 4> kWithJson{CommandId::kPlan, CommandId::kExplain,
                                             CommandId::kDoctor, CommandId::kGc};
constexpr std::array<CommandId, 2> kWithFacts{CommandId::kPlan, CommandId::kExplain};
constexpr std::array<CommandId, 1> kOnlyPlan{CommandId::kPlan};
constexpr std::array<CommandId, 1> kOnlyGc{CommandId::kGc};
constexpr std::array<CommandId, 2> kRuns{CommandId::kRun, CommandId::kShell};
constexpr std::array<CommandId, 2> kOfARun{CommandId::kRun, CommandId::kPlan};

constexpr std::array<OptionSpec, 19> kOptions{{
    {OptionId::kConfig, "--config", 'c', "FILE", "read this policy instead of the user's",
     kWithPolicy},
    {OptionId::kNoConfig, "--no-config", 0, "", "read no policy file", kWithPolicy},
    {OptionId::kProfile, "--profile", 'p', "NAME", "use [profile.NAME] of the policy", kWithPolicy},
    {OptionId::kPolicyFd, "--policy-fd", 0, "FD", "read a complete policy from descriptor FD",
     kOfARun},
    {OptionId::kPolicyDigest, "--policy-digest", 0, "SHA256", "what that policy must hash to",
     kOfARun},
    {OptionId::kJson, "--json", 0, "", "print JSON", kWithJson},
    {OptionId::kArgv, "--argv", 0, "", "print an equivalent bubblewrap command", kOnlyPlan},
    {OptionId::kFacts, "--facts", 0, "FILE", "plan for the host that FILE describes", kWithFacts},
    {OptionId::kPrintFacts, "--print-facts", 0, "", "print what is known of this host as JSON",
     kOnlyPlan},
    {OptionId::kPrintPolicy, "--print-policy", 0, "",
     "print the policy of this run, complete, for --policy-fd", kOnlyPlan},
    {OptionId::kList, "--list", 0, "", "only list the kept homes", kOnlyGc},
    {OptionId::kAll, "--all", 0, "", "remove every home that is not in use", kOnlyGc},
    {OptionId::kOlderThan, "--older-than", 0, "DAYS", "remove what was not used for DAYS, not 30",
     kOnlyGc},
    {OptionId::kMaxSize, "--max-size", 0, "SIZE",
     "remove until all together take SIZE (500M, 2G), not 8G", kOnlyGc},
    {OptionId::kDryRun, "--dry-run", 0, "", "say what would be removed, and remove nothing",
     kOnlyGc},
    {OptionId::kQuiet, "--quiet", 'q', "", "do not say on a terminal what is run and where", kRuns},
    {OptionId::kDebug, "--debug", 0, "", "say on standard error what is read and decided", {}},
    {OptionId::kHelp, "--help", 'h', "", "show help; behind a command, all its options", {}},
    {OptionId::kVersion, "--version", 0, "", "show the version", {}},
}};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    if (static_cast<std::size_t>(kCommands[i].id) != i) return false;
  }
  for (std::size_t i = 0; i < kOptions.size(); ++i) {
    if (static_cast<std::size_t>(kOptions[i].id) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

void AddKeyFlags(const KeySpec& key, std::vector<Flag>& flags) {
  if (key.flag == "-") return;
  Flag flag;
  flag.name = key.flag.empty() ? fmt::format("--{}", key.name) : std::string(key.flag);
  flag.short_flag = key.short_flag;
  flag.value_name = key.value_name;
  flag.summary = key.summary;
  flag.meaning = Flag::Meaning::kKey;
  flag.key = &key;
  flags.push_back(flag);
  if (!HasOpposite(flag)) return;
  flag.name = fmt::format("--no-{}", key.name);
  flag.on = false;
  flags.push_back(flag);
}

void AddSpellingFlags(const Spelling& spelling, std::vector<Flag>& flags) {
  Flag flag;
  flag.name = fmt::format("--{}", spelling.name);
  flag.summary = spelling.summary;
  flag.meaning = Flag::Meaning::kSpelling;
  flag.key = &SpecOf(spelling.key);
  flag.spelling = &spelling;
  flags.push_back(flag);
  if (!HasOpposite(flag)) return;
  flag.name = fmt::format("--no-{}", spelling.name);
  flag.on = false;
  flags.push_back(flag);
}

}  // namespace

std::span<const CommandSpec> AllCommands() { return kCommands; }
std::span<const OptionSpec> AllOptions() { return kOptions; }
const CommandSpec& SpecOf(CommandId id) { return kCommands[static_cast<std::size_t>(id)]; }
const OptionSpec& SpecOf(OptionId id) { return kOptions[static_cast<std::size_t>(id)]; }

const CommandSpec* FindCommand(std::string_view name) {
  const auto* found = std::find_if(kCommands.begin(), kCommands.end(),
                                   [name](const CommandSpec& c) { return c.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

std::vector<Flag> AllFlags() {
  std::vector<Flag> flags;
  for (const OptionSpec& option : kOptions) {
    Flag flag;
    flag.name = option.flag;
    flag.short_flag = option.short_flag;
    flag.value_name = option.value_name;
    flag.summary = option.summary;
    flag.option = option.id;
    flags.push_back(std::move(flag));
  }
  for (const KeySpec& key : AllKeys()) AddKeyFlags(key, flags);
  for (const Spelling& spelling : AllSpellings()) AddSpellingFlags(spelling, flags);
  return flags;
}

bool TakesSettings(CommandId command) {
  // validate looks at files, doctor at the host and gc at the state, not at settings.
  return command != CommandId::kValidate && command != CommandId::kDoctor &&
         command != CommandId::kGc;
}

bool Takes(CommandId command, const Flag& flag) {
  if (flag.meaning != Flag::Meaning::kOption) return TakesSettings(command);
  const auto commands = SpecOf(flag.option).commands;
  return commands.empty() || std::find(commands.begin(), commands.end(), command) != commands.end();
}

std::vector<Flag> FlagsOf(CommandId command) {
  std::vector<Flag> flags = AllFlags();
  std::erase_if(flags, [command](const Flag& flag) { return !Takes(command, flag); });
  return flags;
}

bool HasOpposite(const Flag& flag) {
  if (flag.spelling != nullptr) return !flag.spelling->when_false.empty();
  return flag.meaning == Flag::Meaning::kKey && flag.key->type == KeyType::kSwitch;
}

}  // namespace asb
