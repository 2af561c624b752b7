// Memory that a process and its forked children both see.
#pragma once

#include "base/result.h"

namespace asb {

/// Zeroed, shared across fork, kept until the process ends. At most one page.
Result<void*> SharedMemory(unsigned long bytes);

}  // namespace asb
