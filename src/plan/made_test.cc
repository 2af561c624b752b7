#include "plan/made.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HostFacts Host() {
  HostFacts facts;
  facts.user = {1000, 1000, "u", "/home/u", "/bin/sh", "Ulla U"};
  facts.accounts = {{"root", 0, 0, "/root", "/bin/bash"}};
  facts.groups = {{"root", 0, false}, {"docker", 998, true}};
  return facts;
}

TEST(Made, PasswordFileHasTheSystemAndTheCaller) {
  EXPECT_EQ(MadeText("/etc/passwd", Host()),
            "root:x:0:0::/root:/bin/bash\nu:x:1000:1000:Ulla U:/home/u:/bin/sh\n");
}

TEST(Made, ACallerOfTheSystemStandsThereOnce) {
  HostFacts facts = Host();
  facts.user = {0, 0, "root", "/root", "/bin/sh", ""};
  EXPECT_EQ(MadeText("/etc/passwd", facts), "root:x:0:0::/root:/bin/sh\n");
}

TEST(Made, AFieldCannotForgeARow) {
  HostFacts facts = Host();
  facts.user.real_name = "x:/:/bin/evil\nroot2:x:0:0";
  EXPECT_EQ(MadeText("/etc/passwd", facts),
            "root:x:0:0::/root:/bin/bash\n"
            "u:x:1000:1000:x / /bin/evil root2 x 0 0:/home/u:/bin/sh\n");
}

TEST(Made, GroupFileNamesTheCallerAndNobodyElse) {
  EXPECT_EQ(MadeText("/etc/group", Host()), "root:x:0:\ndocker:x:998:u\nu:x:1000:\n");
}

TEST(Made, SshSettingsIncludeNothing) {
  EXPECT_THAT(MadeText("/etc/ssh/ssh_config", Host()), HasSubstr("Host *"));
  EXPECT_THAT(MadeText("/etc/ssh/ssh_config", Host()), Not(HasSubstr("Include")));
}

}  // namespace
}  // namespace asb
