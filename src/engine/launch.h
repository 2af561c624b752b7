// From a plan to a process inside: the outer user, mount and network namespace, the view in it, and
// bubblewrap, which makes the inner namespaces and starts init.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/failure.h"
#include "plan/plan.h"
#include "sys/child.h"
#include "sys/fd.h"

namespace asb {

struct Launched {
  Child child;    ///< the launcher, which becomes bubblewrap
  Fd control;     ///< to the launcher, then to init; closing it ends the sandbox
  Fd complaints;  ///< what bubblewrap prints; the command's streams are not among it
};

/// Starts the launcher, which builds what every sandbox needs and then waits for its orders; fails
/// when not even the namespaces can be made. What becomes of it arrives on the control socket
/// (wire/message.h): kFailed from the launcher, or what init says. Nothing there and the child
/// gone: bubblewrap failed.
tl::expected<Launched, LaunchFailure> StartLauncher(Network network, const std::string& init_path);

/// Lets it go on: the view, bubblewrap, init.
Result<void> OrderView(const Launched& launched, const Plan& plan);

}  // namespace asb
