#include "base/lines.h"

#include <gtest/gtest.h>

namespace asb {
namespace {

TEST(Lines, AreFoundWithAndWithoutCarriageReturns) {
  const Lines lines("a\r\nb\nc");
  EXPECT_EQ(lines.At(1), "a");
  EXPECT_EQ(lines.At(2), "b");
  EXPECT_EQ(lines.At(3), "c");
}

TEST(Lines, ALineThatIsNotThereIsEmpty) {
  const Lines lines("a\nb\n");
  EXPECT_EQ(lines.At(0), "");
  EXPECT_EQ(lines.At(3), "");
  EXPECT_EQ(lines.At(9), "");
  EXPECT_EQ(Lines("").At(1), "");
}

TEST(Lines, ABytesLineIsTheOneItsNewlineEnds) {
  const Lines lines("ab\n\nc");
  EXPECT_EQ(lines.NumberOf(0), 1U);
  EXPECT_EQ(lines.NumberOf(2), 1U);
  EXPECT_EQ(lines.NumberOf(3), 2U);
  EXPECT_EQ(lines.NumberOf(4), 3U);
}

}  // namespace
}  // namespace asb
