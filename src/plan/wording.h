// How paths and rules are written down: from a policy's "~/x" to a path, and from a path or an
// origin back to what a person knows it by.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/path.h"
#include "policy/origin.h"

namespace asb {

/// Whether a text is a pattern, in which the folder put in front must be escaped, or a plain path.
enum class TextKind { kPattern, kPath };

/// A path as a policy writes it ("~/x", "./x", "/x") as an absolute one.
std::string ExpandAnchor(std::string_view text, TextKind kind, const AbsolutePath& home,
                         const AbsolutePath& workspace);

/// The part of an absolute pattern in front of its first wildcard, as a folder.
AbsolutePath LiteralFolder(std::string_view pattern);

/// A message about a rule, at the place that states it.
Diagnostic AtOrigin(const Origin& origin, std::string message, std::string fix = {});

/// The folder as a person knows it: "~/x" below the home folder.
std::string ShortPath(const AbsolutePath& path, const AbsolutePath& home);

}  // namespace asb
