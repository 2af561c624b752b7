// The programs that a run starts on the host: found where only those who could change this program
// itself can write, never by PATH.
#pragma once

#include <string>

#include "base/result.h"

namespace asb {

/// agent-sandbox-init, beside this program or in the package's folder for such.
Result<std::string> FindInit();

}  // namespace asb
