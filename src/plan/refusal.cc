#include "plan/refusal.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace asb {
namespace {

constexpr std::size_t kMostComplaint = 200;  // of what bubblewrap said, in a line for people

Cause UsernsDisabled(const HostHints& hints) {
  if (hints.max_user_namespaces == "0") {
    return {CauseId::kUsernsDisabled, "user.max_user_namespaces = 0"};
  }
  if (hints.unprivileged_userns_clone == "0") {
    return {CauseId::kUsernsDisabled, "kernel.unprivileged_userns_clone = 0"};
  }
  return {
      CauseId::kUsernsDisabled,
      "a limit above this process: user.max_user_namespaces of what it runs in, perhaps another "
      "sandbox"};
}

Cause AppArmor(const HostHints& hints) {
  if (hints.apparmor_restricts.empty()) {
    return {CauseId::kAppArmorUserns,
            "by its answer EACCES; another security module would say so, too"};
  }
  return {CauseId::kAppArmorUserns, fmt::format("kernel.apparmor_restrict_unprivileged_userns = {}",
                                                hints.apparmor_restricts)};
}

Cause UserRefused(int error, const HostHints& hints) {
  switch (error) {
    case ENOSPC:
    case EUSERS:
      return UsernsDisabled(hints);
    case EINVAL:
    case ENOSYS:
      return {CauseId::kUsernsDisabled, "this kernel is built without them"};
    default:
      // Debian's own setting answers EPERM, as filters do.
      if (hints.unprivileged_userns_clone == "0") return UsernsDisabled(hints);
      if (hints.apparmor_restricts == "1") return AppArmor(hints);
      return {CauseId::kCloneDenied, std::strerror(error)};
  }
}

Cause ProcRefused(int error) {
  if (error == ENOENT) return {CauseId::kNoProc, ""};
  return {CauseId::kProcSysReadOnly, std::strerror(error)};
}

/// Security modules say EACCES; filters and the kernel itself say EPERM.
Cause MountRefused(int error, const HostHints& hints) {
  if (error == ENODEV) return {CauseId::kNoDevices, "/dev/null"};
  if (error == ENOENT) return {CauseId::kNoTmp, ""};
  if (error == EACCES || hints.apparmor_restricts == "1") return AppArmor(hints);
  if (error != ENOSYS) return {CauseId::kMountNamespaceDenied, std::strerror(error)};
  if (IsOlder(hints.kernel, "5.12")) {
    return {CauseId::kKernelTooOld, fmt::format("this is Linux {}", hints.kernel)};
  }
  return {CauseId::kMountNamespaceDenied,
          fmt::format("Linux {} has the call, so a filter hides it", hints.kernel)};
}

/// The last line of what bubblewrap printed is what made it give up.
std::string LastLine(std::string_view complaint) {
  while (complaint.ends_with('\n')) complaint.remove_suffix(1);
  const std::size_t start = complaint.rfind('\n');
  if (start != std::string_view::npos) complaint.remove_prefix(start + 1);
  return std::string(complaint.substr(0, kMostComplaint));
}

/// What bubblewrap's own words stand for. The first row that fits decides.
struct Complaint {
  std::string_view words;
  CauseId cause;
};
constexpr std::array<Complaint, 13> kComplaints{{
    {"Unknown option", CauseId::kVersionTooOld},
    {"/proc/self/fd/", CauseId::kInitBroken},
    {"Can't mount proc", CauseId::kProcMasked},
    {"Cannot allocate memory", CauseId::kNoMemory},
    {"Too many open files", CauseId::kLimits},
    {"Resource temporarily unavailable", CauseId::kLimits},
    {"uid map: Permission denied", CauseId::kAppArmorUserns},
    {"max_*_namespaces exceeded", CauseId::kUsernsDisabled},
    {"No space left on device", CauseId::kLimits},
    {"new namespace", CauseId::kCloneDenied},
    {"error while loading shared libraries", CauseId::kBinaryBroken},
    {"Failed to make / slave", CauseId::kMountNamespaceDenied},
    {"Can't bind mount", CauseId::kMountNamespaceDenied},
}};

}  // namespace

Cause CauseOfRefusal(TrialStep step, int error, const HostHints& hints) {
  switch (step) {
    case TrialStep::kUserNamespace:
      return UserRefused(error, hints);
    case TrialStep::kIdentity:
      // A user namespace whose maker may not map himself into it: AppArmor's way since 2024.
      if (error == EPERM || error == EACCES) return AppArmor(hints);
      return ProcRefused(error);
    case TrialStep::kLimit:
      return ProcRefused(error);
    case TrialStep::kMountNamespace:
    case TrialStep::kMount:
      return MountRefused(error, hints);
    case TrialStep::kTerminals:
      return {CauseId::kNoTerminals, std::strerror(error)};
    case TrialStep::kNetwork:
      if (error == EACCES || hints.apparmor_restricts == "1") return AppArmor(hints);
      return {CauseId::kNetworkNamespaceDenied, std::strerror(error)};
    case TrialStep::kProcesses:
      return {CauseId::kPidNamespaceDenied, std::strerror(error)};
    case TrialStep::kProc:
      return {CauseId::kProcMasked, std::strerror(error)};
  }
  return {};
}

std::optional<Cause> CauseOfComplaint(std::string_view complaint, const HostHints& hints) {
  for (const Complaint& row : kComplaints) {
    if (complaint.find(row.words) == std::string_view::npos) continue;
    if (row.cause == CauseId::kCloneDenied) {
      return CauseOfRefusal(TrialStep::kUserNamespace, EPERM, hints);
    }
    return Cause{row.cause, Said(complaint)};
  }
  return std::nullopt;
}

std::string Said(std::string_view complaint) {
  if (complaint.empty()) return "it said nothing";
  return fmt::format("it said: {}", LastLine(complaint));
}

std::string UsernsSettings(const HostHints& hints) {
  std::vector<std::string> out;
  const auto add = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out.push_back(fmt::format("{} = {}", name, value));
  };
  add("user.max_user_namespaces", hints.max_user_namespaces);
  add("kernel.unprivileged_userns_clone", hints.unprivileged_userns_clone);
  add("kernel.apparmor_restrict_unprivileged_userns", hints.apparmor_restricts);
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace asb
