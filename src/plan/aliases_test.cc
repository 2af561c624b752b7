#include "plan/aliases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/testing.h"

namespace asb {
namespace {

using asb::testing::Path;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MountFact Mount(std::string device, const char* root, const char* at) {
  return {std::move(device), Path(root), Path(at), "ext4"};
}

TEST(Aliases, APartOfAFileSystemMountedOnceMore) {
  const std::vector<MountFact> mounts{Mount("8:1", "/", "/"), Mount("8:1", "/home", "/mnt/homes"),
                                      Mount("0:5", "/", "/tmp")};
  const MountAliases aliases(mounts);
  EXPECT_THAT(aliases.Of(Path("/home/u/.ssh")), ElementsAre(Path("/mnt/homes/u/.ssh")));
  EXPECT_THAT(aliases.Of(Path("/mnt/homes/u/.ssh")), ElementsAre(Path("/home/u/.ssh")));
  EXPECT_THAT(aliases.Of(Path("/etc/shadow")), IsEmpty());
  EXPECT_THAT(aliases.Of(Path("/tmp/x")), IsEmpty());
}

TEST(Aliases, SomethingBelowAHiddenFolderMountedElsewhere) {
  const std::vector<MountFact> mounts{Mount("8:1", "/", "/"),
                                      Mount("8:1", "/home/u/.ssh/keys", "/srv/keys")};
  EXPECT_THAT(MountAliases(mounts).Of(Path("/home/u/.ssh")), ElementsAre(Path("/srv/keys")));
}

TEST(Aliases, TheDeepestMountHoldsThePath) {
  // The home folder is a file system of its own; what lies below it on the root is not seen.
  const std::vector<MountFact> mounts{Mount("8:1", "/", "/"), Mount("8:2", "/", "/home"),
                                      Mount("8:1", "/home", "/old")};
  EXPECT_THAT(MountAliases(mounts).Of(Path("/home/u")), IsEmpty());
}

TEST(Aliases, OfSeveralMountsOnOnePlaceTheLastIsSeen) {
  const std::vector<MountFact> mounts{Mount("8:1", "/", "/"), Mount("8:2", "/", "/home"),
                                      Mount("8:3", "/", "/home"), Mount("8:3", "/", "/again")};
  EXPECT_THAT(MountAliases(mounts).Of(Path("/home/u")), ElementsAre(Path("/again/u")));
}

TEST(Aliases, AMountOverAFolderCoversWhatWasMountedInIt) {
  const std::vector<MountFact> mounts{Mount("8:1", "/", "/"), Mount("0:9", "/", "/home/u/.aws"),
                                      Mount("8:1", "/home/u", "/home/u"),
                                      Mount("8:1", "/home/u", "/mnt/u")};
  EXPECT_THAT(MountAliases(mounts).Of(Path("/home/u/.aws")),
              ::testing::Contains(Path("/mnt/u/.aws")));
}

}  // namespace
}  // namespace asb
