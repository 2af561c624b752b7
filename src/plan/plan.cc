#include "plan/plan.h"

namespace asb {

std::string_view WordFor(Access access) {
  switch (access) {
    case Access::kAbsent:
      return "absent";
    case Access::kHidden:
      return "hidden";
    case Access::kRead:
      return "read-only";
    case Access::kWrite:
      return "read-write";
    case Access::kPrivate:
      return "private";
    case Access::kKept:
      return "kept";
    case Access::kProc:
      return "proc";
    case Access::kDevices:
      return "devices";
    case Access::kMade:
      return "made";
  }
  return "?";
}

std::string_view WordFor(MountKind kind) {
  switch (kind) {
    case MountKind::kReadOnly:
      return "ro";
    case MountKind::kWritable:
      return "rw";
    case MountKind::kPin:
      return "pin";
    case MountKind::kPrivate:
      return "private";
    case MountKind::kKept:
      return "kept";
    case MountKind::kHiddenFile:
      return "hide-file";
    case MountKind::kHiddenFolder:
      return "hide-folder";
    case MountKind::kPassage:
      return "passage";
    case MountKind::kLink:
      return "link";
    case MountKind::kProc:
      return "proc";
    case MountKind::kDevices:
      return "devices";
    case MountKind::kMade:
      return "made";
  }
  return "?";
}

bool HasSource(MountKind kind) {
  return kind == MountKind::kReadOnly || kind == MountKind::kWritable || kind == MountKind::kPin ||
         kind == MountKind::kKept;
}

}  // namespace asb
