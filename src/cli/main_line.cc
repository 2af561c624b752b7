// The program as one line: argv → invocation → the command's own file.
#include <span>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "plan/causes.h"
#include "sys/descriptors.h"

namespace asb {

int Main(int argc, const char* const* argv) {
  // Before anything is opened: a file of ours must not become the command's output.
  if (const auto filled = FillStandardStreams(); !filled) return Report(filled.error());
  const auto count = argc > 0 ? static_cast<std::size_t>(argc) - 1 : 0;
  const ParsedInvocation parsed = ParseInvocation(std::span(argv + 1, count));
  const Invocation& invocation = parsed.invocation;
  if (invocation.help) {
    PrintOut(invocation.command_named ? CommandHelp(invocation.command) : OverviewHelp());
    return kExitOk;
  }
  if (!parsed.diagnostics.empty()) {
    PrintError(RenderDiagnostics(parsed.diagnostics));
    return kExitUsage;
  }
  if (invocation.version) {
    PrintOut(VersionText());
    return kExitOk;
  }
  switch (invocation.command) {
    case CommandId::kRun:
    case CommandId::kShell:
      return RunCommand(invocation);
    case CommandId::kPlan:
      return PlanCommand(invocation);
    case CommandId::kExplain:
      return ExplainCommand(invocation);
    case CommandId::kValidate:
      return ValidateCommand(invocation);
    case CommandId::kDoctor:
      return DoctorCommand(invocation);
    case CommandId::kGc:
      return GcCommand(invocation);
  }
  return kExitUsage;
}

}  // namespace asb
