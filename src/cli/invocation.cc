#include "cli/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  }

  void Parse();

 private:
  void Complain(string_view flag, std::string message, std::string hint = {},
                std::string fix = {}) {
    Diagnostic diagnostic;
    diagnostic.place = "command line";
    if (!flag.empty()) diagnostic.place += fmt::format(" {}", flag);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.fix = std::move(fix);
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  const Flag* FindFlag(string_view name) const;
  const Flag* FindShort(char letter) const;
  bool IsOption(string_view word) const;
  void ParseLong(string_view word);
  void ParseShort(string_view word);
  void ComplainAboutUnknown(string_view name);
  void ComplainAboutUse(const Flag& flag);
  void ComplainAboutTwo(const Flag& flag, string_view first, string_view second);
  void Take(const Flag& flag, std::optional<string_view> attached);
  std::optional<string_view> TakeValue(const Flag& flag);
  void TakeOption(const Flag& flag, std::string value);
  void TakeKey(const Flag& flag, string_view value);
  void SetOnce(const Flag& flag, std::optional<std::string>& slot, std::string value);
  void Store(const Flag& flag, Item item);
  bool TakeCommandWord(string_view word);
  void CheckWords();
  void CheckOptions();
  void CheckPolicyFd();

  std::span<const char* const> args_;
  ParsedInvocation& out_;
  const std::vector<Flag> flags_ = AllFlags();
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
  // What looks like a word may be the value of an option that was not understood.
  if (out_.diagnostics.empty()) CheckWords();
}

bool Parser::TakeCommandWord(string_view word) {
  Invocation& in = out_.invocation;
  if (in.command_named || !in.words.empty()) return false;
  const CommandSpec* command = FindCommand(word);
  if (command == nullptr) return false;
  in.command = command->id;
  in.command_named = true;
  return true;
}

const Flag* Parser::FindFlag(string_view name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [name](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

const Flag* Parser::FindShort(char letter) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [letter](const Flag& flag) { return flag.short_flag == letter; });
  return found == flags_.end() ? nullptr : &*found;
}

bool Parser::IsOption(string_view word) const {
  if (word.starts_with("--")) return FindFlag(word.substr(0, word.find('='))) != nullptr;
  return word.starts_with('-') && word.size() > 1 && FindShort(word[1]) != nullptr;
}

void Parser::ParseLong(string_view word) {
  const std::size_t equals = word.find('=');
  const string_view name = word.substr(0, equals);
  std::optional<string_view> attached;
  if (equals != string_view::npos) attached = word.substr(equals + 1);
  if (const Flag* flag = FindFlag(name)) {
    Take(*flag, attached);
  } else {
    ComplainAboutUnknown(name);
  }
}

void Parser::ParseShort(string_view word) {
  std::optional<string_view> attached;
  if (word.size() > 2) attached = word.substr(2);
  if (const Flag* flag = FindShort(word[1])) {
    Take(*flag, attached);
  } else {
    ComplainAboutUnknown(word);
  }
}

/// "FILE", or "MODE, one of none, loopback, open"
std::string ValueText(const Flag& flag) {
  if (flag.key == nullptr || flag.key->choices.empty()) return std::string(flag.value_name);
  return fmt::format("{}, one of {}", flag.value_name, JoinWords(flag.key->choices));
}

void Parser::ComplainAboutUnknown(string_view name) {
  const std::string message = fmt::format("unknown option '{}'", Printable(name));
  const Flag* negated =
      name.starts_with("--no-") ? FindFlag(fmt::format("--{}", name.substr(5))) : nullptr;
  if (negated != nullptr && negated->spelling != nullptr) {
    ValueProblem problem = RefusedSpelling(*negated->spelling, ValueSource::kCommandLine);
    Complain("", std::move(problem.message), "", std::move(problem.fix));
    return;
  }
  if (negated != nullptr && negated->key != nullptr && !negated->key->choices.empty()) {
    Complain("", message, "", fmt::format("write {} {}", negated->name, ValueText(*negated)));
    return;
  }
  const CommandId command = out_.invocation.command;
  std::vector<string_view> names;
  for (const Flag& flag : flags_) {
    if (Takes(command, flag)) names.emplace_back(flag.name);
  }
  std::string hint = name.starts_with("--") ? DidYouMean(name, names) : "";
  std::string help = fmt::format("agent-sandbox {} --help lists the options", SpecOf(command).name);
  if (!hint.empty()) help.clear();
  Complain("", message, std::move(hint), std::move(help));
}

