// Patterns over one name: '*' any run of bytes, '?' one byte, '[a-z]' and '[!a-z]' one byte of a
// set, '\' takes the next byte as it is. Patterns never cross a '/'.
#pragma once

#include <string>
#include <string_view>

namespace asb {

/// True when `pattern` holds '*', '?' or '[' that is not escaped.
bool HasGlob(std::string_view pattern);

/// Why `pattern`, a path whose names are patterns, is none ("'[' is never closed"); empty when
/// every name is one. A set that is closed in another name is not closed.
std::string_view GlobProblem(std::string_view pattern);

/// True when `pattern`, which has no problem, holds '**' outside of a set.
bool HasDoubleStar(std::string_view pattern);

/// Whether a wildcard may stand for the '.' that a name starts with. In a shell it may not; a rule
/// that hides means every name.
enum class LeadingDot { kMustBeSpelled, kMatches };

/// Whether the whole of `name` matches. Time is at most |pattern| x |name|.
bool GlobMatches(std::string_view pattern, std::string_view name,
                 LeadingDot dot = LeadingDot::kMustBeSpelled);

/// `pattern`, which has no glob, with its backslashes resolved: the name it means.
std::string GlobLiteral(std::string_view pattern);

/// `name` escaped so that as a pattern it matches itself alone.
std::string GlobEscape(std::string_view name);

}  // namespace asb
