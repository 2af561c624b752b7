// validate: is the policy file right? Looks at the file alone, so that a team's policy can be
// checked on any machine.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"

namespace asb {

int ValidateCommand(const Invocation& invocation) {
  const auto facts = LoadFacts(invocation);
  if (!facts) return Report(facts.error());
  const auto file = LoadFile(invocation, *facts);
  if (!file) return Report(file.error());
  if (!file->parsed) {
    PrintOut(
        fmt::format("{}: nothing to check, the builtin settings hold\n", Printable(file->place)));
    return kExitOk;
  }
  if (!file->parsed->diagnostics.empty()) {
    return Report(Failure{std::nullopt, file->parsed->diagnostics});
  }
  PrintOut(fmt::format("{}: ok, {}\n", Printable(file->place),
                       Count(file->parsed->file.profiles.size(), "profile")));
  return kExitOk;
}

}  // namespace asb
