// Files that the sandbox has of its own, in place of the host's: their text is made from facts.
#pragma once

#include <string>
#include <string_view>

#include "plan/facts.h"

namespace asb {

/// What is in the made file at `path` ("/etc/passwd"); nothing is known of other paths.
std::string MadeText(std::string_view path, const HostFacts& facts);

}  // namespace asb
