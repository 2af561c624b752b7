// From an invocation to a policy and a plan: the first half of the straight line, shared by every
// command that needs it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "plan/compile.h"
#include "plan/facts.h"
#include "policy/parse.h"
#include "policy/policy.h"

namespace asb {

/// What went wrong, ready to be shown: exactly one of the two is set.
struct Failure {
  std::optional<Error> error;
  Diagnostics diagnostics;
};
template <typename T>
using Outcome = tl::expected<T, Failure>;

struct LoadedFile {
  std::string place;                   ///< where the policy is, or would be, as shown to people
  std::string path;                    ///< of the file that was read, absolute; empty: none was
  std::optional<ParsedPolicy> parsed;  ///< nothing: there is no such file
};

/// The user's policy file as the options choose it.
Outcome<LoadedFile> LoadFile(const Invocation& invocation, const HostFacts& facts);

/// The facts of this machine, or of the described one.
Outcome<HostFacts> LoadFacts(const Invocation& invocation);

/// Builtin, file, profile and command line merged, lowest layer first. Pure.
Outcome<Layer> AssembleLayers(const Invocation& invocation, LoadedFile file,
                              const HostFacts& facts);

/// The program and its arguments. Words behind "--" of a named run or plan belong to the command
/// that the policy names; otherwise words replace it. Pure.
std::vector<std::string> ChooseCommand(const Invocation& invocation, const Policy& policy,
                                       const HostFacts& facts);

struct Prepared {
  HostFacts facts;
  Layer merged;  ///< every setting of all layers; complete
  Policy policy;
  std::vector<std::string> command;
  Plan plan;
};

/// Everything up to the policy and the command; no file that it names is looked at.
Outcome<Prepared> PreparePolicy(const Invocation& invocation);

/// The rest: the plan. What went wrong, or nothing.
std::optional<Failure> PreparePlan(const Invocation& invocation, Prepared& prepared);

/// All the way to the plan.
Outcome<Prepared> Prepare(const Invocation& invocation);

/// Shows a failure on standard error and gives its exit code.
int Report(const Failure& failure);
int Report(const Error& error);

void PrintOut(std::string_view text);
void PrintError(std::string_view text);

}  // namespace asb
