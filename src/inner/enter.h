// The first program of a job that somebody else starts (a batch system, a remote shell): static, so
// that no variable of theirs loads code into it, and it lets none of them through.
#pragma once

namespace asb {

/// agent-sandbox-init enter FD DIGEST [CMD…]: checks that the policy on descriptor FD has DIGEST
/// and becomes agent-sandbox with just these bytes, no variable and no other descriptor. Returns
/// the exit code when that is not possible.
int Enter(int argc, char** argv);

}  // namespace asb
