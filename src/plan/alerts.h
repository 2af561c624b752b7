// Grants that give more than they seem to: sockets whose other end acts for whoever connects. A
// read-only bind does not stop a connection.
#pragma once

#include <span>
#include <vector>

#include "plan/aliases.h"
#include "plan/plan.h"
#include "plan/resolve.h"
#include "policy/builtin_data.h"

namespace asb {

/// The rows of `table` that exist on the host and that a rule of the user shows.
std::vector<Alert> FindAlerts(std::span<const BuiltinPath> table,
                              std::span<const ViewEntry> entries, const AbsolutePath& home,
                              const MountAliases& aliases, FileSource& host);

}  // namespace asb
