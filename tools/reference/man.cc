// The man page, in roff.
#include <fmt/format.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/options.h"
#include "policy/keys.h"
#include "reference.h"

namespace asb {
namespace {

using std::string_view;

/// Text that roff takes as it is.
std::string Roff(string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("…")) {
      out += "...";
      i += 2;
    } else if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else if (out.empty() && (text[i] == '.' || text[i] == '\'')) {
      out += fmt::format("\\&{}", text[i]);
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Item(string_view head, string_view body) {
  return fmt::format(".TP\n.B {}\n{}\n", Roff(head), Roff(body));
}

std::string Settings() {
  std::string out;
  for (const KeySpec& key : AllKeys()) {
    std::string body(key.detail);
    if (!key.choices.empty())
      body = fmt::format("One of {}. {}", fmt::join(key.choices, ", "), body);
    const string_view fallback = key.default_value.empty() ? "empty" : key.default_value;
    out += Item(key.name, fmt::format("{} Default: {}. Layers: {}.", body, fallback,
                                      DescribeMerge(key.merge)));
  }
  for (const Spelling& spelling : AllSpellings()) {
    out += Item(spelling.name, fmt::format("Another spelling: {}.", spelling.summary));
  }
  return out;
}

}  // namespace

std::string ManPage() {
  std::string out =
      ".\\\" Made by generate_reference. Edit src/policy/keys.cc and src/cli/options.cc.\n"
      ".TH AGENT\\-SANDBOX 1 2026-11-15 \"agent\\-sandbox\"\n"
      ".SH NAME\n"
      "agent\\-sandbox \\- run a coding agent, or any command, behind walls that the kernel "
      "enforces\n"
      ".SH SYNOPSIS\n";
  std::string_view separator;
  for (const CommandSpec& command : AllCommands()) {
    out += fmt::format("{}.B agent\\-sandbox\n{}\n", separator, Roff(command.synopsis));
    separator = ".br\n";
  }
  out +=
      ".SH COMMANDS\nA first word that names a command is that command; after \\-\\- it is a "
      "program.\n";
  for (const CommandSpec& command : AllCommands()) {
    out += Item(command.name, command.detail);
  }
  out += ".SH OPTIONS\n";
  for (const OptionSpec& option : AllOptions()) {
    Flag flag;
    flag.name = option.flag;
    flag.short_flag = option.short_flag;
    flag.value_name = option.value_name;
    std::string commands;
    for (const CommandId id : option.commands) {
      commands += fmt::format("{}{}", commands.empty() ? "" : ", ", SpecOf(id).name);
    }
    if (!commands.empty()) commands = fmt::format(" ({})", commands);
    out += Item(FlagText(flag), fmt::format("{}{}.", option.summary, commands));
  }
  out += "Every setting below is also an option of the same name.\n";
  for (const Flag& flag : FlagsOf(CommandId::kRun)) {
    if (flag.meaning == Flag::Meaning::kOption) continue;
    out += Item(FlagText(flag),
                fmt::format("{}{}.", flag.on ? "" : "the opposite of: ", flag.summary));
  }
  out += ".SH POLICY FILE\nSettings of\n.IR $XDG_CONFIG_HOME/agent\\-sandbox/config.toml ,\n";
  out += "at the top and in [profile.NAME].\n" + Settings();
  out += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : kExitMeanings) {
    out += Item(exit.code, fmt::format("{}.", exit.meaning));
  }
  return out;
}

}  // namespace asb
