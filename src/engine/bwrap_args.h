// A plan as a command line of bubblewrap, complete and by itself: what the sandbox sees when this
// command is typed into a shell is what the plan says.
#pragma once

#include <string>

#include "plan/plan.h"

namespace asb {

/// The command as a script for bash, quoted, one option a line.
std::string BwrapShellLine(const Plan& plan);

}  // namespace asb
