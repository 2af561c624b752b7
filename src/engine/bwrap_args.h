// A plan as a command line of bubblewrap, complete and by itself: what the sandbox sees when this
// command is typed into a shell is what the plan says.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace asb {

struct BwrapCommand {
  std::vector<std::string> args;  ///< the first is bwrap itself
  /// Descriptors that must be open on an empty file, each of which becomes one hidden file.
  std::vector<int> empty_fds;
};

/// Passed variables have no value in a plan: in their place stands the name with a '$', which
/// BwrapShellLine leaves to the shell.
BwrapCommand BwrapArgs(const Plan& plan);

/// The command as a script for bash, quoted, one option a line.
std::string BwrapShellLine(const Plan& plan);

}  // namespace asb
