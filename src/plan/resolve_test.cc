#include "plan/resolve.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace asb {
namespace {

using testing::Add;
using testing::Path;
using testing::SmallHost;

Result<Resolved> Resolve(const HostFacts& facts, std::string_view path) {
  FactsSource source(facts);
  return Resolver(source).Resolve(Path(path));
}

TEST(ResolvePath, FollowsRelativeAndAbsoluteLinks) {
  HostFacts facts = SmallHost();
  Add(facts, "/usr/bin/env", FileKind::kFile);
  Add(facts, "/bin", FileKind::kLink, "usr/bin");
  Add(facts, "/x", FileKind::kLink, "/bin");
  const Result<Resolved> found = Resolve(facts, "/x/env");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->real, Path("/usr/bin/env"));
  EXPECT_EQ(found->kind, FileKind::kFile);
  ASSERT_EQ(found->hops.size(), 2U);
  EXPECT_EQ(found->hops[0].at, Path("/x"));
  EXPECT_EQ(found->hops[1].at, Path("/bin"));
  EXPECT_EQ(found->hops[1].target, "usr/bin");
}

TEST(ResolvePath, ALinkThatClimbsIsSaidAbsolutely) {
  HostFacts facts = SmallHost();
  Add(facts, "/srv/data", FileKind::kFolder);
  Add(facts, "/opt/a/link", FileKind::kLink, "../../srv/data");
  const Result<Resolved> found = Resolve(facts, "/opt/a/link");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->real, Path("/srv/data"));
  EXPECT_EQ(found->hops[0].target, "/srv/data");
}

TEST(ResolvePath, ALoopIsRefused) {
  HostFacts facts = SmallHost();
  Add(facts, "/a", FileKind::kLink, "/b");
  Add(facts, "/b", FileKind::kLink, "/a");
  const Result<Resolved> found = Resolve(facts, "/a/x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "'/a' is a loop of links, or more than 40 links");
}

TEST(ResolvePath, AMissingPathKeepsItsRest) {
  const Result<Resolved> found = Resolve(SmallHost(), "/ws/no/such/file");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FileKind::kMissing);
  EXPECT_EQ(found->real, Path("/ws/no/such/file"));
}

TEST(ResolvePath, NothingIsBelowAFile) {
  HostFacts facts = SmallHost();
  Add(facts, "/ws/file", FileKind::kFile);
  const Result<Resolved> found = Resolve(facts, "/ws/file/x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "'/ws/file' is no folder, so nothing can be below it");
}

TEST(ResolvePath, WhatNobodyLookedAtIsRefusedAndNotTakenForMissing) {
  HostFacts facts = SmallHost();
  facts.unlisted = FileKind::kUnknown;
  const Result<Resolved> found = Resolve(facts, "/ws/x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kHost);
}

TEST(ResolvePath, TheKernelsFoldersAreNotLookedInto) {
  HostFacts facts = SmallHost();
  Add(facts, "/proc", FileKind::kFolder);
  Add(facts, "/etc/mtab", FileKind::kLink, "../proc/self/mounts");
  const Result<Resolved> found = Resolve(facts, "/etc/mtab");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FileKind::kKernel);
  EXPECT_EQ(found->hops.size(), 1U);
}

TEST(ResolvePattern, MatchesNamesAndSkipsFoldersWithoutThem) {
  HostFacts facts = SmallHost();
  Add(facts, "/p/a/x", FileKind::kFile);
  Add(facts, "/p/b", FileKind::kFolder);
  facts.listings[Path("/p")] = {{"a", "b", ".c"}, ""};
  FactsSource source(facts);
  const auto found = Resolver(source).ResolvePattern("/p/*/x");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().real, Path("/p/a/x"));
}

TEST(ResolvePattern, AFolderThatCannotBeListedIsRefused) {
  HostFacts facts = SmallHost();
  Add(facts, "/p", FileKind::kFolder);
  facts.listings[Path("/p")] = {{}, "cannot be listed: Permission denied"};
  FactsSource source(facts);
  const auto found = Resolver(source).ResolvePattern("/p/*");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what,
            "the pattern '/p/*' cannot be followed: '/p' cannot be listed: Permission denied");
}

TEST(ResolvePattern, TooManyMatchesAreRefusedWithTheLimit) {
  HostFacts facts = SmallHost();
  Add(facts, "/p", FileKind::kFolder);
  for (int i = 0; i < 5000; ++i) facts.listings[Path("/p")].names.push_back(std::to_string(i));
  FactsSource source(facts);
  const auto found = Resolver(source).ResolvePattern("/p/*");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "the pattern '/p/*' matches more than 4096 paths");
}

}  // namespace
}  // namespace asb
