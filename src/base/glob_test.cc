#include "base/glob.h"

#include <fnmatch.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace asb {
namespace {

TEST(GlobMatches, KnowsStarsMarksAndSets) {
  EXPECT_TRUE(GlobMatches("*.key", "a.key"));
  EXPECT_FALSE(GlobMatches("*.key", "a.keys"));
  EXPECT_TRUE(GlobMatches("a?c", "abc"));
  EXPECT_TRUE(GlobMatches("id_[a-z]*", "id_rsa"));
  EXPECT_FALSE(GlobMatches("[!a]b", "ab"));
  EXPECT_TRUE(GlobMatches("[]x]", "]"));
}

TEST(GlobMatches, ALeadingDotMustBeSpelled) {
  EXPECT_FALSE(GlobMatches("*", ".env"));
  EXPECT_TRUE(GlobMatches(".*", ".env"));
  EXPECT_FALSE(GlobMatches("?env", ".env"));
}

TEST(GlobMatches, ABackslashTakesTheNextByteAsItIs) {
  EXPECT_TRUE(GlobMatches("a\\*", "a*"));
  EXPECT_FALSE(GlobMatches("a\\*", "ab"));
}

TEST(GlobMatches, ManyStarsStayFast) {
  EXPECT_FALSE(GlobMatches("a*a*a*a*a*a*a*a*a*a*b", std::string(255, 'a')));
}

TEST(GlobProblem, NamesWhatIsUnfinished) {
  EXPECT_EQ(GlobProblem("a[b"), "'[' is never closed; a literal one is written '\\['");
  EXPECT_EQ(GlobProblem("a\\"), "it ends in a backslash that escapes nothing");
  EXPECT_EQ(GlobProblem("[a-z]*"), "");
}

TEST(GlobProblem, LooksAtOneNameAtATime) {
  EXPECT_EQ(GlobProblem("~/[a/b]"), "'[' is never closed; a literal one is written '\\['");
  EXPECT_EQ(GlobProblem("a\\/b"), "it ends in a backslash that escapes nothing");
  EXPECT_EQ(GlobProblem("/[a]/[b]/"), "");
}

TEST(HasDoubleStar, NeitherSetsNorEscapesHoldOne) {
  EXPECT_TRUE(HasDoubleStar("~/**/.env"));
  EXPECT_TRUE(HasDoubleStar("[*]**"));
  EXPECT_FALSE(HasDoubleStar("[**]"));
  EXPECT_FALSE(HasDoubleStar("*/*"));
  EXPECT_FALSE(HasDoubleStar("\\**"));
  EXPECT_FALSE(HasDoubleStar("*[*]*"));
}

RC_GTEST_PROP(GlobProperties, AnEscapedNameMatchesItselfAlone, (const std::string& name)) {
  RC_PRE(!name.empty());
  RC_ASSERT(!HasGlob(GlobEscape(name)));
  RC_ASSERT(GlobLiteral(GlobEscape(name)) == name);
  RC_ASSERT(GlobMatches(GlobEscape(name), name));
}

RC_GTEST_PROP(GlobProperties, AgreesWithTheCLibrary, ()) {
  const auto letters = rc::gen::element('a', 'b', '*', '?', '.');
  const auto pattern = *rc::gen::container<std::string>(letters);
  const auto name = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '.'));
  RC_ASSERT(GlobMatches(pattern, name) ==
            (fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD | FNM_PATHNAME) == 0));
}

}  // namespace
}  // namespace asb
