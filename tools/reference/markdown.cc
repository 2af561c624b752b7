// The reference pages in Markdown.
#include <fmt/format.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/options.h"
#include "policy/gaps.h"
#include "policy/keys.h"
#include "reference.h"

namespace asb {
namespace {

using std::string_view;

constexpr string_view kMade = "<!-- Made by generate_reference from {}. Do not edit. -->\n";

/// How a value is written in TOML, by example.
std::string Example(const KeySpec& key) {
  switch (key.type) {
    case KeyType::kChoice:
      return fmt::format("{} = \"{}\"", key.name, key.choices.back());
    case KeyType::kSwitch:
      return fmt::format("{} = true", key.name);
    case KeyType::kPath:
      return fmt::format("{} = \"~/src/shop\"", key.name);
    case KeyType::kPathList:
      return fmt::format("{} = [\"~/data\", \"./build\", \"/srv/*/public\"]", key.name);
    case KeyType::kBindList:
      return fmt::format(
          "{} = [{{source = \"/data/set1\", target = \"/data/current\", mode = \"ro\"}}]",
          key.name);
    case KeyType::kEnvList:
      return fmt::format("{} = [\"EDITOR\", \"MYTOOL_*\", \"CI=1\"]", key.name);
    case KeyType::kWordList:
      return fmt::format("{} = [\"claude\", \"--verbose\"]", key.name);
    case KeyType::kGapList:
      return fmt::format("{} = [\"{}\"]", key.name, GapNames().front());
  }
  return {};
}

std::string Section(const KeySpec& key) {
  std::string out = fmt::format("\n## {}\n\n{}: {}\n\n```toml\n{}\n```\n\n", key.name, key.name,
                                key.summary, Example(key));
  out += fmt::format("{}\n\n", key.detail);
  if (!key.choices.empty()) out += fmt::format("- values: `{}`\n", fmt::join(key.choices, "`, `"));
  out += fmt::format("- default: {}\n", key.default_value.empty() ? "empty" : key.default_value);
  out += fmt::format("- layers: {}\n", DescribeMerge(key.merge));
  for (const Flag& flag : FlagsOf(CommandId::kRun)) {
    if (flag.key == &key) out += fmt::format("- flag: `{}`\n", FlagText(flag));
  }
  for (const Spelling& spelling : AllSpellings()) {
    if (spelling.key == key.key) {
      out += fmt::format("- also spelled: `{} = true` for {}\n", spelling.name, spelling.summary);
    }
  }
  return out;
}

}  // namespace

std::string PolicyReference() {
  std::string out = fmt::format(fmt::runtime(kMade), "src/policy/keys.cc");
  out +=
      "# Policy reference\n\n"
      "A policy is TOML. The user's is `$XDG_CONFIG_HOME/agent-sandbox/config.toml` (usually\n"
      "`~/.config/agent-sandbox/config.toml`); `-c FILE` reads another, `--no-config` none. "
      "Settings at\n"
      "the top hold always; those of `[profile.NAME]` hold with `--profile NAME` and overrule "
      "them;\n"
      "flags overrule both. Unknown keys, keys given twice and values of the wrong type are "
      "errors.\n\n"
      "Paths start with `/`, `~/` or, for the workspace, `./`; flags may also name paths relative "
      "to the\n"
      "current directory. In `ro`, `rw` and `hide` a name may hold `*`, `?` and `[…]`; `\\` takes "
      "the\n"
      "next character as it is.\n\n"
      "| key | what | default | layers |\n|---|---|---|---|\n";
  for (const KeySpec& key : AllKeys()) {
    out += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} |\n", key.name, key.summary,
                       key.default_value.empty() ? "empty" : key.default_value,
                       DescribeMerge(key.merge));
  }
  for (const KeySpec& key : AllKeys()) out += Section(key);
  return out;
}

std::string GapReference() {
  std::string out = fmt::format(fmt::runtime(kMade), "src/policy/gaps.cc");
  out +=
      "# Gaps\n\n"
      "What the engine and the host cannot enforce. `agent-sandbox plan` lists the gaps of a run. "
      "A gap\n"
      "named in `require` refuses the run; so does one that no layer accepts with "
      "`accept-gaps`.\n\n"
      "| name | what can happen | accepted unless required |\n|---|---|---|\n";
  for (const GapSpec& gap : AllGaps()) {
    out += fmt::format("| `{}` | {} | {} |\n", gap.name, gap.sentence, gap.accepted ? "yes" : "no");
  }
  return out;
}

std::string CommandReference() {
  std::string out = fmt::format(fmt::runtime(kMade), "src/cli/options.cc");
  out += "# Commands\n\n```text\n" + OverviewHelp() + "```\n";
  for (const CommandSpec& command : AllCommands()) {
    out += fmt::format("\n## {}\n\n```text\n{}```\n", command.name, CommandHelp(command.id));
  }
  out += "\n## Exit status\n\n| code | meaning |\n|---|---|\n";
  for (const ExitMeaning& exit : kExitMeanings) {
    out += fmt::format("| {} | {} |\n", exit.code, exit.meaning);
  }
  return out;
}

}  // namespace asb
