#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace asb {
namespace {

TEST(Printable, PlainTextStaysAsItIs) {
  EXPECT_EQ(Printable("/home/ü/日本 x"), "/home/ü/日本 x");
  EXPECT_EQ(Printable("a\\b"), "a\\b");
}

TEST(Printable, NothingThatActsOnATerminalGetsThrough) {
  EXPECT_EQ(Printable("a\x1b]52;c;\x07z"), "a\\x1b]52;c;\\x07z");
  EXPECT_EQ(Printable("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\u{009b}");  // C1 CSI
  EXPECT_EQ(Printable("x\u202egnp.exe"), "x\\u{202e}gnp.exe");
  EXPECT_EQ(Printable("a\u200bb"), "a\\u{200b}b");
}

TEST(Printable, BytesThatAreNoTextAreShownInHex) {
  EXPECT_EQ(Printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Printable, EscapesCannotBeForged) { EXPECT_NE(Printable("\\n\x01"), Printable("\n\x01")); }

TEST(IsUtf8, KnowsTheLimits) {
  EXPECT_TRUE(IsUtf8("\xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(IsUtf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(IsUtf8("\xe2\x82"));
  EXPECT_FALSE(IsUtf8("\x80"));
}

TEST(Utf8Prefix, EndsAtTheFirstByteThatIsNone) {
  EXPECT_EQ(Utf8Prefix("größe"), 7U);
  EXPECT_EQ(Utf8Prefix("a\xff"), 1U);
  EXPECT_EQ(Utf8Prefix("\xc3"), 0U);
}

TEST(Characters, AreCountedAndFoundByTheirFirstByte) {
  EXPECT_EQ(CharacterCount("größe"), 5U);
  EXPECT_EQ(ByteOfCharacter("größe", 3), 4U);
  EXPECT_EQ(ByteOfCharacter("a", 9), 1U);
}

TEST(ShellQuote, PlainWordsStayPlain) {
  EXPECT_EQ(ShellQuote("--ro"), "--ro");
  EXPECT_EQ(ShellQuote("/a/b.c:1=@%+,-_"), "/a/b.c:1=@%+,-_");
}

TEST(ShellQuote, EverythingElseIsQuoted) {
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote("~/x"), "'~/x'");
  EXPECT_EQ(ShellQuote("A=~/x"), "'A=~/x'");
  EXPECT_EQ(ShellQuote("$(touch x)"), "'$(touch x)'");
  EXPECT_EQ(ShellQuote("a\n'b"), "$'a\\x0a\\'b'");
  EXPECT_EQ(ShellQuote("\xff"), "$'\\xff'");
}

TEST(NearestWord, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 4> kWords{"whitelist", "blacklist", "hide", "home"};
  EXPECT_EQ(NearestWord("whitlist", kWords), "whitelist");
  EXPECT_EQ(NearestWord("hdie", kWords), "hide");
  EXPECT_EQ(NearestWord("hom", kWords), "home");
}

TEST(NearestWord, CapitalsAreNoMistakeOfTheirOwn) {
  constexpr std::array<std::string_view, 2> words{"network", "home"};
  EXPECT_EQ(NearestWord("NETWRK", words), "network");
}

TEST(NearestWord, SaysNothingWhenNothingIsNear) {
  constexpr std::array<std::string_view, 2> kWords{"ro", "rw"};
  EXPECT_EQ(NearestWord("network", kWords), std::nullopt);
  EXPECT_EQ(NearestWord("xy", kWords), std::nullopt);
  EXPECT_EQ(NearestWord(std::string(100, 'r'), kWords), std::nullopt);
}

TEST(Count, KnowsTheSingular) {
  EXPECT_EQ(Count(0, "error"), "0 errors");
  EXPECT_EQ(Count(1, "error"), "1 error");
  EXPECT_EQ(Count(2, "error"), "2 errors");
}

RC_GTEST_PROP(PrintableProperties, TheResultIsAlwaysVisibleText, (const std::string& bytes)) {
  const std::string shown = Printable(bytes);
  RC_ASSERT(IsUtf8(shown));
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20U);
  RC_ASSERT(shown.find('\x7f') == std::string::npos);
}

}  // namespace
}  // namespace asb
