#include "cli/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "policy/value.h"

namespace asb {
namespace {

using std::string_view;

class Parser {
 public:
  Parser(std::span<const char* const> args, ParsedInvocation& out) : args_(args), out_(out) {
    out_.invocation.layer.kind = LayerKind::kCommandLine;
    flags_ = FlagsOf(CommandId::kRun);
  }

  void Parse();

 private:
  void Complain(string_view flag, std::string message, std::string hint = {}, std::string fix = {}) {
    Diagnostic diagnostic;
    diagnostic.place = "command line";
    if (!flag.empty()) diagnostic.place += fmt::format(" {}", flag);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.fix = std::move(fix);
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  void ParseLong(string_view word);
  void ParseShort(string_view word);
  void Take(const Flag& flag, std::optional<string_view> attached);
  void TakeOption(const Flag& flag, std::string value);
  void TakeKey(const Flag& flag, string_view value);
  void SetOnce(const Flag& flag, std::optional<std::string>& slot, std::string value);
  void Store(const Flag& flag, Item item);
  bool TakeCommandWord(string_view word);
  void CheckWords();
  void CheckOptions();

  std::span<const char* const> args_;
  ParsedInvocation& out_;
  std::vector<Flag> flags_;
  std::size_t next_ = 0;
};

void Parser::Parse() {
  Invocation& in = out_.invocation;
  while (next_ < args_.size()) {
    const string_view word = args_[next_++];
    if (word == "--") {
      in.words_follow_dashes = true;
      break;
    }
    if (word.starts_with("--")) {
      ParseLong(word);
    } else if (word.starts_with('-') && word.size() > 1) {
      ParseShort(word);
    } else if (!TakeCommandWord(word)) {
      // The program's own options are not ours; explain's subjects may mix with options.
      in.words.emplace_back(word);
      if (SpecOf(in.command).words != WordsAre::kSubjects) break;
    }
  }
  for (; next_ < args_.size(); ++next_) in.words.emplace_back(args_[next_]);
  CheckOptions();
  CheckWords();
}

bool Parser::TakeCommandWord(string_view word) {
  Invocation& in = out_.invocation;
  if (in.command_named || !in.words.empty()) return false;
  const CommandSpec* command = FindCommand(word);
  if (command == nullptr) return false;
  in.command = command->id;
  in.command_named = true;
  flags_ = FlagsOf(command->id);
  return true;
}

void Parser::ParseLong(string_view word) {
  const std::size_t equals = word.find('=');
  const string_view name = word.substr(0, equals);
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [name](const Flag& flag) { return flag.name == name; });
  if (found == flags_.end()) {
    std::vector<string_view> names;
    for (const Flag& flag : flags_) names.emplace_back(flag.name);
    const auto nearest = NearestWord(name, names);
    Complain("", fmt::format("unknown option '{}'", Printable(name)),
             nearest ? fmt::format("did you mean '{}'?", *nearest) : "",
             nearest ? ""
                     : fmt::format("agent-sandbox {} --help lists the options",
                                   SpecOf(out_.invocation.command).name));
    return;
  }
  std::optional<string_view> attached;
  if (equals != string_view::npos) attached = word.substr(equals + 1);
  Take(*found, attached);
}

void Parser::ParseShort(string_view word) {
  const char letter = word[1];
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [letter](const Flag& flag) { return flag.short_flag == letter; });
  if (found == flags_.end()) {
    Complain("", fmt::format("unknown option '{}'", Printable(word)), "",
             fmt::format("agent-sandbox {} --help lists the options",
                         SpecOf(out_.invocation.command).name));
    return;
  }
  std::optional<string_view> attached;
  if (word.size() > 2) attached = word.substr(2);
  Take(*found, attached);
}

void Parser::Take(const Flag& flag, std::optional<string_view> attached) {
  if (flag.value_name.empty()) {
    if (attached) {
      Complain(flag.name, "takes no value");
      return;
    }
    if (flag.meaning == Flag::Meaning::kOption) {
      TakeOption(flag, "");
    } else {
      TakeKey(flag, flag.on ? "true" : "false");
    }
    return;
  }
  if (!attached) {
    if (next_ >= args_.size()) {
      Complain(flag.name, fmt::format("needs a {}", flag.value_name));
      return;
    }
    attached = args_[next_++];
  }
  if (flag.meaning == Flag::Meaning::kOption) {
    TakeOption(flag, std::string(*attached));
  } else {
    TakeKey(flag, *attached);
  }
}

void Parser::SetOnce(const Flag& flag, std::optional<std::string>& slot, std::string value) {
  if (value.empty()) {
    Complain(flag.name, fmt::format("needs a {}", flag.value_name));
  } else if (slot && *slot != value) {
    Complain(flag.name, fmt::format("is given twice: '{}' and '{}'", Printable(*slot),
                                    Printable(value)));
  } else {
    slot = std::move(value);
  }
}

void Parser::TakeOption(const Flag& flag, std::string value) {
  Invocation& in = out_.invocation;
  switch (flag.option) {
    case OptionId::kConfig: SetOnce(flag, in.config, std::move(value)); return;
    case OptionId::kProfile: SetOnce(flag, in.profile, std::move(value)); return;
    case OptionId::kFacts: SetOnce(flag, in.facts, std::move(value)); return;
    case OptionId::kNoConfig: in.no_config = true; return;
    case OptionId::kJson: in.json = true; return;
    case OptionId::kArgv: in.argv = true; return;
    case OptionId::kPrintFacts: in.print_facts = true; return;
    case OptionId::kDebug: in.debug = true; return;
    case OptionId::kHelp: in.help = true; return;
    case OptionId::kVersion: in.version = true; return;
  }
}

void Parser::TakeKey(const Flag& flag, string_view value) {
  Item item;
  item.text = value;
  if (flag.spelling != nullptr) {
    const auto spelled = SpelledValue(*flag.spelling, flag.on);
    item.text = spelled.value_or("");
  }
  if (flag.key->type == KeyType::kBindList) {
    if (auto problem = ParseBindWords(value, item)) {
      Complain(flag.name, std::move(problem->message), "", std::move(problem->fix));
      return;
    }
  }
  if (auto problem = CheckItem(*flag.key, item, ValueSource::kCommandLine)) {
    Complain(flag.name, std::move(problem->message), std::move(problem->hint),
             std::move(problem->fix));
    return;
  }
  Store(flag, std::move(item));
}

void Parser::Store(const Flag& flag, Item item) {
  item.origin = {LayerKind::kCommandLine, flag.name, 0, 0};
  std::optional<Setting>& slot = out_.invocation.layer.At(flag.key->key);
  if (!slot) {
    slot = Setting{{}, item.origin};
  } else if (!IsList(flag.key->type)) {
    const Item& before = slot->items.front();
    if (before.text != item.text) {
      Complain(flag.name, fmt::format("contradicts {}: '{}' is both {} and {}", before.origin.place.text(),
                                      flag.key->name, Printable(before.text), Printable(item.text)));
    }
    return;
  }
  slot->items.push_back(std::move(item));
}

void Parser::CheckOptions() {
  const Invocation& in = out_.invocation;
  if (in.config && in.no_config) {
    Complain("", "--config and --no-config contradict each other");
  }
  if (in.profile && in.no_config) {
    Complain("", "--profile needs a policy file, and --no-config reads none");
  }
  if (static_cast<int>(in.json) + static_cast<int>(in.argv) + static_cast<int>(in.print_facts) > 1) {
    Complain("", "--json, --argv and --print-facts are three ways to print: choose one");
  }
  // A flag before the command's name was read with the flags of run.
  for (const std::optional<Setting>& setting : in.layer.settings) {
    if (setting && in.command == CommandId::kValidate) {
      Complain(setting->origin.place.text(), "validate checks a file and takes no settings");
    }
  }
}

void Parser::CheckWords() {
  const Invocation& in = out_.invocation;
  const CommandSpec& command = SpecOf(in.command);
  if (in.help || in.version) return;
  if (command.words == WordsAre::kNothing && !in.words.empty()) {
    Complain("", fmt::format("{} takes no words, and got '{}'", command.name,
                             Printable(in.words.front())));
  }
  if (command.words == WordsAre::kSubjects && in.words.empty()) {
    Complain("", fmt::format("{} needs a path, a variable or a host", command.name), "",
             "agent-sandbox explain ~/.ssh");
  }
  if (command.words == WordsAre::kProgram && !in.words.empty() && in.words.front().empty()) {
    Complain("", "the program to run is an empty word");
  }
}

}  // namespace

ParsedInvocation ParseInvocation(std::span<const char* const> args) {
  ParsedInvocation out;
  Parser(args, out).Parse();
  return out;
}

}  // namespace asb
