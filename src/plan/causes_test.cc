#include "plan/causes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "plan/compile.h"

namespace asb {
namespace {

/// Lines joined and blanks made one, so that a sentence is found wherever a document breaks it.
std::string Flat(std::istream& in) {
  std::string out;
  for (std::string word; in >> word;) out += word + ' ';
  return out;
}

TEST(Causes, NamesAreStableWordsAndEachHasItsOwnSentence) {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  for (const CauseSpec& cause : AllCauses()) {
    EXPECT_EQ(cause.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
    EXPECT_TRUE(names.insert(cause.name).second) << cause.name;
    EXPECT_TRUE(sentences.insert(cause.sentence).second) << cause.name;
    EXPECT_FALSE(cause.fix.empty()) << cause.name;
    EXPECT_FALSE(cause.fix.ends_with('.')) << cause.name;
    EXPECT_FALSE(cause.sentence.ends_with('.')) << cause.name;
  }
}

TEST(Causes, TheHowToHasEveryCauseWithTheSameWords) {
  std::ifstream file("docs/how-to/when-it-does-not-start.md");
  ASSERT_TRUE(file.good());
  const std::string text = Flat(file);
  for (const CauseSpec& cause : AllCauses()) {
    const std::string name(cause.name);
    const std::size_t start = text.find("## " + name + " ");
    ASSERT_NE(start, std::string::npos) << "no section " << name;
    const std::string section = text.substr(start, text.find(" ## ", start) - start);
    EXPECT_NE(section.find("cause: " + name + ": " + std::string(cause.sentence)),
              std::string::npos)
        << name << ": the sentence differs from the table";
    EXPECT_NE(section.find("fix: " + std::string(cause.fix)), std::string::npos)
        << name << ": the fix differs from the table";
  }
}

TEST(Causes, ADetailIsShownHarmlessly) {
  EXPECT_EQ(CauseLine({CauseId::kNoMemory, ""}), "no-memory: the kernel has no memory for it");
  EXPECT_EQ(CauseLine({CauseId::kNoMemory, "a\nb"}),
            "no-memory: the kernel has no memory for it (a\\nb)");
}

Plan PlanOn(const HostFacts& facts) { return CompilePlan(Policy(), facts, {"true"}).plan; }

TEST(Blockers, ABubblewrapThatOthersCanReplaceIsNamedAndNeverUsed) {
  HostFacts facts;
  facts.engines = {{"bubblewrap", "", "/home/u/bin/bwrap"}};
  const Plan plan = PlanOn(facts);
  ASSERT_EQ(plan.blockers.size(), 1U);
  EXPECT_EQ(plan.engine_path, "");
  EXPECT_EQ(plan.blockers[0].cause,
            "only-in-writable-place: the only bwrap is one that others than root can replace "
            "(/home/u/bin/bwrap)");
}

TEST(Blockers, NoBubblewrapAtAllIsAnotherCause) {
  const Plan plan = PlanOn(HostFacts());
  ASSERT_EQ(plan.blockers.size(), 1U);
  EXPECT_EQ(plan.blockers[0].cause, "not-installed: there is no bwrap in /usr/bin or /bin");
  EXPECT_EQ(plan.blockers[0].fix, "install the package bubblewrap");
}

TEST(Blockers, ASettingIsACauseByItsName) {
  HostFacts facts;
  facts.engines = {{"bubblewrap", "/usr/bin/bwrap", ""}};
  facts.userns_denied = "kernel.apparmor_restrict_unprivileged_userns = 1";
  EXPECT_TRUE(PlanOn(facts).blockers[0].cause.starts_with("apparmor-userns: "));
  facts.userns_denied = "user.max_user_namespaces = 0";
  EXPECT_TRUE(PlanOn(facts).blockers[0].cause.starts_with("userns-disabled: "));
}

}  // namespace
}  // namespace asb
