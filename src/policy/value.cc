#include "policy/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/glob.h"
#include "base/path.h"
#include "base/text.h"
#include "policy/gaps.h"

namespace asb {
namespace {

using std::string_view;
using Problem = std::optional<ValueProblem>;

constexpr string_view kDotDot = "it holds '..', whose meaning changes with links";
constexpr string_view kWithoutDotDot = "write it without '..'";
constexpr std::size_t kLongestPath = 4095;  // PATH_MAX without its NUL

bool HasDotDot(string_view path) {
  if (path.find("..") == string_view::npos) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

/// The part behind the place a path starts from: "~/x" → "x", "./x" → "x", "../../x" → "x".
string_view BehindAnchor(string_view path, ValueSource source) {
  if (path == "~" || path == ".") return {};
  if (path.starts_with("~/") || path.starts_with("./")) return path.substr(2);
  if (source == ValueSource::kCommandLine) {
    while (path == ".." || path.starts_with("../")) path.remove_prefix(path.size() > 2 ? 3 : 2);
  }
  return path;
}

ValueProblem CannotName(const KeySpec& key, string_view path, string_view why, std::string fix) {
  return {fmt::format("'{}' cannot name '{}': {}", key.name, Printable(path), why), "",
          std::move(fix)};
}

bool IsWorkspaceRelative(string_view path) { return path == "." || path.starts_with("./"); }

/// A file's path says where it starts: what is wrong when `path` does not.
Problem CheckAnchor(const KeySpec& key, string_view path) {
  const bool is_workspace = key.type == KeyType::kPath;
  if (is_workspace && IsWorkspaceRelative(path)) {
    return CannotName(key, path, "'./' is counted from the workspace itself", "write /… or ~/…");
  }
  if (path[0] == '/' || path[0] == '~' || IsWorkspaceRelative(path)) return std::nullopt;
  if (path[0] == '$') {
    return CannotName(key, path, "variables are not expanded",
                      "start it with ~/ for the home folder, or / for a full path");
  }
  std::string fix = "write /… or ~/…";
  if (!is_workspace && !HasDotDot(path)) {
    fix = fmt::format("write /…, ~/…, or ./{} for the workspace", Printable(path));
  }
  return CannotName(key, path, "it does not say where it starts", std::move(fix));
}

Problem CheckKernelFolders(const KeySpec& key, string_view path) {
  static const AbsolutePath kKernelFolders[] = {*AbsolutePath::Parse("/proc"),
                                                *AbsolutePath::Parse("/dev")};
  const auto parsed = AbsolutePath::Parse(path);
  if (!parsed) return CannotName(key, path, parsed.error().what, parsed.error().hint);
  for (const AbsolutePath& own : kKernelFolders) {
    if (parsed->IsWithin(own)) {
      return CannotName(key, path, fmt::format("{} inside is the sandbox's own", own.text()),
                        "leave it out");
    }
  }
  return std::nullopt;
}

Problem CheckPath(const KeySpec& key, string_view path, ValueSource source) {
  if (path.empty()) {
    return ValueProblem{fmt::format("'{}' holds an empty path", key.name), "",
                        key.type == KeyType::kBindList ? "name a folder" : "leave it out"};
  }
  if (path.size() > kLongestPath) {
    return ValueProblem{fmt::format("'{}' cannot name a path of {} bytes: the kernel's limit is {}",
                                    key.name, path.size(), kLongestPath),
                        "", ""};
  }
  if (path.find('\0') != string_view::npos) {
    return CannotName(key, path, "it holds a NUL byte, which no file name can", "");
  }
  if (path[0] == '~' && path != "~" && !path.starts_with("~/")) {
    return CannotName(key, path, "only '~' and '~/' are expanded, not the home of another user",
                      "write that folder in full");
  }
  if (source == ValueSource::kFile) {
    if (Problem problem = CheckAnchor(key, path)) return problem;
  }
  if (HasDotDot(BehindAnchor(path, source))) {
    return CannotName(key, path, kDotDot, std::string(kWithoutDotDot));
  }
  return path[0] == '/' ? CheckKernelFolders(key, path) : std::nullopt;
}

Problem CheckPattern(const KeySpec& key, string_view path) {
  if (path.find_first_of("*?[\\") == string_view::npos) return std::nullopt;  // a plain path
  string_view problem = GlobProblem(path);
  string_view fix;
  if (problem.empty() && HasDoubleStar(path)) {
    problem = "'**' would search whole trees at every start";
    fix = "name the folder itself, or use '*' within one name";
  }
  if (problem.empty() && path.find('\\') != string_view::npos && HasDotDot(GlobLiteral(path))) {
    problem = kDotDot;
    fix = kWithoutDotDot;
  }
  if (problem.empty()) return std::nullopt;
  return ValueProblem{
      fmt::format("'{}' cannot use the pattern '{}': {}", key.name, Printable(path), problem), "",
      std::string(fix)};
}

ValueProblems CheckBind(const KeySpec& key, const Item& item, ValueSource source) {
  ValueProblems problems;
  if (Problem problem = CheckPath(key, item.text, source)) problems.push_back(std::move(*problem));
  if (Problem problem = CheckPath(key, item.target, source)) {
    problem->part = ItemPart::kTarget;
    problems.push_back(std::move(*problem));
  }
  if (item.mode != "ro" && item.mode != "rw") {
    problems.push_back(
        {fmt::format("the mode of 'bind' must be ro or rw, not '{}'", Printable(item.mode)), "", "",
         ItemPart::kMode});
  }
  return problems;
}

Problem CheckEnv(const KeySpec& key, string_view text) {
  const string_view name = text.substr(0, text.find('='));
  const bool sets = name.size() != text.size();
  const auto is_start = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto is_name = [&](char c) {
    return is_start(c) || (c >= '0' && c <= '9') || (!sets && c == '*');
  };
  if (name == "*") {
    return ValueProblem{
        fmt::format("'{}' cannot pass every variable: secrets are among them", key.name), "",
        "name the variables, or a prefix such as MYTOOL_*"};
  }
  if (name.empty() || !is_start(name[0]) || !std::all_of(name.begin(), name.end(), is_name)) {
    // The value may be a secret: it is not repeated.
    return ValueProblem{fmt::format("'{}' needs NAME, PREFIX* or NAME=VALUE, not '{}{}'", key.name,
                                    Printable(name), sets ? "=…" : ""),
                        "", "a name is made of letters, digits and '_', and starts with no digit"};
  }
  if (text.find('\0') != string_view::npos) {
    return ValueProblem{fmt::format("'{}' holds a NUL byte, which no variable can", key.name), "",
                        ""};
  }
  return std::nullopt;
}

Problem CheckChoice(const KeySpec& key, string_view word) {
  const bool known = std::find(key.choices.begin(), key.choices.end(), word) != key.choices.end();
  if (known) return std::nullopt;
  return ValueProblem{fmt::format("'{}' must be one of {}, not '{}'", key.name,
                                  JoinWords(key.choices), Printable(word)),
                      DidYouMean(word, key.choices), ""};
}

Problem CheckGap(const KeySpec& key, string_view name) {
  if (FindGap(name) != nullptr) return std::nullopt;
  std::string hint = DidYouMean(name, GapNames());
  std::string fix = hint.empty() ? "one of " + JoinWords(GapNames()) : std::string();
  return ValueProblem{fmt::format("'{}' names no gap: '{}'", key.name, Printable(name)),
                      std::move(hint), std::move(fix)};
}

/// Of every type but bind.
Problem CheckText(const KeySpec& key, string_view text, ValueSource source) {
  switch (key.type) {
    case KeyType::kChoice:
      return CheckChoice(key, text);
    case KeyType::kSwitch:
      if (text == "true" || text == "false") return std::nullopt;
      return ValueProblem{fmt::format("'{}' must be true or false", key.name), "", ""};
    case KeyType::kPath:
      return CheckPath(key, text, source);
    case KeyType::kPathList:
      if (Problem problem = CheckPath(key, text, source)) return problem;
      return CheckPattern(key, text);
    case KeyType::kEnvList:
      return CheckEnv(key, text);
    case KeyType::kWordList:
      if (text.find('\0') == string_view::npos) return std::nullopt;
      return ValueProblem{fmt::format("'{}' holds a NUL byte, which no argument can", key.name), "",
                          ""};
    case KeyType::kGapList:
      return CheckGap(key, text);
    case KeyType::kBindList:
      break;
  }
  return std::nullopt;
}

}  // namespace

ValueProblems CheckItem(const KeySpec& key, const Item& item, ValueSource source) {
  if (key.type == KeyType::kBindList) return CheckBind(key, item, source);
  ValueProblems problems;
  if (Problem problem = CheckText(key, item.text, source)) problems.push_back(std::move(*problem));
  return problems;
}

std::optional<string_view> SpelledValue(const Spelling& spelling, bool on) {
  const string_view value = on ? spelling.when_true : spelling.when_false;
  if (value.empty()) return std::nullopt;
  return value;
}

ValueProblem RefusedSpelling(const Spelling& spelling, ValueSource source) {
  const KeySpec& key = SpecOf(spelling.key);
  const bool in_file = source == ValueSource::kFile;
  std::string fix;
  for (const string_view choice : key.choices) {
    fix += fix.empty() ? "write " : " or ";
    fix += in_file ? fmt::format("{} = \"{}\"", key.name, choice)
                   : fmt::format("--{} {}", key.name, choice);
  }
  return {fmt::format("'{}{}{}' does not say which {} is meant", in_file ? "" : "--no-",
                      spelling.name, in_file ? " = false" : "", key.name),
          "", std::move(fix)};
}

Problem ParseBindWords(string_view words, Item& item) {
  const auto wrong = [&](string_view fix) {
    return ValueProblem{
        fmt::format("'bind' needs SOURCE:TARGET[:MODE], not '{}'", Printable(words)), "",
        std::string(fix)};
  };
  const std::size_t first = words.find(':');
  const string_view rest = first == string_view::npos ? "" : words.substr(first + 1);
  const std::size_t second = rest.find(':');
  item.text = words.substr(0, first);
  item.target = rest.substr(0, second);
  item.mode = second == string_view::npos ? "ro" : rest.substr(second + 1);
  if (item.text.empty() || item.target.empty()) {
    return wrong("for instance --bind /data:/mnt:ro");
  }
  if (item.mode.find(':') != std::string::npos) {
    return wrong(
        "a path that holds ':' is written in a policy file: "
        "bind = [{source = …, target = …, mode = \"ro\"}]");
  }
  return std::nullopt;
}

}  // namespace asb
