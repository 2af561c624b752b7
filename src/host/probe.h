// The running machine → HostFacts. Looks at what a policy names and at nothing else: the walk that
// compiles the plan is the walk that looks.
#pragma once

#include "base/result.h"
#include "plan/facts.h"
#include "plan/resolve.h"

namespace asb {

/// The part that does not depend on a policy: user, folders, kernel, engines, variable names.
Result<HostFacts> ProbeMachine();

/// Looks at the host, each path once, and remembers what it saw in `facts`.
class LookingSource : public FileSource {
 public:
  explicit LookingSource(HostFacts& facts) : facts_(facts) {}
  FileFact Look(const AbsolutePath& path) override;
  Result<Listing> List(const AbsolutePath& folder) override;
  std::string FirstLine(const AbsolutePath& file, std::string_view start) override;

 private:
  HostFacts& facts_;
};

}  // namespace asb
