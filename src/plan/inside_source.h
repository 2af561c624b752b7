// The file system as the sandbox will have it, once every mount of a plan is made. A path resolved
// here goes where the kernel goes inside: through the links that are there, and no further than to
// what is missing or refused.
#pragma once

#include <optional>

#include "plan/plan.h"
#include "plan/resolve.h"

namespace asb {

class InsideSource : public FileSource {
 public:
  /// Asks `host` about what the plan shows of it, and about nothing else.
  InsideSource(const Plan& plan, FileSource& host) : plan_(plan), host_(host) {}

  /// The mount that makes what is at `path`: the deepest one at or above it. None: the empty root.
  [[nodiscard]] const MountStep* StepOver(const AbsolutePath& path) const;

  /// Whether a mount lies strictly below `path`, so that its folders were made.
  [[nodiscard]] bool HasStepBelow(const AbsolutePath& path) const;

  /// kMissing is ENOENT, kUnreadable EACCES.
  FileFact Look(const AbsolutePath& path) override;
  /// A path is followed here, never a pattern: nothing is listed.
  Result<Listing> List(const AbsolutePath&) override {
    return Listing{{}, "is inside the sandbox"};
  }

  std::string FirstLine(const AbsolutePath&, std::string_view) override { return {}; }

  /// Where a walk came to its end before its path did: the last place that was missing or refused.
  struct Stop {
    AbsolutePath at;
    FileKind kind = FileKind::kMissing;
  };
  [[nodiscard]] const std::optional<Stop>& stop() const { return stop_; }

 private:
  FileFact LookOnce(const AbsolutePath& path);

  const Plan& plan_;
  FileSource& host_;
  std::optional<Stop> stop_;
};

}  // namespace asb
