// What it means when a host refuses a wall: the one place that knows which answers of the kernel,
// with which settings, stand for which cause. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/causes.h"
#include "plan/hints.h"

namespace asb {

/// Why `step` was answered with `error`.
Cause CauseOfRefusal(TrialStep step, int error, const HostHints& hints);

/// Why bubblewrap gave up, by its own words; nothing when they are not known.
std::optional<Cause> CauseOfComplaint(std::string_view complaint, const HostHints& hints);

/// "it said: bwrap: …", the last line of a complaint.
std::string Said(std::string_view complaint);

/// "user.max_user_namespaces = 96360, …": those that this kernel has.
std::string UsernsSettings(const HostHints& hints);

}  // namespace asb
