#include "plan/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/testing.h"
#include "plan/view.h"
#include "policy/parse.h"

namespace asb {
namespace {

using testing::Add;
using testing::Compile;
using ::testing::Contains;
using testing::DefaultPolicy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Path;
using testing::Rule;
using ::testing::SizeIs;
using testing::SmallHost;

constexpr auto kHide = RuleAccess::kHide;
constexpr auto kRead = RuleAccess::kRead;
constexpr auto kWrite = RuleAccess::kWrite;

/// A described host, rules, and what explain says about a path of it.
struct Case {
  HostFacts facts = SmallHost();
  Policy policy = DefaultPolicy();

  void Allow(RuleAccess access, std::string path) {
    policy.paths.push_back(Rule(access, std::move(path)));
  }
  void Bind(std::string source, std::string target, RuleAccess access = kRead) {
    policy.binds.push_back(
        {std::move(source), std::move(target), access, {LayerKind::kUser, "test.toml", 1, 1}});
  }
  [[nodiscard]] Explanation Explain(std::string_view path) const {
    const Compiled compiled = Compile(policy, facts);
    EXPECT_EQ(RenderDiagnostics(compiled.diagnostics), RenderDiagnostics({}));
    FactsSource host(facts);
    const auto found = ExplainPath(compiled.plan, host, std::string(path), Path(path));
    EXPECT_TRUE(found) << found.error().what;
    return found.value_or(Explanation{});
  }
  [[nodiscard]] std::string Verdict(std::string_view path) const { return Explain(path).verdict; }
};

TEST(ExplainPath, AHiddenFileWithItsOwnStepIsHidden) {
  Case c;
  Add(c.facts, "/ws/.env", FileKind::kFile);
  c.Allow(kHide, "/ws/.env");
  EXPECT_EQ(c.Verdict("/ws/.env"), "hidden");
}

TEST(ExplainPath, AHiddenFolderWithItsOwnStepIsHiddenAndSoIsWhatIsInIt) {
  Case c;
  Add(c.facts, "/ws/keys/id", FileKind::kFile);
  c.Allow(kHide, "/ws/keys");
  EXPECT_EQ(c.Verdict("/ws/keys"), "hidden");
  EXPECT_EQ(c.Verdict("/ws/keys/id"), "hidden");
}

TEST(ExplainPath, AHiddenFolderAboveAGrantIsAPassage) {
  Case c;
  Add(c.facts, "/ws/keys/deep/public", FileKind::kFile);
  Add(c.facts, "/ws/keys/id", FileKind::kFile);
  c.Allow(kHide, "/ws/keys");
  c.Allow(kRead, "/ws/keys/deep/public");
  EXPECT_EQ(c.Verdict("/ws/keys"), "passage");
  EXPECT_EQ(c.Verdict("/ws/keys/deep"), "passage");
  EXPECT_EQ(c.Verdict("/ws/keys/deep/public"), "read-only");
  EXPECT_EQ(c.Verdict("/ws/keys/id"), "hidden");
}

TEST(ExplainPath, AFolderOfTheEmptyRootAboveAGrantIsAPassage) {
  Case c;
  Add(c.facts, "/srv/a/data", FileKind::kFolder);
  c.Allow(kRead, "/srv/a/data");
  EXPECT_EQ(c.Verdict("/"), "passage");
  EXPECT_EQ(c.Verdict("/srv/a"), "passage");
  EXPECT_EQ(c.Verdict("/srv/b"), "absent");
}

TEST(ExplainPath, APassageIsAbsentByALinkThatIsNotShown) {
  Case c;
  Add(c.facts, "/srv/a/data", FileKind::kFolder);
  Add(c.facts, "/mnt/link", FileKind::kLink, "/srv/a");
  c.Allow(kRead, "/srv/a/data");
  const Explanation found = c.Explain("/mnt/link");
  EXPECT_EQ(found.verdict, "absent");
  EXPECT_EQ(found.reason, "the link /mnt/link is not shown");
  EXPECT_EQ(c.Verdict("/mnt/link/data"), "absent");
}

TEST(ExplainPath, WhatALinkInAHiddenFolderLeadsToIsHidden) {
  Case c;
  Add(c.facts, "/srv/data", FileKind::kFolder);
  Add(c.facts, "/ws/keys/link", FileKind::kLink, "/srv/data");
  c.Allow(kHide, "/ws/keys");
  c.Allow(kRead, "/srv/data");
  const Explanation found = c.Explain("/ws/keys/link");
  EXPECT_EQ(found.verdict, "hidden");
  EXPECT_EQ(found.origin.layer, LayerKind::kUser);
  EXPECT_THAT(found.notes, Contains("/srv/data itself is read-only"));
}

TEST(ExplainPath, ALinkOutOfAFolderThatIsNotShownIsAbsentWhereverItClimbsTo) {
  Case c;
  Add(c.facts, "/srv/data", FileKind::kFolder);
  Add(c.facts, "/opt/other", FileKind::kFolder);
  Add(c.facts, "/ws/link", FileKind::kLink, "/opt/other/../../srv/data");
  c.Allow(kRead, "/srv/data");
  EXPECT_EQ(c.Verdict("/ws/link"), "absent");
}

TEST(ExplainPath, TheChangeForAMissingLinkBringsTheLink) {
  Case c;
  Add(c.facts, "/srv/data", FileKind::kFolder);
  Add(c.facts, "/mnt/link", FileKind::kLink, "/srv/data");
  c.Allow(kRead, "/srv/data");
  const Explanation found = c.Explain("/mnt/link");
  ASSERT_THAT(found.changes, SizeIs(1));
  EXPECT_EQ(found.changes[0].flag, "--ro /mnt/link");
  c.Allow(kRead, "/mnt/link");
  EXPECT_EQ(c.Verdict("/mnt/link"), "read-only");
}

TEST(ExplainPath, AHiddenFolderMadeInAPrivateOneOnTheWayToAGrantIsPrivate) {
  Case c;
  Add(c.facts, "/home/u/.tool/cache", FileKind::kFolder);
  Add(c.facts, "/home/u/.tool/token", FileKind::kFile);
  c.Allow(kHide, "/home/u/.tool");
  c.Allow(kWrite, "/home/u/.tool/cache");
  const Explanation found = c.Explain("/home/u/.tool");
  EXPECT_EQ(found.verdict, "private");
  EXPECT_EQ(found.reason, "~: home = private");
  EXPECT_EQ(c.Verdict("/home/u/.tool/cache"), "read-write");
}

TEST(ExplainPath, WhatIsHiddenInAPrivateFolderSaysThatNotEvenItsNameIsThere) {
  Case c;
  Add(c.facts, "/home/u/.tool/token", FileKind::kFile);
  c.Allow(kHide, "/home/u/.tool");
  const Explanation found = c.Explain("/home/u/.tool/token");
  EXPECT_EQ(found.verdict, "hidden");
  EXPECT_THAT(found.notes,
              Contains("not even its name is there: the folder that holds it is not shown"));
}

TEST(ExplainPath, AHideOfSomethingMissingInAShownFolderNamesItsGap) {
  Case c;
  c.Allow(kHide, "/ws/.env");
  const Explanation found = c.Explain("/ws/.env");
  EXPECT_EQ(found.verdict, "hidden");
  EXPECT_THAT(found.notes, Contains("it does not exist on this host"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("late-hide")));
}

TEST(ExplainPath, APathBelowABindIsLookedUpBelowItsSource) {
  Case c;
  Add(c.facts, "/data/plain", FileKind::kFile);
  Add(c.facts, "/data/secret", FileKind::kFile);
  Add(c.facts, "/data/link", FileKind::kLink, "plain");
  c.Bind("/data", "/mnt/x");
  c.Allow(kHide, "/data/secret");
  EXPECT_EQ(c.Verdict("/mnt"), "passage");
  EXPECT_EQ(c.Verdict("/mnt/x/secret"), "hidden");
  const Explanation plain = c.Explain("/mnt/x/plain");
  EXPECT_EQ(plain.verdict, "read-only");
  EXPECT_THAT(plain.notes, IsEmpty());
  const Explanation link = c.Explain("/mnt/x/link");
  EXPECT_EQ(link.verdict, "read-only");
  EXPECT_THAT(link.notes, Contains("it leads to /mnt/x/plain"));
}

TEST(ExplainPath, ALinkOfABindClimbsInTheViewAndNotOnTheHost) {
  Case c;
  Add(c.facts, "/data/a/link", FileKind::kLink, "../b");
  Add(c.facts, "/data/b", FileKind::kFolder);
  c.Bind("/data/a", "/mnt/x");
  c.Allow(kRead, "/data/b");
  EXPECT_EQ(c.Verdict("/mnt/x/link"), "absent");  // it means /mnt/b there
}

TEST(ExplainPath, AMissingPathInAShownFolderKeepsTheVerdictOfItsFolder) {
  const Explanation found = Case().Explain("/ws/new");
  EXPECT_EQ(found.verdict, "read-write");
  EXPECT_THAT(found.notes, Contains("it does not exist on this host"));
}

TEST(ExplainPath, ADeviceHasNoChangeThatWouldBeRefused) {
  Case c;
  Add(c.facts, "/srv/disk", FileKind::kDevice);
  EXPECT_THAT(c.Explain("/srv/disk").changes, IsEmpty());
}

/// The policy that a suggested line makes, on top of the builtin one.
Policy PolicyOfLine(const std::string& line) {
  ParsedPolicy parsed = ParsePolicy(line, "suggested.toml");
  EXPECT_EQ(RenderDiagnostics(parsed.diagnostics), RenderDiagnostics({})) << line;
  return MakePolicy(MergeLayers({BuiltinLayer(), parsed.file.top}));
}

/// Every path that the policy made of `line` shows on a host.
std::vector<std::string> ShownBy(const std::string& line, const HostFacts& facts) {
  const Compiled compiled = Compile(PolicyOfLine(line), facts);
  EXPECT_EQ(RenderDiagnostics(compiled.diagnostics), RenderDiagnostics({})) << line;
  std::vector<std::string> out;
  for (const ViewEntry& entry : compiled.plan.entries) {
    if (entry.access == Access::kRead) out.push_back(entry.path.text());
  }
  return out;
}

TEST(ExplainPath, ASuggestedLineMeansExactlyThePathHoweverOddItsName) {
  // clang-format off
  const std::vector<std::string> names{
      "x\", \"~/.ssh", "a\"b", "a\\b", "a\\", "\\u000A", "*", "**", "?", "[a]", "[!a]", "[", "a]b",
      "[:alpha:]", "new\nline", "\r\n", "\t", "\x01", "\x1b[31m", "\x7f", "\xc2\x9b",
      "\xe2\x80\xae", "\xef\xbb\xbf", "'", "''", "#", "~", "$HOME", " ", "a ", "{x,y}", "grün"};
  // clang-format on
  for (const std::string& name : names) {
    for (const std::string folder : {"/srv", "/home/u"}) {
      const std::string path = folder + "/" + name;
      Case c;
      Add(c.facts, path, FileKind::kFile);
      // What the name would mean if something in it were not escaped.
      Listing& listing = c.facts.listings[Path(folder)];
      listing.names = {"a", "ab", "b", "u000A", "x", "y"};
      for (const std::string& near : listing.names) {
        Add(c.facts, folder + "/" + near, FileKind::kFile);
      }
      listing.names.push_back(name);
      Add(c.facts, "/home/u/.ssh", FileKind::kFolder);
      const Explanation found = c.Explain(path);
      ASSERT_THAT(found.changes, SizeIs(1));
      EXPECT_THAT(ShownBy(found.changes[0].toml, c.facts), ElementsAre(path))
          << found.changes[0].toml;
    }
  }
}

TEST(ExplainPath, ANameThatIsNotUtf8HasNoToml) {
  Case c;
  Add(c.facts, "/srv/\xff", FileKind::kFile);
  const Explanation found = c.Explain("/srv/\xff");
  ASSERT_THAT(found.changes, SizeIs(1));
  EXPECT_EQ(found.changes[0].toml, "");
  EXPECT_EQ(found.changes[0].flag, "--ro $'/srv/\\xff'");
}

TEST(ExplainVariable, ANameThatNoPolicyTakesHasNoChange) {
  EXPECT_THAT(ExplainVariable("x\", \"Y", EnvVerdict{}).changes, IsEmpty());
  const Explanation found = ExplainVariable("EDITOR", EnvVerdict{});
  ASSERT_THAT(found.changes, SizeIs(1));
  EXPECT_EQ(found.changes[0].toml, "env = [\"EDITOR\"]");
}

TEST(ExplanationsToJson, PrintsNothingThatATerminalObeys) {
  Explanation odd;
  odd.subject = "/srv/\x1b[31m\x7f\xc2\x9b\xe2\x80\xaegrün";
  odd.verdict = "absent";
  const std::string json = ExplanationsToJson({odd});
  for (const char c : json) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << json;
  EXPECT_THAT(json, HasSubstr("/srv/\\u001b[31m\\u007f\\u009b\\u202egr\\u00fcn"));
}

}  // namespace
}  // namespace asb
