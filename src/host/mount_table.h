// What is mounted where on this host: the kernel's table, as facts.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/facts.h"

namespace asb {

/// The lines of /proc/self/mountinfo, in order. Lines of another shape are left out.
std::vector<MountFact> ParseMountTable(std::string_view text);

/// The table of this host; empty where there is no /proc.
Result<std::vector<MountFact>> ReadMountTable();

}  // namespace asb
