#include "engine/failure.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/view.h"
#include "plan/plan.h"
#include "plan/refusal.h"

namespace asb {
namespace {

bool Has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

std::optional<Cause> Shortage(const LaunchFailure& failure) {
  const Phase phase = failure.phase;
  const bool disk = failure.sys_errno == ENOSPC || failure.sys_errno == EDQUOT;
  if (disk && Has(failure.step, kInKeptHome)) return Cause{CauseId::kDiskFull, failure.step};
  switch (failure.sys_errno) {
    case ENOMEM:
      return Cause{CauseId::kNoMemory, ""};
    case EMFILE:
      return Cause{CauseId::kLimits, "open files of this process: ulimit -n"};
    case ENFILE:
      return Cause{CauseId::kLimits, "open files of the host: sysctl fs.file-max"};
    case EAGAIN:
      return Cause{CauseId::kLimits, "processes of this user: ulimit -u"};
    case ENOSPC:
      if (phase == Phase::kNamespaces) return std::nullopt;  // a limit of another kind
      if (phase == Phase::kInit) {
        return Cause{CauseId::kLimits, "terminals of the host: sysctl kernel.pty.max"};
      }
      return Cause{CauseId::kLimits, "mounts of a namespace: sysctl fs.mount-max"};
    case ETOOMANYREFS:
      return Cause{CauseId::kLimits, "descriptors of this user on their way through sockets"};
    default:
      return std::nullopt;
  }
}

constexpr std::array<std::string_view, 9> kPhaseNames{
    "none", "namespaces", "identity", "mounts", "view", "network", "engine", "init", "warden"};
static_assert(kPhaseNames.size() == static_cast<std::size_t>(Phase::kWarden) + 1);
constexpr std::array<std::string_view, kTrialSteps> kStepNames{
    "user namespace", "identity",  "limit", "mount namespace", "mount", "terminals",
    "network",        "processes", "proc"};

/// Everything that is known, for a report.
Cause Unknown(const LaunchFailure& failure, const HostHints& hints) {
  std::string detail =
      fmt::format("phase {}, errno {}", kPhaseNames[static_cast<std::size_t>(failure.phase)],
                  failure.sys_errno);
  detail += fmt::format("; Linux {}; bubblewrap {}", hints.kernel,
                        hints.engine_version.empty() ? "unknown" : hints.engine_version);
  if (const std::string settings = UsernsSettings(hints); !settings.empty()) {
    detail += "; " + settings;
  }
  std::vector<std::string> refused;
  for (std::size_t i = 0; i < hints.trial.size(); ++i) {
    if (hints.trial[i] > 0) refused.push_back(fmt::format("{} {}", kStepNames[i], hints.trial[i]));
  }
  if (!refused.empty()) detail += fmt::format("; refused: {}", fmt::join(refused, ", "));
  if (failure.phase == Phase::kEngine) detail += "; " + Said(failure.complaint);
  return {CauseId::kUnknown, detail};
}

/// Several namespaces are asked for at once; each tried by itself says which one it is.
Cause OfNamespaces(const LaunchFailure& failure, const HostHints& hints) {
  if (hints.Tried(TrialStep::kUserNamespace) == 0) {
    for (const TrialStep step :
         {TrialStep::kMountNamespace, TrialStep::kNetwork, TrialStep::kProcesses}) {
      if (hints.Refused(step)) return CauseOfRefusal(step, hints.Tried(step), hints);
    }
  }
  return CauseOfRefusal(TrialStep::kUserNamespace, failure.sys_errno, hints);
}

/// Mapping the user, and then the limit in /proc/sys, which a container may forbid by itself.
Cause OfIdentity(const LaunchFailure& failure, const HostHints& hints) {
  const bool only_limit =
      hints.Tried(TrialStep::kIdentity) == 0 && hints.Refused(TrialStep::kLimit);
  return CauseOfRefusal(only_limit ? TrialStep::kLimit : TrialStep::kIdentity, failure.sys_errno,
                        hints);
}

Cause OfView(const LaunchFailure& failure, const HostHints& hints) {
  if (failure.sys_errno == ENOSYS) return CauseOfRefusal(TrialStep::kMount, ENOSYS, hints);
  for (const TrialStep step : {TrialStep::kMountNamespace, TrialStep::kMount}) {
    if (hints.Refused(step)) return CauseOfRefusal(step, hints.Tried(step), hints);
  }
  if (hints.Refused(TrialStep::kTerminals)) return {CauseId::kNoTerminals, failure.step};
  if (failure.step.starts_with(WordFor(MountKind::kDevices))) {
    return {CauseId::kNoDevices, failure.step};
  }
  if (failure.step.starts_with("opening /tmp")) return {CauseId::kNoTmp, failure.step};
  switch (failure.sys_errno) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ESTALE:
      return {CauseId::kPathChanged, failure.step};
    case EACCES:
      return {CauseId::kPathDenied, failure.step};
    default:
      return Unknown(failure, hints);
  }
}

Cause OfEngine(const LaunchFailure& failure, const HostHints& hints) {
  if (failure.sys_errno == ETIMEDOUT) {
    return hints.engine_problem.empty() ? Cause{CauseId::kTooSlow, failure.step}
                                        : Cause{CauseId::kBinaryBroken, hints.engine_problem};
  }
  if (failure.sys_errno != 0) return {CauseId::kBinaryBroken, failure.step};
  if (!hints.engine_problem.empty()) return {CauseId::kBinaryBroken, hints.engine_problem};
  if (!hints.engine_version.empty() && IsOlder(hints.engine_version, kOldestBubblewrap)) {
    return {CauseId::kVersionTooOld, fmt::format("this is {}", hints.engine_version)};
  }
  if (auto cause = CauseOfComplaint(failure.complaint, hints)) return *cause;
  if (hints.Refused(TrialStep::kProc)) {
    return CauseOfRefusal(TrialStep::kProc, hints.Tried(TrialStep::kProc), hints);
  }
  // bubblewrap works, says nothing, and no message came from inside.
  if (failure.complaint.empty()) {
    return {CauseId::kInitBroken, "it ended, or was ended, without a word"};
  }
  return Unknown(failure, hints);
}

Cause OfInit(const LaunchFailure& failure, const HostHints& hints) {
  if (failure.sys_errno == EPROTO) return {CauseId::kInitMismatch, failure.step};
  if (Has(failure.step, "agent-sandbox-init")) return {CauseId::kInitMissing, failure.step};
  if (failure.step.starts_with("entering the workspace")) {
    const bool denied = failure.sys_errno == EACCES;
    return {denied ? CauseId::kPathDenied : CauseId::kPathChanged, failure.step};
  }
  return Unknown(failure, hints);
}

/// Watches have limits of their own, with the errors of others.
bool LacksWatches(const LaunchFailure& failure) {
  if (failure.phase != Phase::kWarden) return false;
  if (failure.step.starts_with("starting to watch")) return failure.sys_errno == EMFILE;
  return failure.step.starts_with("watching") && failure.sys_errno == ENOSPC;
}

}  // namespace

