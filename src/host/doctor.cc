#include "host/doctor.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <initializer_list>

#include "base/text.h"
#include "host/hints.h"
#include "host/init_check.h"
#include "host/tools.h"
#include "host/trial.h"
#include "plan/causes.h"
#include "plan/refusal.h"
#include "sys/files.h"
#include "sys/trial.h"

namespace asb {
namespace {

constexpr int kMostBubblewrapTime = 2000;  // ms

/// A wall that consists of these steps; the first that is refused says why.
Check Tried(CheckId id, const HostHints& hints, std::initializer_list<TrialStep> steps) {
  for (const TrialStep step : steps) {
    const int answer = hints.Tried(step);
    if (answer == kNotTried) return CheckNone(id, "not tried: something above is missing");
    if (answer != 0) return CheckMissing(id, CauseOfRefusal(step, answer, hints));
  }
  return CheckOk(id);
}

Check CheckKernel(const HostHints& hints) {
  if (hints.Tried(TrialStep::kMount) == ENOSYS) {
    return CheckMissing(CheckId::kKernel, CauseOfRefusal(TrialStep::kMount, ENOSYS, hints));
  }
  return CheckOk(CheckId::kKernel, fmt::format("Linux {}", hints.kernel));
}

Check CheckProc(const HostHints& hints) {
  if (!hints.proc) return CheckMissing(CheckId::kProc, Cause{CauseId::kNoProc, ""});
  if (!hints.Refused(TrialStep::kLimit)) return CheckOk(CheckId::kProc);
  return Tried(CheckId::kProc, hints, {TrialStep::kLimit});
}

/// bubblewrap itself, with the host's own files and a trivial command: its own version.
Check CheckBubblewrap(const EngineFacts& engine, const HostHints& hints) {
  constexpr CheckId kId = CheckId::kBubblewrap;
  if (engine.path.empty()) {
    return engine.unsafe_path.empty()
               ? CheckMissing(kId, Cause{CauseId::kNotInstalled, ""})
               : CheckMissing(kId, Cause{CauseId::kOnlyInWritablePlace, engine.unsafe_path});
  }
  if (!hints.engine_problem.empty()) {
    return CheckMissing(kId, Cause{CauseId::kBinaryBroken, hints.engine_problem});
  }
  if (hints.engine_version.empty()) return CheckNone(kId, engine.path + ", not tried");
  const std::string found = fmt::format("{} {}", engine.path, hints.engine_version);
  if (IsOlder(hints.engine_version, kOldestBubblewrap)) {
    return CheckMissing(kId, Cause{CauseId::kVersionTooOld, found});
  }
  if (hints.Tried(TrialStep::kProc) != 0) return CheckNone(kId, found + ", not tried inside");
  const auto end =
      RunBriefly(engine.path,
                 {"bwrap", "--die-with-parent", "--as-pid-1", "--unshare-user", "--unshare-pid",
                  "--unshare-ipc", "--unshare-uts", "--unshare-cgroup", "--cap-drop", "ALL",
                  "--ro-bind", "/", "/", "--proc", "/proc", engine.path, "--version"},
                 kMostBubblewrapTime);
  if (!end) return CheckMissing(kId, Cause{CauseId::kUnknown, end.error().what});
  const std::string problem = ProblemOf(*end);
  if (problem.empty()) return CheckOk(kId, found);
  return CheckMissing(
      kId, CauseOfComplaint(end->output, hints).value_or(Cause{CauseId::kBinaryBroken, problem}));
}

Check CheckInit(const std::string& version) {
  const Result<std::string> path = FindInit();
  if (!path) return CheckMissing(CheckId::kInit, path.error());
  if (const Result<void> answer = AskInit(*path, version); !answer) {
    return CheckMissing(CheckId::kInit, answer.error());
  }
  return CheckOk(CheckId::kInit, fmt::format("{} {}", *path, version));
}

Check CheckLandlock(const HostFacts& facts) {
  if (facts.landlock_abi > 0) {
    return CheckOk(CheckId::kLandlock, fmt::format("ABI {}", facts.landlock_abi));
  }
  return CheckMissing(CheckId::kLandlock, "the kernel has none, or it is not switched on",
                      "start the kernel with lsm=landlock in front of its other modules");
}

Check CheckSeccomp() {
  if (OffersFilters()) return CheckOk(CheckId::kSeccomp);
  return CheckMissing(CheckId::kSeccomp, "the kernel takes no system call filter",
                      "use a kernel with CONFIG_SECCOMP_FILTER");
}

/// A cgroup of version 2 in which this user may make others.
Check CheckCgroup() {
  constexpr std::string_view kFix =
      "start it in a unit that may: systemd-run --user --scope -p Delegate=yes agent-sandbox …";
  const auto own = ReadRegularFile("/proc/self/cgroup", 65536);
  const std::size_t row = own ? ("\n" + *own).find("\n0::") : std::string::npos;
  if (row == std::string::npos) {
    return CheckMissing(CheckId::kCgroup, "this process is in no cgroup of version 2",
                        std::string(kFix));
  }
  const std::string group = own->substr(row + 3, own->find('\n', row) - row - 3);
  for (const std::string_view root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    const std::string folder = fmt::format("{}{}", root, group);
    const auto controllers = ReadRegularFile(folder + "/cgroup.controllers", 4096);
    if (!controllers) continue;
    if (!MayWrite(folder) || !MayWrite(folder + "/cgroup.procs")) {
      return CheckMissing(CheckId::kCgroup,
                          fmt::format("'{}' may not be written", Printable(folder)),
                          std::string(kFix));
    }
    if (controllers->find("memory") == std::string::npos ||
        controllers->find("cpu") == std::string::npos) {
      return CheckMissing(
          CheckId::kCgroup,
          fmt::format("'{}' has no controller for memory and cpu", Printable(folder)),
          std::string(kFix));
    }
    return CheckOk(CheckId::kCgroup, folder);
  }
  return CheckMissing(CheckId::kCgroup, "no cgroup of version 2 is mounted", std::string(kFix));
}

Check CheckStateFolder(const HostFacts& facts) {
  const std::string shown = Printable(facts.state_folder);
  const auto status = LookAt(facts.state_folder);
  if (!status) return CheckNone(CheckId::kState, fmt::format("{}: not there", shown));
  if (S_ISDIR(status->mode) && MayWrite(facts.state_folder)) return CheckOk(CheckId::kState, shown);
  return CheckNone(CheckId::kState, fmt::format("{}: not writable", shown));
}

}  // namespace

std::vector<Check> CheckHost(const HostFacts& facts, const std::string& version) {
  const EngineFacts engine = facts.engines.empty() ? EngineFacts{} : facts.engines.front();
  const HostHints hints = GatherHints(engine.path);
  return {CheckKernel(hints),
          CheckProc(hints),
          Tried(CheckId::kUserNamespace, hints, {TrialStep::kUserNamespace, TrialStep::kIdentity}),
          Tried(CheckId::kMountNamespace, hints, {TrialStep::kMountNamespace, TrialStep::kMount}),
          Tried(CheckId::kNetworkNamespace, hints, {TrialStep::kNetwork}),
          Tried(CheckId::kPidNamespace, hints, {TrialStep::kProcesses, TrialStep::kProc}),
          Tried(CheckId::kTerminal, hints, {TrialStep::kTerminals}),
          CheckBubblewrap(engine, hints),
          CheckInit(version),
          CheckLandlock(facts),
          CheckSeccomp(),
          CheckCgroup(),
          CheckStateFolder(facts)};
}

}  // namespace asb
