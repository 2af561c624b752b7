// The decided view → the mounts that make it, folders before what is in them.
//
// What is already so because of a mount above gets no step of its own. Nothing is ever planned that
// would create a name on the host.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "plan/plan.h"
#include "plan/rules.h"

namespace asb {

struct MountPlan {
  std::vector<MountStep> steps;
  std::vector<LeftOut> left_out;
  std::vector<AbsolutePath> live_masks;  ///< hidden or read-only inside a live folder of the host
  std::vector<AbsolutePath> late_hides;  ///< to hide, missing now, in a folder that is shown
  std::vector<Guarded> guarded;          ///< by path: live masks, their pins, late hides
};

MountPlan PlanMounts(const RuleSet& set, const std::vector<ViewEntry>& entries,
                     Diagnostics& diagnostics);

}  // namespace asb
