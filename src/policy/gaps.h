// The names of what an engine or a host may be unable to enforce. Policies name gaps in `require`
// and `accept-gaps`; plan/ decides which of them a run has; doctor, plan, prove and the docs print
// these sentences and no others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace asb {

enum class GapId : std::uint8_t {
  kMaskRace,
  kLateHide,
  kLinkSwap,
  kPrelinked,
  kWorkTree,
  kRunLater,
  kSyscalls,
  kMemoryTotal,
  kCpu,
  kDiskWorkspace,
  kFdPassing,
  kUserLimits,
};

struct GapSpec {
  GapId id;
  std::string_view name;      ///< stable: policies and scripts use it
  std::string_view sentence;  ///< what can happen, with a full stop
  bool accepted;              ///< by the builtin layer
};

std::span<const GapSpec> AllGaps();
const GapSpec& SpecOf(GapId id);
const GapSpec* FindGap(std::string_view name);
std::span<const std::string_view> GapNames();

}  // namespace asb
