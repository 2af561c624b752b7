// Single steps that a launch takes together with others: to find out which of them a host refuses.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

enum class NamespaceKind : std::uint8_t { kUser, kMount, kNetwork, kProcesses };

/// A new namespace of one kind; of processes: for children from now on.
Result<void> EnterNamespace(NamespaceKind kind);

/// A /proc of the own process namespace, detached.
Result<Fd> NewProcessList();

/// Opens a new terminal of the set `terminals`, which is attached somewhere.
Result<void> TryTerminal(int terminals);

/// The kernel takes system call filters from this process. Nothing is filtered by asking.
bool OffersFilters();

/// The caller may write `path`, by its permissions and by those of its mount.
bool MayWrite(const std::string& path);

}  // namespace asb
