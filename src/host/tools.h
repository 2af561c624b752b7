// The programs that a run starts on the host: found where only those who could change this program
// itself can write, never by PATH.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace asb {

/// agent-sandbox-init: beside this program, or, when this program is in a folder called bin, in
/// ../libexec/agent-sandbox. Never one or the other: a run that may write the folders around an
/// installation could create the one that is looked for first.
Result<std::string> FindInit();

/// This program and agent-sandbox-init, free of links, as far as they are there.
std::vector<std::string> OwnPrograms();

}  // namespace asb
