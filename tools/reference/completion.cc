// Shell completions: commands, flags, and the words that a flag takes.
#include <fmt/format.h>

#include "cli/options.h"
#include "policy/gaps.h"
#include "policy/keys.h"
#include "reference.h"

namespace asb {
namespace {

using std::string_view;

/// What can stand behind a flag.
enum class Completes { kNothing, kWords, kFiles, kAnything };

struct FlagWords {
  Completes completes = Completes::kNothing;
  std::span<const string_view> words;
};

FlagWords WordsOf(const Flag& flag) {
  if (flag.value_name.empty()) return {};
  if (flag.key == nullptr) {
    return {flag.value_name == "FILE" ? Completes::kFiles : Completes::kAnything, {}};
  }
  switch (flag.key->type) {
    case KeyType::kChoice:
      return {Completes::kWords, flag.key->choices};
    case KeyType::kGapList:
      return {Completes::kWords, GapNames()};
    case KeyType::kPath:
    case KeyType::kPathList:
    case KeyType::kBindList:
      return {Completes::kFiles, {}};
    case KeyType::kSwitch:
    case KeyType::kEnvList:
    case KeyType::kWordList:
      break;
  }
  return {Completes::kAnything, {}};
}

std::string CommandNames() {
  std::string out;
  for (const CommandSpec& command : AllCommands()) {
    out += fmt::format("{}{}", out.empty() ? "" : " ", command.name);
  }
  return out;
}

std::string FlagNames(CommandId command) {
  std::string out;
  for (const Flag& flag : FlagsOf(command))
    out += fmt::format("{}{}", out.empty() ? "" : " ", flag.name);
  return out;
}

/// "--view|-v": the patterns of a case branch.
std::string CasePattern(const Flag& flag) {
  if (flag.short_flag == 0) return flag.name;
  return fmt::format("{}|-{}", flag.name, flag.short_flag);
}

constexpr string_view kMade =
    "# Made by generate_reference from src/policy/keys.cc and src/cli/options.cc. Do not edit.\n";

}  // namespace

std::string BashCompletion() {
  std::string values;
  std::string takes_value;
  for (const Flag& flag : FlagsOf(CommandId::kPlan)) {
    if (flag.value_name.empty()) continue;
    takes_value += fmt::format("{}{}", takes_value.empty() ? "" : "|", CasePattern(flag));
    const FlagWords words = WordsOf(flag);
    string_view action = ":";
    std::string listed;
    if (words.completes == Completes::kFiles)
      action = "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
    if (words.completes == Completes::kWords) {
      listed = fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")",
                           fmt::join(words.words, " "));
      action = listed;
    }
    values += fmt::format("    {}) {}; return ;;\n", CasePattern(flag), action);
  }
  std::string flags;
  for (const CommandSpec& command : AllCommands()) {
    flags += fmt::format("    {}) flags='{}' ;;\n", command.name, FlagNames(command.id));
  }
  return fmt::format(
      R"({made}# shellcheck shell=bash
_agent_sandbox() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' flags i=1
  while [ "$i" -lt "$COMP_CWORD" ]; do
    case ${{COMP_WORDS[i]}} in
      --) return ;;
      {takes}) i=$((i + 1)) ;;
      -*) ;;
      *)
        [ -n "$command" ] && break
        command=${{COMP_WORDS[i]}}
        ;;
    esac
    i=$((i + 1))
  done
  case $before in
{values}  esac
  case $command in
{flags}    '') flags='{run}' ;;
    *) compopt -o default; return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif [ -z "$command" ]; then
    mapfile -t COMPREPLY < <(compgen -W '{commands}' -- "$word"; compgen -c -- "$word")
  else
    compopt -o default
  fi
}}
complete -F _agent_sandbox agent-sandbox
)",
      fmt::arg("made", kMade), fmt::arg("takes", takes_value), fmt::arg("values", values),
      fmt::arg("flags", flags), fmt::arg("run", FlagNames(CommandId::kRun)),
      fmt::arg("commands", CommandNames()));
}

std::string ZshCompletion() {
  std::string specs;
  const auto escaped = [](string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    return out;
  };
  for (const Flag& flag : FlagsOf(CommandId::kPlan)) {
    const FlagWords words = WordsOf(flag);
    std::string value;
    if (words.completes == Completes::kFiles)
      value = fmt::format(":{}:_files", escaped(flag.value_name));
    if (words.completes == Completes::kAnything)
      value = fmt::format(":{}: ", escaped(flag.value_name));
    if (words.completes == Completes::kWords) {
      value = fmt::format(":{}:({})", escaped(flag.value_name), fmt::join(words.words, " "));
    }
    specs += fmt::format("    '*{}[{}]{}' \\\n", flag.name, escaped(flag.summary), value);
  }
  std::string commands;
  for (const CommandSpec& command : AllCommands()) {
    commands += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary));
  }
  return fmt::format(R"(#compdef agent-sandbox
{made}_agent_sandbox() {{
  local -a commands
  commands=(
{commands}  )
  _arguments -S \
{specs}    '1: :{{ _describe -t commands command commands; _command_names -e }}' \
    '*:: :_default'
}}
_agent_sandbox "$@"
)",
                     fmt::arg("made", kMade), fmt::arg("commands", commands),
                     fmt::arg("specs", specs));
}

std::string FishCompletion() {
  std::string out(kMade);
  const auto quoted = [](string_view text) {
    std::string word;
    for (const char c : text) {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
    return word;
  };
  for (const CommandSpec& command : AllCommands()) {
    out += fmt::format("complete -c agent-sandbox -n __fish_use_subcommand -a {} -d '{}'\n",
                       command.name, quoted(command.summary));
  }
  for (const Flag& flag : FlagsOf(CommandId::kPlan)) {
    const FlagWords words = WordsOf(flag);
    out += fmt::format("complete -c agent-sandbox -l {}", flag.name.substr(2));
    if (flag.short_flag != 0) out += fmt::format(" -s {}", flag.short_flag);
    if (words.completes == Completes::kFiles) out += " -r -F";
    if (words.completes == Completes::kAnything) out += " -x";
    if (words.completes == Completes::kWords) {
      out += fmt::format(" -x -a '{}'", fmt::join(words.words, " "));
    }
    out += fmt::format(" -d '{}'\n", quoted(flag.summary));
  }
  return out;
}

}  // namespace asb
