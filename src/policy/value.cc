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

std::string DidYouMean(string_view word, std::span<const string_view> candidates) {
  const auto nearest = NearestWord(word, candidates);
  return nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
}

bool HasDotDot(string_view path) {
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

Problem CheckPath(const KeySpec& key, string_view path, ValueSource source) {
  const auto wrong = [&](string_view why, std::string fix = {}) {
    return ValueProblem{fmt::format("'{}' cannot name '{}': {}", key.name, Printable(path), why),
                        "", std::move(fix)};
  };
  if (path.empty()) {
    return ValueProblem{fmt::format("'{}' holds an empty path", key.name), "", "remove it"};
  }
  if (path.find('\0') != string_view::npos) {
    return wrong("it holds a NUL byte, which no file name can");
  }
  if (path[0] == '~' && path != "~" && !path.starts_with("~/")) {
    return wrong("only '~' and '~/' are expanded, not the home of another user",
                 "write that folder in full");
  }
  const bool anchored = path[0] == '/' || path[0] == '~' || path == "." || path.starts_with("./");
  if (!anchored && source == ValueSource::kFile) {
    if (path[0] == '$') {
      return wrong("variables are not expanded",
                   "start it with ~/ for the home folder, or / for a full path");
    }
    return wrong("it does not say where it starts",
                 fmt::format("write /…, ~/…, or ./{} for the workspace", Printable(path)));
  }
  if (HasDotDot(BehindAnchor(path, source))) {
    return wrong("it holds '..', whose meaning changes with links", "write it without '..'");
  }
  if (path[0] != '/') {
    if (path.size() > 4095) return wrong("longer than 4095 bytes, the kernel's limit for a path");
    return std::nullopt;
  }
  const auto parsed = AbsolutePath::Parse(path);
  if (!parsed) return wrong(parsed.error().what, parsed.error().hint);
  static const AbsolutePath kKernelFolders[] = {*AbsolutePath::Parse("/proc"),
                                                *AbsolutePath::Parse("/dev")};
  for (const AbsolutePath& own : kKernelFolders) {
    if (parsed->IsWithin(own)) {
      return wrong(fmt::format("{} inside is the sandbox's own", own.text()), "remove it");
    }
  }
  return std::nullopt;
}

Problem CheckPattern(const KeySpec& key, string_view path) {
  if (const string_view problem = GlobProblem(path); !problem.empty()) {
    return ValueProblem{fmt::format("'{}' cannot use the pattern '{}': {}", key.name,
                                    Printable(path), problem),
                        "", ""};
  }
  if (path.find("**") != string_view::npos) {
    return ValueProblem{
        fmt::format("'{}' cannot use the pattern '{}': '**' would search whole trees at every start",
                    key.name, Printable(path)),
        "", "name the folder itself, or use '*' within one name"};
  }
  return std::nullopt;
}

Problem CheckBind(const KeySpec& key, const Item& item, ValueSource source) {
  if (Problem problem = CheckPath(key, item.text, source)) return problem;
  if (Problem problem = CheckPath(key, item.target, source)) return problem;
  if (item.mode != "ro" && item.mode != "rw") {
    return ValueProblem{fmt::format("the mode of 'bind' must be ro or rw, not '{}'",
                                    Printable(item.mode)),
                        "", ""};
  }
  return std::nullopt;
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
    return ValueProblem{fmt::format("'{}' needs NAME, PREFIX* or NAME=VALUE, not '{}'", key.name,
                                    Printable(text)),
                        "", ""};
  }
  if (text.find('\0') != string_view::npos) {
    return ValueProblem{fmt::format("'{}' holds a NUL byte, which no variable can", key.name), "",
                        ""};
  }
  return std::nullopt;
}

}  // namespace

Problem CheckItem(const KeySpec& key, const Item& item, ValueSource source) {
  switch (key.type) {
    case KeyType::kChoice:
      if (std::find(key.choices.begin(), key.choices.end(), item.text) == key.choices.end()) {
        return ValueProblem{
            fmt::format("'{}' must be one of {}", key.name, JoinWords(key.choices)),
            DidYouMean(item.text, key.choices), ""};
      }
      return std::nullopt;
    case KeyType::kSwitch:
      if (item.text != "true" && item.text != "false") {
        return ValueProblem{fmt::format("'{}' must be true or false", key.name), "", ""};
      }
      return std::nullopt;
    case KeyType::kPath:
      if (source == ValueSource::kFile && item.text.starts_with('.')) {
        return ValueProblem{
            fmt::format("'{}' cannot start with '.': that stands for the workspace itself",
                        key.name),
            "", "write /… or ~/…"};
      }
      return CheckPath(key, item.text, source);
    case KeyType::kPathList:
      if (Problem problem = CheckPath(key, item.text, source)) return problem;
      return CheckPattern(key, item.text);
    case KeyType::kBindList: return CheckBind(key, item, source);
    case KeyType::kEnvList: return CheckEnv(key, item.text);
    case KeyType::kWordList:
      if (item.text.find('\0') != std::string::npos) {
        return ValueProblem{fmt::format("'{}' holds a NUL byte, which no argument can", key.name),
                            "", ""};
      }
      return std::nullopt;
    case KeyType::kGapList:
      if (FindGap(item.text) == nullptr) {
        std::string hint = DidYouMean(item.text, GapNames());
        std::string fix = hint.empty() ? "one of " + JoinWords(GapNames()) : std::string();
        return ValueProblem{
            fmt::format("'{}' names no gap: '{}'", key.name, Printable(item.text)),
            std::move(hint), std::move(fix)};
      }
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<string_view> SpelledValue(const Spelling& spelling, bool on) {
  const string_view value = on ? spelling.when_true : spelling.when_false;
  if (value.empty()) return std::nullopt;
  return value;
}

Problem ParseBindWords(string_view words, Item& item) {
  const auto wrong = [&] {
    return ValueProblem{
        fmt::format("'bind' needs SOURCE:TARGET[:MODE], not '{}'", Printable(words)), "",
        "a path that holds ':' is written in a policy file: "
        "bind = [{source = …, target = …, mode = \"ro\"}]"};
  };
  const std::size_t first = words.find(':');
  if (first == string_view::npos) return wrong();
  const string_view rest = words.substr(first + 1);
  const std::size_t second = rest.find(':');
  item.text = words.substr(0, first);
  item.target = rest.substr(0, second);
  item.mode = second == string_view::npos ? "ro" : rest.substr(second + 1);
  if (item.text.empty() || item.target.empty() || item.mode.find(':') != std::string::npos) {
    return wrong();
  }
  return std::nullopt;
}

}  // namespace asb
