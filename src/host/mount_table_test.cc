#include "host/mount_table.h"

#include <gtest/gtest.h>

namespace asb {
namespace {

TEST(MountTable, DeviceRootPlaceAndType) {
  const auto mounts = ParseMountTable(
      "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
      "36 27 254:0 /home/u /mnt/a\\040b rw,relatime shared:1 master:2 - ext4 /dev/vda rw\n"
      "22 27 0:21 / /proc rw - proc proc rw\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[1].device, "254:0");
  EXPECT_EQ(mounts[1].root.text(), "/home/u");
  EXPECT_EQ(mounts[1].at.text(), "/mnt/a b");
  EXPECT_EQ(mounts[2].type, "proc");
}

TEST(MountTable, OddLines) {
  EXPECT_TRUE(ParseMountTable("").empty());
  EXPECT_TRUE(ParseMountTable("\n\n27 1\n27 1 0:1 relative / rw - ext4\n").empty());
  EXPECT_TRUE(ParseMountTable("27 1 0:1 / /x rw without a dash\n").empty());
  // The kernel says this of a folder that was deleted.
  EXPECT_EQ(ParseMountTable("27 1 0:1 /x//deleted /y rw - ext4 d rw\n").size(), 1U);
  EXPECT_EQ(ParseMountTable("27 1 0:1 / /a\\04 rw - ext4 d rw\n")[0].at.text(), "/a\\04");
}

}  // namespace
}  // namespace asb
