// One run from its plan to its exit code: owns every child and descriptor, waits for all of them in
// one place, and leaves nothing behind.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"

namespace asb {

struct SessionRequest {
  std::string init_path;  ///< of agent-sandbox-init
  std::string version;    ///< that init must have
  Network network = Network::kNone;
};

/// Makes the plan, which must live as long as the session; nullptr when there is none, and then it
/// has said why.
using PlanMaker = std::function<const Plan*()>;

/// A protected path that was without its mount for a moment, because it was replaced outside.
struct Restored {
  AbsolutePath path;
  Guard guard = Guard::kHidden;
  std::uint32_t count = 0;
};

/// How the command ended, and what the person should be told about it.
struct SessionEnd {
  int code = 0;                    ///< 128 and the signal when a signal killed it
  int exec_errno = 0;              ///< not 0: the command could not be executed
  std::string remark;              ///< empty when there is nothing to say
  std::vector<Restored> restored;  ///< by path
};

/// Builds the walls, runs the command, waits. Half of the walls need no plan: they are built while
/// it is made. An error means that nothing was run; nothing, that there was no plan.
Result<std::optional<SessionEnd>> RunSession(const SessionRequest& request,
                                             const PlanMaker& make_plan);

}  // namespace asb
