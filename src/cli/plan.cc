// plan: everything that would be asked of the kernel, and nothing of it done.
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "engine/bwrap_args.h"
#include "plan/facts_json.h"
#include "plan/print.h"

namespace asb {

int PlanCommand(const Invocation& invocation) {
  // Kept until the process ends, which is next: taking a plan of ten thousand rules apart again
  // costs a tenth of making it.
  static const auto* const kKept = new Outcome<Prepared>(Prepare(invocation));
  const Outcome<Prepared>& prepared = *kKept;
  if (!prepared) return Report(prepared.error());
  if (invocation.print_facts) {
    PrintOut(FactsToJson(prepared->facts));
  } else if (invocation.json) {
    PrintOut(PlanToJson(prepared->plan));
  } else if (invocation.argv) {
    PrintOut(BwrapShellLine(prepared->plan));
  } else {
    PrintOut(PlanToText(prepared->plan));
  }
  return kExitOk;
}

}  // namespace asb
