// Why a host cannot run a plan: THE table of causes, each with a stable name, one sentence and one
// fix. The planner's blockers, a failed launch, doctor and the documents use these words and no
// others. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace asb {

enum class CauseId : std::uint8_t {
  // bubblewrap
  kNotInstalled,
  kOnlyInWritablePlace,
  kVersionTooOld,
  kBinaryBroken,
  // the kernel and its settings
  kKernelTooOld,
  kUsernsDisabled,
  kAppArmorUserns,
  kCloneDenied,
  kMountNamespaceDenied,
  kNetworkNamespaceDenied,
  kPidNamespaceDenied,
  kNoTerminals,
  kNoDevices,
  kNoTmp,
  kNoProc,
  kProcSysReadOnly,
  kProcMasked,
  // this run
  kStreamIsPlace,
  kPathChanged,
  kPathDenied,
  kNoMemory,
  kLimits,
  kState,
  kDiskFull,
  kNoWatches,
  kTooSlow,
  // agent-sandbox-init
  kInitMissing,
  kInitWritable,
  kInitBroken,
  kInitMismatch,

  kUnknown,
};

struct CauseSpec {
  CauseId id;
  std::string_view name;      ///< stable: scripts look for it, the documents have it as a heading
  std::string_view sentence;  ///< no full stop
  std::string_view fix;       ///< one command or one line
};

std::span<const CauseSpec> AllCauses();
const CauseSpec& SpecOf(CauseId id);

/// A cause and what is known of it here: a setting, a path, what a program said.
struct Cause {
  CauseId id = CauseId::kUnknown;
  std::string detail;
};

/// "userns-disabled: this host allows no user namespaces (user.max_user_namespaces = 0)"
std::string CauseLine(const Cause& cause);

/// The error that ends a run before it began: "walls not built: WHAT", cause and fix.
Error NotBuilt(std::string_view what, const Cause& cause, int sys_errno = 0);

/// Which cause a setting stands for that forbids user namespaces, as HostFacts names it.
CauseId CauseOfSetting(std::string_view setting);

}  // namespace asb