/// An option that only other commands have.
void Parser::ComplainAboutUse(const Flag& flag) {
  std::vector<string_view> names;
  for (const CommandId id : SpecOf(flag.option).commands) names.push_back(SpecOf(id).name);
  std::string list = JoinWords(std::span(names).first(names.size() - 1));
  if (!list.empty()) list += " and ";
  Complain("", fmt::format("'{}' is an option of {}{}", flag.name, list, names.back()), "",
           names.size() == 1 ? fmt::format("write it behind {}", names.front())
                             : "write it behind one of those words");
}

void Parser::Take(const Flag& flag, std::optional<string_view> attached) {
  const bool is_option = flag.meaning == Flag::Meaning::kOption;
  // Settings for validate are read like all others and refused together at the end.
  if (is_option && !Takes(out_.invocation.command, flag)) {
    ComplainAboutUse(flag);
    return;
  }
  if (!flag.value_name.empty()) {
    if (!attached) attached = TakeValue(flag);
    if (!attached) return;
  } else if (attached) {
    const string_view stem = string_view(flag.name).substr(flag.on ? 2 : 5);
    Complain(flag.name, "takes no value", "",
             HasOpposite(flag) ? fmt::format("write --{0} or --no-{0}", stem)
                               : fmt::format("write {} alone", flag.name));
    return;
  }
  if (is_option) {
    TakeOption(flag, std::string(attached.value_or("")));
  } else {
    TakeKey(flag, attached.value_or(flag.on ? "true" : "false"));
  }
}

/// The next word, unless it is one of our own options.
std::optional<string_view> Parser::TakeValue(const Flag& flag) {
  if (next_ >= args_.size()) {
    Complain(flag.name, fmt::format("needs {}", ValueText(flag)));
    return std::nullopt;
  }
  const string_view word = args_[next_];
  const bool ends_options = word == "--";
  if (!ends_options && !IsOption(word)) {
    ++next_;
    return word;
  }
  const bool any_name = flag.key == nullptr || flag.key->choices.empty();
  Complain(
      flag.name,
      fmt::format("needs {}, and '{}' {}", ValueText(flag), Printable(word),
                  ends_options ? "ends the options" : "is an option"),
      "",
      any_name ? fmt::format("write {}={} if the name is meant", flag.name, ShellQuote(word)) : "");
  return std::nullopt;
}

void Parser::SetOnce(const Flag& flag, std::optional<std::string>& slot, std::string value) {
  if (value.empty()) {
    Complain(flag.name, fmt::format("needs {}", ValueText(flag)));
  } else if (slot && *slot != value) {
    ComplainAboutTwo(flag, *slot, value);
  } else {
    slot = std::move(value);
  }
}

void Parser::ComplainAboutTwo(const Flag& flag, string_view first, string_view second) {
  Complain(flag.name,
           fmt::format("is given twice: '{}' and '{}'", Printable(first), Printable(second)), "",
           "keep one of them");
}

void Parser::TakeOption(const Flag& flag, std::string value) {
  Invocation& in = out_.invocation;
  switch (flag.option) {
    case OptionId::kConfig:
      SetOnce(flag, in.config, std::move(value));
      return;
    case OptionId::kProfile:
      SetOnce(flag, in.profile, std::move(value));
      return;
    case OptionId::kPolicyFd:
      SetOnce(flag, in.policy_fd, std::move(value));
      return;
    case OptionId::kPolicyDigest:
      SetOnce(flag, in.policy_digest, std::move(value));
      return;
    case OptionId::kFacts:
      SetOnce(flag, in.facts, std::move(value));
      return;
    case OptionId::kNoConfig:
      in.no_config = true;
      return;
    case OptionId::kJson:
      in.json = true;
      return;
    case OptionId::kArgv:
      in.argv = true;
      return;
    case OptionId::kPrintFacts:
      in.print_facts = true;
      return;
    case OptionId::kPrintPolicy:
      in.print_policy = true;
      return;
    case OptionId::kList:
      in.list = true;
      return;
    case OptionId::kAll:
      in.all = true;
      return;
    case OptionId::kOlderThan:
      SetOnce(flag, in.older_than, std::move(value));
      return;
    case OptionId::kMaxSize:
      SetOnce(flag, in.max_size, std::move(value));
      return;
    case OptionId::kDryRun:
      in.dry_run = true;
      return;
    case OptionId::kQuiet:
      in.quiet = true;
      return;
    case OptionId::kDebug:
      in.debug = true;
      return;
    case OptionId::kHelp:
      in.help = true;
      return;
    case OptionId::kVersion:
      in.version = true;
      return;
  }
}

