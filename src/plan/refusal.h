// What it means when a host refuses a wall: the one place that knows which answers of the kernel,
// with which settings, stand for which cause. Pure.
#pragma once

#include <string>

#include "plan/causes.h"
#include "plan/hints.h"

namespace asb {

/// Why `step` was answered with `error`.
Cause CauseOfRefusal(TrialStep step, int error, const HostHints& hints);

/// "user.max_user_namespaces = 96360, …": those that this kernel has.
std::string UsernsSettings(const HostHints& hints);

}  // namespace asb
