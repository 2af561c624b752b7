#include "plan/inside_source.h"

#include <algorithm>

namespace asb {
namespace {

/// The first mount whose target sorts behind `path`.
std::vector<MountStep>::const_iterator StepsBehind(const Plan& plan, const AbsolutePath& path) {
  return std::upper_bound(
      plan.mounts.begin(), plan.mounts.end(), path,
      [](const AbsolutePath& wanted, const MountStep& step) { return wanted < step.target; });
}

}  // namespace

const MountStep* InsideSource::StepOver(const AbsolutePath& path) const {
  for (AbsolutePath at = path;; at = at.Parent()) {
    const auto behind = StepsBehind(plan_, at);
    if (behind != plan_.mounts.begin() && std::prev(behind)->target == at)
      return &*std::prev(behind);
    if (at.IsRoot()) return nullptr;
  }
}

bool InsideSource::HasStepBelow(const AbsolutePath& path) const {
  const auto behind = StepsBehind(plan_, path);
  return behind != plan_.mounts.end() && behind->target.IsWithin(path);
}

FileFact InsideSource::Look(const AbsolutePath& path) {
  FileFact fact = LookOnce(path);
  if (fact.kind == FileKind::kMissing || fact.kind == FileKind::kUnreadable) {
    stop_ = Stop{path, fact.kind};
  }
  return fact;
}

FileFact InsideSource::LookOnce(const AbsolutePath& path) {
  const MountStep* step = StepOver(path);
  switch (step == nullptr ? MountKind::kPassage : step->kind) {
    case MountKind::kReadOnly:
    case MountKind::kWritable:
    case MountKind::kPin:
      return host_.Look(path.Moved(step->target, step->source));
    case MountKind::kHiddenFile:
    case MountKind::kHiddenFolder:
      return {FileKind::kUnreadable, ""};
    case MountKind::kLink:
      return {FileKind::kLink, step->link_target};
    case MountKind::kMade:
      return {FileKind::kFile, ""};
    case MountKind::kProc:
    case MountKind::kDevices:
      return {FileKind::kKernel, ""};
    case MountKind::kPrivate:
    case MountKind::kKept:  // what earlier runs left in it is theirs
    case MountKind::kPassage:
      break;
  }
  // A folder of the sandbox's own holds what is mounted in it and the folders on the way there.
  const bool made = (step != nullptr && step->target == path) || HasStepBelow(path);
  return {made ? FileKind::kFolder : FileKind::kMissing, ""};
}

}  // namespace asb
