// What a plan gives the warden to guard.
#include "plan/mounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/testing.h"

namespace asb {

/// For messages of tests.
static void PrintTo(const Guarded& one, std::ostream* out) {
  *out << one.path.text() << " in " << one.root.text() << " guard " << static_cast<int>(one.guard);
}

namespace {

using testing::Add;
using testing::Compile;
using testing::DefaultPolicy;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Path;
using testing::Rule;
using testing::SmallHost;

constexpr auto kHide = RuleAccess::kHide;
constexpr auto kRead = RuleAccess::kRead;

auto Is(const char* path, const char* root, Guard guard) {
  return ::testing::AllOf(::testing::Field(&Guarded::path, Path(path)),
                          ::testing::Field(&Guarded::root, Path(root)),
                          ::testing::Field(&Guarded::guard, guard));
}

std::vector<Guarded> GuardedBy(const HostFacts& facts, std::vector<PathRule> rules) {
  Policy policy = DefaultPolicy();
  policy.paths.insert(policy.paths.end(), rules.begin(), rules.end());
  return Compile(policy, facts).plan.guarded;
}

TEST(Guarded, APlanWithoutMasksInLiveFoldersHasNone) {
  HostFacts facts = SmallHost();
  Add(facts, "/data", FileKind::kFolder);
  EXPECT_THAT(GuardedBy(facts, {}), IsEmpty());
  EXPECT_THAT(GuardedBy(facts, {Rule(kRead, "/data")}), IsEmpty());
  EXPECT_THAT(GuardedBy(facts, {Rule(kHide, "/elsewhere/secret")}), IsEmpty());
}

TEST(Guarded, MasksTheirPinsAndLateHidesAreInTheOrderOfPaths) {
  HostFacts facts = SmallHost();
  Add(facts, "/ws/a/b/.env", FileKind::kFile);
  Add(facts, "/ws/config", FileKind::kFile);
  EXPECT_THAT(GuardedBy(facts, {Rule(kRead, "/ws/config"), Rule(kHide, "/ws/a/b/.env"),
                                Rule(kHide, "/ws/none/late")}),
              ElementsAre(Is("/ws/a", "/ws", Guard::kPinned), Is("/ws/a/b", "/ws", Guard::kPinned),
                          Is("/ws/a/b/.env", "/ws", Guard::kHidden),
                          Is("/ws/config", "/ws", Guard::kReadOnly),
                          Is("/ws/none/late", "/ws", Guard::kLate)));
}

TEST(Guarded, TheRootIsTheFolderThatIsMountedAroundIt) {
  HostFacts facts = SmallHost();
  Add(facts, "/ws/vendor/key", FileKind::kFile);
  EXPECT_THAT(GuardedBy(facts, {Rule(kRead, "/ws/vendor"), Rule(kHide, "/ws/vendor/key")}),
              ElementsAre(Is("/ws/vendor", "/ws", Guard::kReadOnly),
                          Is("/ws/vendor/key", "/ws/vendor", Guard::kHidden)));
}

TEST(Guarded, AHiddenFolderWithSomethingShownBelowIsAPassage) {
  HostFacts facts = SmallHost();
  Add(facts, "/data/vault/public", FileKind::kFolder);
  EXPECT_THAT(GuardedBy(facts, {Rule(kRead, "/data"), Rule(kRead, "/data/vault/public"),
                                Rule(kHide, "/data/vault")}),
              ElementsAre(Is("/data/vault", "/data", Guard::kPassage)));
}

}  // namespace
}  // namespace asb
