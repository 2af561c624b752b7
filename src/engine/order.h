// What the launcher needs of a plan, as bytes: it is started before the plan is made, and builds
// what every view needs meanwhile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace asb {

struct Order {
  std::string engine_path;
  AbsolutePath user_home;
  std::vector<MountStep> mounts;  ///< without their reasons
};

std::string EncodeOrder(const Plan& plan);
/// Nothing when the bytes are no order.
std::optional<Order> DecodeOrder(std::string_view bytes);

}  // namespace asb
