#include "base/path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace asb {
namespace {

AbsolutePath P(std::string_view text) { return AbsolutePath::Parse(text).value(); }

TEST(AbsolutePath, HasOneSpelling) {
  EXPECT_EQ(P("//etc"), P("/etc"));
  EXPECT_EQ(P("/etc/"), P("/etc"));
  EXPECT_EQ(P("/./etc/."), P("/etc"));
  EXPECT_EQ(P("///").text(), "/");
}

TEST(AbsolutePath, RefusesWhatHasNoFixedMeaning) {
  EXPECT_FALSE(AbsolutePath::Parse(""));
  EXPECT_FALSE(AbsolutePath::Parse("etc"));
  EXPECT_FALSE(AbsolutePath::Parse("/a/../b"));
  EXPECT_FALSE(AbsolutePath::Parse("/.."));
  EXPECT_FALSE(AbsolutePath::Parse(std::string("/a\0b", 4)));
  EXPECT_FALSE(AbsolutePath::Parse("/" + std::string(4095, 'x')));
  EXPECT_TRUE(AbsolutePath::Parse("/" + std::string(4094, 'x')));
  EXPECT_TRUE(AbsolutePath::Parse("/a/...b"));
}

TEST(AbsolutePath, NeighboursAreNotWithin) {
  EXPECT_TRUE(P("/etc/x").IsWithin(P("/etc")));
  EXPECT_TRUE(P("/etc").IsWithin(P("/etc")));
  EXPECT_TRUE(P("/etc").IsWithin(P("/")));
  EXPECT_FALSE(P("/etcetera").IsWithin(P("/etc")));
  EXPECT_FALSE(P("/etc").IsWithin(P("/etc/x")));
}

TEST(AbsolutePath, ASubtreeIsARange) {
  std::vector<AbsolutePath> paths{P("/a-b"), P("/a/b"), P("/"), P("/a b"), P("/a/b/c"), P("/a")};
  std::sort(paths.begin(), paths.end());
  const std::vector<AbsolutePath> expected{P("/"),      P("/a"),   P("/a/b"),
                                           P("/a/b/c"), P("/a b"), P("/a-b")};
  EXPECT_EQ(paths, expected);
}

TEST(AbsolutePath, TakesItselfApart) {
  EXPECT_EQ(P("/a/b").Parent(), P("/a"));
  EXPECT_EQ(P("/a").Parent(), P("/"));
  EXPECT_EQ(P("/").Parent(), P("/"));
  EXPECT_EQ(P("/a/b").Name(), "b");
  EXPECT_EQ(P("/").Name(), "");
  EXPECT_EQ(P("/").Child("x"), P("/x"));
}

TEST(AbsolutePath, MovesBelowAnotherRoot) {
  EXPECT_EQ(P("/srv/a/x/y").Moved(P("/srv/a"), P("/mnt")), P("/mnt/x/y"));
  EXPECT_EQ(P("/srv/a").Moved(P("/srv/a"), P("/mnt")), P("/mnt"));
  EXPECT_EQ(P("/x").Moved(P("/"), P("/mnt")), P("/mnt/x"));
  EXPECT_EQ(P("/mnt/x").Moved(P("/mnt"), P("/")), P("/x"));
}

TEST(AbsoluteFolders, OnlyAbsoluteOnesInOrder) {
  EXPECT_EQ(AbsoluteFolders("/b:bin::/a:.:/b"), (std::vector<std::string>{"/b", "/a", "/b"}));
  EXPECT_TRUE(AbsoluteFolders("").empty());
}

}  // namespace
}  // namespace asb
