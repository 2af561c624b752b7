// What bubblewrap is asked for: by a run, whose view is mounted already, and by a person who types
// the whole plan into a shell.
#pragma once

#include <string>

#include "engine/order.h"
#include "plan/plan.h"

namespace asb {

/// For a run: NUL-separated, for --args. Few binds: bubblewrap reads the mount table for each of
/// them.
std::string BwrapArguments(const Order& order, unsigned uid);

/// The whole plan, complete and by itself: what the sandbox sees when this is typed is what the
/// plan says. The command as a script for bash, quoted, one option a line.
std::string BwrapShellLine(const Plan& plan);

}  // namespace asb
