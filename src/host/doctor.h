// Trying what a sandbox needs, one check a wall. Leaves nothing behind.
#pragma once

#include <string>
#include <vector>

#include "plan/checks.h"
#include "plan/facts.h"

namespace asb {

/// Every check but the policy and the whole sandbox, in the order of AllChecks().
std::vector<Check> CheckHost(const HostFacts& facts, const std::string& version);

}  // namespace asb
