#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace asb {
namespace {

/// The options that a first look needs; `run --help` has all of them.
constexpr std::array<std::string_view, 8> kFirstOptions{
    "--workspace", "--ro", "--rw", "--hide", "--network", "--env", "--config", "--profile"};

/// Breaks `text` at blanks into lines of at most `width`, each behind `indent` blanks.
std::string Wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::string line;
  const auto flush = [&] {
    out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) flush();
  return out;
}

std::string OptionLine(const Flag& flag, std::size_t width) {
  return fmt::format("  {:<{}} {}\n", FlagText(flag), width, flag.summary);
}

std::string Choices(const Flag& flag) {
  if (flag.key == nullptr || flag.key->choices.empty() || flag.spelling != nullptr) return {};
  return fmt::format("      one of {}; {} unless set\n", fmt::join(flag.key->choices, ", "),
                     flag.key->default_value);
}

/// The settings that have no option.
std::string FileSettings() {
  std::string out =
      "\nIn a policy file a setting is NAME = VALUE: network = \"none\". Only there:\n";
  for (const KeySpec& key : AllKeys()) {
    if (key.flag == "-") out += fmt::format("  {:<30} {}\n", key.name, key.summary);
  }
  return out;
}

}  // namespace

std::string FlagText(const Flag& flag) {
  std::string out;
  if (flag.short_flag != 0) out += fmt::format("-{}, ", flag.short_flag);
  out += flag.name;
  if (!flag.value_name.empty()) out += fmt::format(" {}", flag.value_name);
  return out;
}

std::string OverviewHelp() {
  std::string out =
      "Usage: agent-sandbox [OPTIONS] [--] CMD…\n"
      "       agent-sandbox [OPTIONS] COMMAND …\n"
      "\n"
      "Runs a coding agent, or any command, behind walls that the kernel enforces.\n"
      "\n"
      "Commands:\n";
  for (const CommandSpec& command : AllCommands()) {
    out += fmt::format("  {:<9} {}\n", command.name, command.summary);
  }
  out += "\nOptions:\n";
  for (const Flag& flag : FlagsOf(CommandId::kRun)) {
    const bool first =
        std::find(kFirstOptions.begin(), kFirstOptions.end(), flag.name) != kFirstOptions.end();
    if (first) out += OptionLine(flag, 20);
  }
  out += "agent-sandbox run --help lists every option; agent-sandbox explain says why.\n";
  return out;
}

std::string CommandHelp(CommandId id) {
  const CommandSpec& command = SpecOf(id);
  std::string out = fmt::format("Usage: agent-sandbox {}\n\n{}\nOptions:\n", command.synopsis,
                                Wrapped(command.detail, 0, 80));
  for (const Flag& flag : FlagsOf(id)) {
    if (!flag.on) continue;  // a switch and its opposite share a line
    Flag shown = flag;
    if (HasOpposite(flag)) shown.name += fmt::format(", --no-{}", flag.name.substr(2));
    out += OptionLine(shown, 30);
    out += Choices(flag);
  }
  return command.id == CommandId::kRun ? out + FileSettings() : out;
}

std::string_view Version() { return ASB_VERSION; }

std::string VersionText() { return "agent-sandbox " ASB_VERSION "\n"; }

}  // namespace asb
