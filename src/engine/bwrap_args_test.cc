#include "engine/bwrap_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace asb {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> Words(unsigned uid) {
  Order order;
  MountStep proc;
  proc.kind = MountKind::kProc;
  proc.target = *AbsolutePath::Parse("/proc");
  order.mounts = {proc};
  std::vector<std::string> words;
  const std::string bytes = BwrapArguments(order, uid);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\0', at);
    words.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

TEST(BwrapArguments, EveryNamespaceAndNoCapability) {
  const auto words = Words(1000);
  for (const char* word : {"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                           "--unshare-cgroup", "--die-with-parent", "--as-pid-1"}) {
    EXPECT_THAT(words, Contains(word));
  }
  const auto drop = std::find(words.begin(), words.end(), "--cap-drop");
  ASSERT_NE(drop, words.end());
  EXPECT_EQ(*(drop + 1), "ALL");
}

// PR-18: /proc/sys asks whether root writes, not with which capability. No test can be root and
// ordinary at once: that the kernel then says EROFS was tried by hand.
TEST(BwrapArguments, PR_18_ProcIsReadOnlyForRoot) {
  const auto words = Words(0);
  const auto remount = std::find(words.begin(), words.end(), "--remount-ro");
  ASSERT_NE(remount, words.end());
  EXPECT_EQ(*(remount + 1), "/proc");
  EXPECT_THAT(Words(1000), Not(Contains("--remount-ro")));
}

}  // namespace
}  // namespace asb
