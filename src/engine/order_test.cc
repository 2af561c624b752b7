#include "engine/order.h"

#include <gtest/gtest.h>

namespace asb {
namespace {

Plan SomePlan() {
  Plan plan;
  plan.engine_path = "/usr/bin/bwrap";
  plan.user_home = *AbsolutePath::Parse("/home/u");
  MountStep shown;
  shown.kind = MountKind::kReadOnly;
  shown.target = *AbsolutePath::Parse("/mnt/x");
  shown.source = *AbsolutePath::Parse("/data/a \n\xff");
  MountStep link;
  link.kind = MountKind::kLink;
  link.target = *AbsolutePath::Parse("/bin");
  link.link_target = "usr/bin";
  plan.mounts = {shown, link};
  return plan;
}

TEST(Order, SurvivesTheWay) {
  const Plan plan = SomePlan();
  const auto order = DecodeOrder(EncodeOrder(plan));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->engine_path, plan.engine_path);
  EXPECT_EQ(order->user_home, plan.user_home);
  ASSERT_EQ(order->mounts.size(), 2U);
  EXPECT_EQ(order->mounts[0].kind, MountKind::kReadOnly);
  EXPECT_EQ(order->mounts[0].target, plan.mounts[0].target);
  EXPECT_EQ(order->mounts[0].source, plan.mounts[0].source);
  EXPECT_EQ(order->mounts[1].kind, MountKind::kLink);
  EXPECT_EQ(order->mounts[1].link_target, "usr/bin");
}

TEST(Order, IsRefusedWhenCutOrExtended) {
  const std::string whole = EncodeOrder(SomePlan());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(DecodeOrder(whole.substr(0, length))) << length;
  }
  EXPECT_FALSE(DecodeOrder(whole + '\0'));
}

// A step that was dropped would be a wall that is missing.
TEST(Order, UnknownStepsAreRefused) {
  Plan plan;
  plan.mounts.resize(1);
  std::string bytes = EncodeOrder(plan);
  bytes[4 + 4 + 1 + 4] = static_cast<char>(static_cast<int>(kLastMountKind) + 1);
  EXPECT_FALSE(DecodeOrder(bytes));
}

}  // namespace
}  // namespace asb
