// What doctor says about a host: the table of checks, and how their results are printed. Pure; the
// trying is host/doctor's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/causes.h"
#include "plan/plan.h"

namespace asb {

enum class CheckId : std::uint8_t {
  kKernel,
  kProc,
  kUserNamespace,
  kMountNamespace,
  kNetworkNamespace,
  kPidNamespace,
  kTerminal,
  kBubblewrap,
  kInit,
  kLandlock,
  kSeccomp,
  kCgroup,
  kConfig,
  kState,
  kSandbox,
};

struct CheckSpec {
  CheckId id;
  std::string_view name;     ///< stable
  std::string_view purpose;  ///< what it is for
  bool needed;               ///< without it nothing is run
};
std::span<const CheckSpec> AllChecks();
const CheckSpec& SpecOf(CheckId id);

enum class CheckState : std::uint8_t {
  kOk,
  kMissing,
  kNone,  ///< not there and not missed, or not tried because something else is missing
};

struct Check {
  CheckId id = CheckId::kKernel;
  CheckState state = CheckState::kNone;
  std::string found = {};  ///< what there is: a version, a path, a reason; may be empty
  std::string cause = {};  ///< of kMissing
  std::string fix = {};    ///< of kMissing
};

Check CheckOk(CheckId id, std::string found = {});
Check CheckNone(CheckId id, std::string found);
Check CheckMissing(CheckId id, const Cause& cause);
Check CheckMissing(CheckId id, const Error& error);
Check CheckMissing(CheckId id, std::string cause, std::string fix);

/// One line a check, cause and fix below it when it is missing, and at the end whether the default
/// policy can be run and which gaps it leaves.
std::string ChecksToText(std::span<const Check> checks, std::span<const Gap> gaps, bool can_run);
std::string ChecksToJson(std::span<const Check> checks, std::span<const Gap> gaps, bool can_run);

}  // namespace asb
