// run and shell. This version compiles the plan and stops there: no engine is built in yet, and a
// command is never started without its walls.
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"

namespace asb {

int RunCommand(const Invocation& invocation) {
  const auto prepared = Prepare(invocation);
  if (!prepared) return Report(prepared.error());
  if (prepared->command.empty()) {
    return Report(Error{ErrorKind::kUsage, 0, "no command to run, and no policy names one",
                        "agent-sandbox CMD…, or agent-sandbox --help"});
  }
  return Report(Error{ErrorKind::kHost, 0,
                      "walls not built: this version plans and does not run commands yet",
                      "agent-sandbox plan shows what would be asked of the kernel"});
}

}  // namespace asb
