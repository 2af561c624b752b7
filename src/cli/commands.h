// One function a command; each in a file of its own. All return an exit code.
#pragma once

#include "cli/invocation.h"

namespace asb {

int RunCommand(const Invocation& invocation);  ///< run and shell
int PlanCommand(const Invocation& invocation);
int ExplainCommand(const Invocation& invocation);
int ValidateCommand(const Invocation& invocation);
int DoctorCommand(const Invocation& invocation);
int GcCommand(const Invocation& invocation);

/// The whole program.
int Main(int argc, const char* const* argv);

}  // namespace asb
