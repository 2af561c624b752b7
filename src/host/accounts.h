// Whom the sandbox may know: the accounts and groups of the system, and the caller's own.
#pragma once

#include <string_view>
#include <vector>

#include "plan/facts.h"

namespace asb {

/// The rows of a password file that belong to the system, in order. Rows of another shape are left
/// out.
std::vector<Account> SystemAccounts(std::string_view passwd);

/// The rows of a group file that belong to the system or whose number is among `callers`.
std::vector<Group> KnownGroups(std::string_view group, const std::vector<std::uint32_t>& callers);

/// Both for this host, from its files and never from a directory service: an answer from there may
/// take seconds.
void ProbeAccounts(HostFacts& facts);

}  // namespace asb
