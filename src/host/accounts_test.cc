#include "host/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asb {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

TEST(Accounts, OnlyThoseOfTheSystem) {
  const auto accounts = SystemAccounts(
      "root:x:0:0:root:/root:/bin/bash\n"
      "anna:x:1000:1000:Anna:/home/anna:/bin/zsh\n"
      "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
      "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n");
  ASSERT_THAT(accounts, ElementsAre(Field(&Account::name, "root"), Field(&Account::name, "nobody"),
                                    Field(&Account::name, "daemon")));
  EXPECT_EQ(accounts[2].uid, 1U);
  EXPECT_EQ(accounts[2].home, "/usr/sbin");
}

TEST(Accounts, RowsOfAnotherShapeAreLeftOut) {
  EXPECT_TRUE(SystemAccounts("").empty());
  EXPECT_TRUE(SystemAccounts("root:x:0:0:root:/root\n").empty());
  EXPECT_TRUE(SystemAccounts("root:x:0:0:root:/root:/bin/sh:more\n").empty());
  EXPECT_TRUE(SystemAccounts("root:x:nought:0:root:/root:/bin/sh\n").empty());
  EXPECT_TRUE(SystemAccounts("root:x:99999999999:0:root:/root:/bin/sh\n").empty());
  EXPECT_TRUE(SystemAccounts(":x:0:0:root:/root:/bin/sh\n").empty());
  EXPECT_TRUE(SystemAccounts("+@netgroup::::::\n").empty());
  EXPECT_EQ(SystemAccounts("root:x:0:0:root:/root:/bin/sh").size(), 1U);  // no newline at the end
}

TEST(Accounts, GroupsOfTheSystemAndOfTheCaller) {
  const auto groups =
      KnownGroups("docker:x:998:anna\nanna:x:1000:\nberta:x:1001:anna\nroot:x:0:\n", {1000, 998});
  ASSERT_THAT(groups, ElementsAre(Field(&Group::name, "docker"), Field(&Group::name, "anna"),
                                  Field(&Group::name, "root")));
  EXPECT_TRUE(groups[0].has_caller);
  EXPECT_FALSE(groups[2].has_caller);
}

}  // namespace
}  // namespace asb
