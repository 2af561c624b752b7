#include "plan/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "plan/testing.h"

namespace asb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::int64_t kDay = std::int64_t{24} * 3600;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

KeptRow Row(std::string key, std::int64_t days, std::uint64_t bytes, bool in_use = false) {
  KeptRow row;
  row.key = std::move(key);
  row.about.used = kNow - days * kDay;
  row.about.bytes = bytes;
  row.in_use = in_use;
  return row;
}

TEST(KeptAbout, SurvivesItsJsonForm) {
  const KeptAbout about{"/home/u/sh\xff op", "reach 1\n", 5, 7, 9, true};
  const auto back = AboutFromJson(AboutToJson(about));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->workspace, about.workspace);
  EXPECT_EQ(back->reach, about.reach);
  EXPECT_EQ(back->created, 5);
  EXPECT_EQ(back->used, 7);
  EXPECT_EQ(back->bytes, 9U);
  EXPECT_TRUE(back->measured);
}

TEST(KeptAbout, WhatIsNoneIsNothing) {
  for (const char* text :
       {"", "[]", "{}", "null", "{\"workspace\": 3, \"reach\": 4}",
        "{\"workspace\":\"/"
        "w\",\"reach\":\"\",\"created\":1,\"used\":1,\"bytes\":-1,\"measured\":true}",
        "{\"workspace\":\"/w\",\"reach\":\"\",\"created\":1,\"used\":1,\"bytes\":1e300,"
        "\"measured\":true}"}) {
    EXPECT_FALSE(AboutFromJson(text)) << text;
  }
  EXPECT_FALSE(AboutFromJson(std::string(100'000, '[')));
}

TEST(KeptRemovals, WhatIsOldGoesAndWhatIsInUseStays) {
  EXPECT_THAT(ChooseRemovals({Row("a", 31, 1), Row("b", 29, 1), Row("c", 90, 1, true)}, {}, kNow),
              ElementsAre("a"));
}

TEST(KeptRemovals, AboveTheCapTheLeastRecentlyUsedGoUntilTheRestFits) {
  EXPECT_THAT(ChooseRemovals({Row("a", 1, 3 * kGiB), Row("b", 3, 3 * kGiB), Row("c", 2, 3 * kGiB)},
                             {}, kNow),
              ElementsAre("b"));
}

TEST(KeptRemovals, OneThatIsInUseCountsAndIsNotTaken) {
  EXPECT_THAT(ChooseRemovals({Row("a", 9, 9 * kGiB, true), Row("b", 1, 1)}, {}, kNow),
              ElementsAre("b"));
  EXPECT_THAT(ChooseRemovals({Row("a", 9, 9 * kGiB, true)}, {}, kNow), IsEmpty());
}

TEST(KeptRemovals, AClockThatWasSetBackMakesNothingOld) {
  EXPECT_THAT(ChooseRemovals({Row("a", -400, 1)}, {}, kNow), IsEmpty());
}

TEST(KeptRemovals, AllMeansAllThatIsNotInUse) {
  KeptLimits limits;
  limits.all = true;
  EXPECT_THAT(ChooseRemovals({Row("a", 0, 1), Row("b", 0, 1, true)}, limits, kNow),
              ElementsAre("a"));
}

RC_GTEST_PROP(KeptRemovalProperties, WhatStaysFitsOrIsInUse, ()) {
  const auto sizes =
      *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
  std::vector<KeptRow> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    rows.push_back(
        Row(std::to_string(i), *rc::gen::inRange(0, 30), sizes[i], *rc::gen::inRange(0, 4) == 0));
  }
  KeptLimits limits;
  limits.bytes = *rc::gen::inRange<std::uint64_t>(0, 600);
  const auto chosen = ChooseRemovals(rows, limits, kNow);
  std::uint64_t stays = 0;
  std::uint64_t used = 0;
  for (const KeptRow& row : rows) {
    const bool goes = std::find(chosen.begin(), chosen.end(), row.key) != chosen.end();
    RC_ASSERT(!(goes && row.in_use));
    if (!goes) stays += row.about.bytes;
    if (row.in_use) used += row.about.bytes;
  }
  RC_ASSERT(stays <= std::max(limits.bytes, used));
}

TEST(KeptSizes, AreReadAsTheyAreWritten) {
  EXPECT_EQ(ParseSize("0"), 0U);
  EXPECT_EQ(ParseSize("500M"), 500U << 20U);
  EXPECT_EQ(ParseSize("2g"), 2 * kGiB);
  EXPECT_EQ(ParseSize("8 GiB"), 8 * kGiB);
  for (const char* text :
       {"", "G", "-1", "1.5G", "2X", "2GG", "99999999999T", "18446744073709551616"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(8 * kGiB), "8.0 GiB");
}

TEST(KeptList, HoldsNothingThatActsOnATerminal) {
  KeptRow row = Row("k", 0, 1);
  row.about.workspace = "/a\x1b[2J\nb";
  const std::string text = KeptToText({row}, KeptVerb::kList, {}, kNow);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(KeptHomes, AreNotKeptInTheWorkspace) {
  Policy policy = testing::DefaultPolicy();
  policy.home.value = HomeMode::kKept;
  HostFacts facts = testing::SmallHost();
  facts.state_folder = "/ws/.state/agent-sandbox";
  testing::Add(facts, facts.state_folder, FileKind::kFolder);
  const Compiled compiled = testing::Compile(policy, facts);
  ASSERT_EQ(compiled.diagnostics.size(), 1U);
  EXPECT_THAT(compiled.diagnostics[0].message, ::testing::HasSubstr("lies in the workspace"));
}

TEST(KeptHomes, TheStepNeverNamesTheRealHome) {
  for (const View view : {View::kWhitelist, View::kBlacklist}) {
    Policy policy = testing::DefaultPolicy();
    policy.home.value = HomeMode::kKept;
    policy.view.value = view;
    const Compiled compiled = testing::Compile(policy, testing::SmallHost());
    ASSERT_TRUE(compiled.plan.kept);
    for (const MountStep& step : compiled.plan.mounts) {
      if (step.kind == MountKind::kKept) {
        EXPECT_EQ(step.source, compiled.plan.kept->folder);
      } else {
        EXPECT_NE(step.target.text(), "/home/u");
      }
    }
  }
}

}  // namespace
}  // namespace asb
