#include "terminal/questions.h"

#include <gtest/gtest.h>

#include "terminal/filter.h"

namespace asb {
namespace {

struct Asked {
  TerminalQuestion kind;
  std::string_view question, answer;
};

constexpr Asked kAsked[] = {
    {TerminalQuestion::kDevice, "\033[c", "\033[?62;1;2;4;6;9;15;22c"},
    {TerminalQuestion::kDevice, "\033[0c", "\033[?6c"},
    {TerminalQuestion::kSecondaryDevice, "\033[>c", "\033[>41;390;0c"},
    {TerminalQuestion::kSecondaryDevice, "\033[>0c", "\033[>1;10;0c"},
    {TerminalQuestion::kStatus, "\033[5n", "\033[0n"},
    {TerminalQuestion::kCursor, "\033[6n", "\033[12;40R"},
    {TerminalQuestion::kCursorPage, "\033[?6n", "\033[?12;40;1R"},
    {TerminalQuestion::kMode, "\033[?2026$p", "\033[?2026;2$y"},
    {TerminalQuestion::kKeyboard, "\033[?u", "\033[?0u"},
    {TerminalQuestion::kWindowPixels, "\033[14t", "\033[4;600;800t"},
    {TerminalQuestion::kCellPixels, "\033[16t", "\033[6;18;9t"},
    {TerminalQuestion::kWindowCells, "\033[18t", "\033[8;24;80t"},
    {TerminalQuestion::kForeground, "\033]10;?\033\\", "\033]10;rgb:ffff/ffff/ffff\033\\"},
    {TerminalQuestion::kBackground, "\033]11;?\033\\", "\033]11;rgb:0000/0000/0000\007"},
};

TEST(OpenQuestions, TT_10_PassAndAreCountedUntilTheirAnswerComes) {
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(asked.answer);
    for (std::size_t cut = 0; cut <= asked.answer.size(); ++cut) {
      VtFilter filter;
      std::string out;
      filter.Feed(asked.question, out);
      EXPECT_EQ(out, asked.question);
      EXPECT_EQ(filter.open_questions(), 1);
      filter.NoteInput(asked.answer.substr(0, cut));
      filter.NoteInput(asked.answer.substr(cut));
      EXPECT_EQ(filter.open_questions(), 0);
    }
  }
}

TEST(OpenQuestions, OnlyTheAnswerToAQuestionSettlesIt) {
  for (const Asked& asked : kAsked) {
    for (const Asked& other : kAsked) {
      VtFilter filter;
      std::string out;
      filter.Feed(asked.question, out);
      filter.NoteInput(other.answer);
      EXPECT_EQ(filter.open_questions(), asked.kind == other.kind ? 0 : 1)
          << asked.answer.substr(1) << " and " << other.answer.substr(1);
    }
  }
}

TEST(OpenQuestions, KeysAndTextSettleNothing) {
  VtFilter filter;
  std::string out;
  filter.Feed("\033[5n\033[18t\033[c\033[?u", out);
  filter.NoteInput(
      "abc\r\033[A\033OP\033[1;2R\033[<0;10;10M\033[97;5u\033[I\033[200~x\033[201~\033[c");
  filter.NoteInput("\033[9;1;1t\033[?x1c\033[" + std::string(1000, '1') + "n");
  EXPECT_EQ(filter.open_questions(), 4);
}

TEST(OpenQuestions, AreNeverFewerThanNone) {
  VtFilter filter;
  filter.NoteInput("\033[0n\033[0n");
  EXPECT_EQ(filter.open_questions(), 0);
}

TEST(OpenQuestions, AnAnswerToTheLastSettlesTheUnknownOnesBefore) {
  VtFilter filter;
  std::string out;
  filter.Feed("\033[?u\033]11;?\007\033[c\033[6n", out);
  EXPECT_EQ(filter.open_questions(), 4);
  filter.NoteInput("\033[?1;2c");
  EXPECT_EQ(filter.open_questions(), 1);
  filter.NoteInput("\033[1;1R");
  EXPECT_EQ(filter.open_questions(), 0);
}

TEST(OpenQuestions, AFloodOfQuestionsIsNotPassedOn) {
  VtFilter filter;
  std::string out;
  for (int i = 0; i < 100000; ++i) filter.Feed("\033[6n", out);
  EXPECT_EQ(filter.open_questions(), 32);
  EXPECT_EQ(out.size(), 32U * 4);
  filter.Feed("\033[5n", out);  // another question is
  EXPECT_EQ(filter.open_questions(), 33);
  filter.NoteInput("\033[1;1R");
  filter.Feed("\033[6n\033[6n", out);
  EXPECT_EQ(filter.open_questions(), 33);
}

TEST(OpenQuestions, AModeIsAskedForOnlyWhenItMayBeSwitched) {
  EXPECT_TRUE(CsiQuestion("?25$p"));
  EXPECT_FALSE(CsiQuestion("?3$p"));
  EXPECT_FALSE(CsiQuestion("?2048$p"));
  EXPECT_FALSE(CsiQuestion("?$p"));
  EXPECT_FALSE(CsiQuestion("?25;25$p"));
  EXPECT_FALSE(CsiQuestion("?000000025$p"));
  EXPECT_FALSE(CsiQuestion("$p"));
}

}  // namespace
}  // namespace asb