void Parser::TakeKey(const Flag& flag, string_view value) {
  Item item;
  item.text = value;
  if (flag.spelling != nullptr) {
    item.text = SpelledValue(*flag.spelling, flag.on).value_or("");
  }
  if (flag.key->type == KeyType::kBindList) {
    if (auto problem = ParseBindWords(value, item)) {
      Complain(flag.name, std::move(problem->message), "", std::move(problem->fix));
      return;
    }
  }
  ValueProblems problems = CheckItem(*flag.key, item, ValueSource::kCommandLine);
  for (ValueProblem& problem : problems) {
    Complain(flag.name, std::move(problem.message), std::move(problem.hint),
             std::move(problem.fix));
  }
  if (problems.empty()) Store(flag, std::move(item));
}

void Parser::Store(const Flag& flag, Item item) {
  item.origin = {LayerKind::kCommandLine, flag.name, 0, 0};
  std::optional<Setting>& slot = out_.invocation.layer.At(flag.key->key);
  if (!slot) {
    slot = Setting{{}, item.origin};
  } else if (!IsList(flag.key->type)) {
    const Item& before = slot->items.front();
    const string_view flag_before = before.origin.place.text();
    if (before.text == item.text) return;
    if (flag_before == flag.name) {
      ComplainAboutTwo(flag, before.text, item.text);
    } else {
      Complain(flag.name,
               fmt::format("contradicts {}: '{}' is both {} and {}", flag_before, flag.key->name,
                           Printable(before.text), Printable(item.text)),
               "", "keep one of them");
    }
    return;
  }
  slot->items.push_back(std::move(item));
}

void Parser::CheckOptions() {
  const Invocation& in = out_.invocation;
  if (in.config && in.no_config) {
    Complain("", "--config and --no-config contradict each other", "", "keep one of them");
  }
  if (in.profile && in.no_config) {
    Complain("", "--profile needs a policy file, and --no-config reads none", "",
             "keep one of them");
  }
  const std::array ways{in.json, in.argv, in.print_facts, in.print_policy};
  if (std::count(ways.begin(), ways.end(), true) > 1) {
    Complain("",
             "--json, --argv, --print-facts and --print-policy are four ways to print: choose one");
  }
  if (in.list && (in.all || in.dry_run)) {
    Complain("", "--list removes nothing, and --all and --dry-run are about removing", "",
             "keep one of them");
  }
  CheckPolicyFd();
  for (const std::optional<Setting>& setting : in.layer.settings) {
    if (!setting || TakesSettings(in.command)) continue;
    const bool validate = in.command == CommandId::kValidate;
    Complain(setting->origin.place.text(),
             validate ? "validate checks a file and takes no settings"
                      : fmt::format("{} takes no settings", SpecOf(in.command).name),
             "", "leave it out");
  }
}

/// Such a policy is complete: nothing may be added to what its digest vouches for.
void Parser::CheckPolicyFd() {
  const Invocation& in = out_.invocation;
  if (in.policy_fd.has_value() != in.policy_digest.has_value()) {
    Complain("", "--policy-fd and --policy-digest belong together", "", "give both");
  }
  if (!in.policy_fd) return;
  if (in.config || in.no_config || in.profile) {
    Complain("--policy-fd",
             "brings a complete policy, and --config, --no-config and --profile choose another", "",
             "keep one of them");
  }
  for (const std::optional<Setting>& setting : in.layer.settings) {
    if (!setting) continue;
    Complain(setting->origin.place.text(), "cannot be added to the policy of --policy-fd", "",
             "leave it out, or change the policy and its digest");
  }
}

/// What was meant when a command that takes no words gets one.
std::string InsteadOfWords(CommandId command, const std::string& word) {
  if (command == CommandId::kShell) return fmt::format("agent-sandbox run {}", word);
  if (command == CommandId::kValidate)
    return fmt::format("agent-sandbox validate --config {}", word);
  return fmt::format("agent-sandbox -- {} … runs a program of that name", SpecOf(command).name);
}

void Parser::CheckWords() {
  const Invocation& in = out_.invocation;
  const CommandSpec& command = SpecOf(in.command);
  if (in.help || in.version) return;
  if (command.words == WordsAre::kNothing && !in.words.empty()) {
    const std::string first = ShellQuote(in.words.front());
    Complain(
        "",
        fmt::format("{} takes no words, and got '{}'", command.name, Printable(in.words.front())),
        "", InsteadOfWords(in.command, first));
  }
  if (command.words == WordsAre::kSubjects && in.words.empty()) {
    Complain("", fmt::format("{} needs a path, a variable or a host", command.name), "",
             "agent-sandbox explain ~/.ssh");
  }
  if (command.words == WordsAre::kProgram && !in.words.empty() && in.words.front().empty()) {
    Complain("", "the program to run is an empty word", "", "name the program first");
  }
}

}  // namespace

ParsedInvocation ParseInvocation(std::span<const char* const> args) {
  ParsedInvocation out;
  Parser(args, out).Parse();
  return out;
}

}  // namespace asb
