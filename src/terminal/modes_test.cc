#include "terminal/modes.h"

#include <gtest/gtest.h>

#include "terminal/filter.h"

namespace asb {
namespace {

TerminalModes ModesAfter(std::string_view in) {
  VtFilter filter;
  std::string out;
  filter.Feed(in, out);
  return filter.modes();
}

std::string ResetAfter(std::string_view in) { return ResetSequence(ModesAfter(in)); }

TEST(ResetSequence, IsEmptyWhenNothingIsOn) {
  EXPECT_EQ(ResetSequence(0), "");
  EXPECT_EQ(ResetAfter("text\033[2J\033[H\033]0;t\007"), "");
}

struct Pair {
  std::string_view on, off;
};

constexpr Pair kPairs[] = {
    {"\033[?1049h", "\033[?1049l"},
    {"\033[?1047h", "\033[?1047l"},
    {"\033[?47h", "\033[?47l"},
    {"\033[?25l", "\033[?25h"},
    {"\033[?12h", "\033[?12l"},
    {"\033[34l", "\033[34h"},
    {"\033[?2004h", "\033[?2004l"},
    {"\033[?1000h", "\033[?1000l"},
    {"\033[?1002h", "\033[?1002l"},
    {"\033[?1003h", "\033[?1003l"},
    {"\033[?1004h", "\033[?1004l"},
    {"\033[?1005h", "\033[?1005l"},
    {"\033[?1006h", "\033[?1006l"},
    {"\033[?1007h", "\033[?1007l"},
    {"\033[?1015h", "\033[?1015l"},
    {"\033[?1034h", "\033[?1034l"},
    {"\033[?1h", "\033[?1l"},
    {"\033[?5h", "\033[?5l"},
    {"\033[?7l", "\033[?7h"},
    {"\033[?2026h", "\033[?2026l"},
    {"\033=", "\033>"},
    {"\033[4h", "\033[4l"},
    {"\033[20h", "\033[20l"},
    {"\033[>4;1m", "\033[>4m"},
    {"\033[1;31m", "\033[m"},
    {"\033[38;5;0m", "\033[m"},
    {"\016", "\017"},
    {"\033(0", "\033(B"},
    {"\033)0", "\033)B"},
    {"\033*0", "\033*B"},
    {"\033+0", "\033+B"},
    {"\033[4 q", "\033[0 q"},
    {"\033]8;;https://a.example\033\\", "\033]8;;\033\\"},
    {"\033[>1u", "\033[<1u"},
    {"\033[=1u", "\033[=0u"},
    {"\033[22;0;0t", "\033[23;0t"},
};

TEST(ResetSequence, SwitchesOffWhatWasSwitchedOnAndNothingElse) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(pair.off);
    EXPECT_EQ(ResetAfter(pair.on), pair.off);
  }
}

TEST(ResetSequence, IsNotNeededAfterTheCommandDidTheSame) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(pair.off);
    EXPECT_EQ(ModesAfter(std::string(pair.on) + std::string(pair.off)), 0U);
  }
}

TEST(ResetSequence, KeypadHasTwoSpellings) {
  EXPECT_EQ(ResetAfter("\033[?66h"), "\033>");
  EXPECT_EQ(ResetAfter("\033[?66h\033>"), "");
}

TEST(ResetSequence, KeepsTheCursorWhereItIsWhenMarginsGo) {
  EXPECT_EQ(ResetAfter("\033[2;9r"), "\0337\033[r\0338");
  EXPECT_EQ(ResetAfter("\033[2;9r\033[r"), "");
  EXPECT_EQ(ResetAfter("\033[?69h\033[3;9s"), "\0337\033[?69l\0338");
}

TEST(ResetSequence, LeavesTheScreenBeforeWhatLeavingBringsBack) {
  EXPECT_EQ(ResetAfter("\033[31m\033[?6h\033[?1049h\033[2;9r\033[?25l"),
            "\033[?1049l\033[?6l\033[999;1H\033[m\0337\033[r\0338\033[?25h");
}

TEST(ModeTracker, ThereIsOneAlternateScreen) {
  EXPECT_EQ(ModesAfter("\033[?1049h\033[?47l"), 0U);
  EXPECT_EQ(ResetAfter("\033[?47h\033[?1049h"), "\033[?1049l");
}

TEST(ModeTracker, RestoringTheCursorBringsAttributesBack) {
  for (const std::string_view way :
       {"\0337\033[m\0338", "\033[s\033[m\033[u", "\033[?1048h\033[m\033[?1048l",
        "\033[?1049h\033[m\033[?1049l"}) {
    EXPECT_EQ(ResetAfter("\033[31m" + std::string(way)), "\033[m");
  }
  EXPECT_EQ(ResetAfter("\0337\033[31m\033[m\0338"), "");
}

TEST(ModeTracker, AFontOutlivesTheOtherAttributes) {
  EXPECT_EQ(ResetAfter("\033[11m\033[m"), "\033[10m");
  EXPECT_EQ(ResetAfter("\033[11m\033[10m\033[m"), "");
}

TEST(ModeTracker, AFullResetForgetsEverything) {
  EXPECT_EQ(ModesAfter("\033[?1049;25;2004h\033[31m\0337\033[>1u\033c\0338"), 0U);
}

TEST(KeyboardStack, IsPoppedByWhatWasPushed) {
  EXPECT_EQ(ResetAfter("\033[>1u\033[>5u"), "\033[<2u");
  EXPECT_EQ(ResetAfter("\033[>1u\033[>5u\033[<u"), "\033[<1u");
  EXPECT_EQ(ResetAfter("\033[>1u\033[=5;1u"), "\033[<1u");
}

TEST(KeyboardStack, EachScreenHasItsOwn) {
  EXPECT_EQ(ResetAfter("\033[>1u\033[?1049h\033[>1u"), "\033[<1u\033[?1049l\033[<1u");
  EXPECT_EQ(ResetAfter("\033[?1049h\033[>1u\033[?1049l"), "\033[?1049h\033[<1u\033[?1049l");
  EXPECT_EQ(ResetAfter("\033[?1049h\033[=1u"), "\033[=0u\033[?1049l");
}

TEST(KeyboardStack, NobodyPopsWhatThePersonPushed) {
  VtFilter filter;
  std::string out;
  filter.Feed("\033[<u\033[<9u\033[>1u\033[<9u\033[<u\033[<0u", out);
  EXPECT_EQ(out, "\033[>1u\033[<1u");
  EXPECT_EQ(filter.modes(), 0U);
}

TEST(KeyboardStack, NobodyPushesThePersonsEntriesOut) {
  VtFilter filter;
  std::string out;
  for (unsigned i = 0; i < 20; ++i) filter.Feed("\033[>1u", out);
  EXPECT_EQ(out.size(), kMaxStackDepth * 5);
  EXPECT_EQ(ResetSequence(filter.modes()), "\033[<7u");
}

TEST(TitleStack, NobodyPopsWhatThePersonPushed) {
  VtFilter filter;
  std::string out;
  filter.Feed("\033[23;0t\033[22;2t\033[23;2t\033[23;2t", out);
  EXPECT_EQ(out, "\033[22;2t\033[23;2t");
  EXPECT_EQ(filter.modes(), 0U);
}

}  // namespace
}  // namespace asb
