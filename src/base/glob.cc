#include "base/glob.h"

#include <algorithm>
#include <optional>

namespace asb {
namespace {

struct SetMatch {
  bool matches = false;
  std::size_t end = 0;  ///< behind the closing bracket
};

/// The set that opens at pattern[at] == '['. Nothing when it is never closed.
std::optional<SetMatch> MatchSet(std::string_view pattern, std::size_t at, char byte) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  bool first = true;
  const auto take = [&]() -> std::optional<unsigned char> {
    if (i < pattern.size() && pattern[i] == '\\') ++i;
    if (i >= pattern.size()) return std::nullopt;
    return static_cast<unsigned char>(pattern[i++]);
  };
  const auto wanted = static_cast<unsigned char>(byte);
  while (i < pattern.size() && (first || pattern[i] != ']')) {
    first = false;
    const auto low = take();
    if (!low) return std::nullopt;
    auto high = low;
    const bool range = i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']';
    if (range) {
      ++i;
      high = take();
      if (!high) return std::nullopt;
    }
    found = found || (wanted >= *low && wanted <= *high);
  }
  if (i >= pattern.size()) return std::nullopt;
  return SetMatch{found != negated, i + 1};
}

/// Behind the byte, escape or set that starts at `at`. Nothing when it is unfinished.
std::optional<std::size_t> UnitEnd(std::string_view name, std::size_t at) {
  if (name[at] == '\\') {
    return at + 1 < name.size() ? std::optional(at + 2) : std::nullopt;
  }
  if (name[at] != '[') return at + 1;
  const auto set = MatchSet(name, at, 'x');
  return set ? std::optional(set->end) : std::nullopt;
}

std::string_view NameProblem(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const auto end = UnitEnd(name, at);
    if (!end && name[at] == '[') return "'[' is never closed; a literal one is written '\\['";
    if (!end) return "it ends in a backslash that escapes nothing";
    if (name.substr(at, *end - at).find("[:") != std::string_view::npos) {
      return "classes such as [:alpha:] are not known; list the characters";
    }
    at = *end;
  }
  return {};
}

}  // namespace

bool HasGlob(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[') {
      return true;
    }
  }
  return false;
}

std::string_view GlobProblem(std::string_view pattern) {
  for (std::size_t at = 0; at <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    const std::string_view problem = NameProblem(pattern.substr(at, end - at));
    if (!problem.empty()) return problem;
    at = end + 1;
  }
  return {};
}

bool HasDoubleStar(std::string_view pattern) {
  bool star = false;  // the unit before was one
  for (std::size_t at = 0; at < pattern.size();) {
    if (star && pattern[at] == '*') return true;
    star = pattern[at] == '*';
    at = UnitEnd(pattern, at).value_or(pattern.size());
  }
  return false;
}

bool GlobMatches(std::string_view pattern, std::string_view name, LeadingDot dot) {
  if (dot == LeadingDot::kMustBeSpelled && !name.empty() && name[0] == '.' &&
      (pattern.empty() || pattern[0] != '.') && !pattern.starts_with("\\.")) {
    return false;
  }
  std::size_t p = 0;
  std::size_t n = 0;
  std::optional<std::size_t> star;  // pattern position behind the last '*'
  std::size_t star_name = 0;        // name position that this '*' gave up at
  while (n < name.size()) {
    bool matched = false;
    std::size_t next = p;
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = ++p;
        star_name = n;
        continue;
      }
      if (pattern[p] == '?') {
        matched = true;
        next = p + 1;
      } else if (pattern[p] == '[') {
        const auto set = MatchSet(pattern, p, name[n]);
        matched = set && set->matches;
        if (set) next = set->end;
      } else {
        const std::size_t literal = p + (pattern[p] == '\\' ? 1 : 0);
        matched = literal < pattern.size() && pattern[literal] == name[n];
        next = literal + 1;
      }
    }
    if (matched) {
      p = next;
      ++n;
    } else if (star) {
      p = *star;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string GlobLiteral(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

std::string GlobEscape(std::string_view name) {
  if (name.find_first_of("*?[\\") == std::string_view::npos) return std::string(name);
  std::string out;
  for (const char c : name) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace asb