Cause CauseOf(const LaunchFailure& failure, const HostHints& hints) {
  if (!hints.proc) return {CauseId::kNoProc, ""};
  if (LacksWatches(failure)) return {CauseId::kNoWatches, failure.step};
  if (auto shortage = Shortage(failure)) return *shortage;
  switch (failure.phase) {
    case Phase::kNone:
      if (Has(failure.step, "agent-sandbox-init")) return {CauseId::kInitMissing, failure.step};
      break;
    case Phase::kNamespaces:
      return OfNamespaces(failure, hints);
    case Phase::kIdentity:
      return OfIdentity(failure, hints);
    case Phase::kMounts:
    case Phase::kView:
      return OfView(failure, hints);
    case Phase::kNetwork:
      return CauseOfRefusal(TrialStep::kNetwork, failure.sys_errno, hints);
    case Phase::kEngine:
      return OfEngine(failure, hints);
    case Phase::kInit:
      return OfInit(failure, hints);
    case Phase::kWarden:
      break;
  }
  return Unknown(failure, hints);
}

Error DescribeFailure(const LaunchFailure& failure, const HostHints& hints) {
  return NotBuilt(failure.step, CauseOf(failure, hints), failure.sys_errno);
}

Error DescribeFailure(const Error& error, const HostHints& hints) {
  if (!error.hint.empty()) return error;
  return DescribeFailure(LaunchFailure{Phase::kNone, error.sys_errno, error.what, ""}, hints);
}

}  // namespace asb
