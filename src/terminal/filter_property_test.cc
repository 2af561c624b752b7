// Properties of the filter over any bytes. The judge of its output is a list of regular
// expressions, written another way than the tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <vector>

#include "base/text.h"
#include "terminal/filter.h"

namespace asb {
namespace {

/// Pieces that make sequences when they meet, and whole sequences with a harmful or harmless end.
rc::Gen<std::string> GenPiece() {
  return rc::gen::oneOf(
      rc::gen::element<std::string>("\033", "\033[", "\033]", "\033P", "\033_", "\033k", "\033(",
                                    "\033\\", "\007", "\030", "\x9b", "\xc2\x9d", "?", ">", "<",
                                    "=", ";", ":", "$", " ", "!", "0;", "8;;", "52;c;", "10;?"),
      rc::gen::element<std::string>("h", "l", "m", "u", "t", "c", "n", "p", "q", "r", "s", "H", "J",
                                    "i", "B", "0", "1", "4", "6", "18", "21", "22", "23", "25",
                                    "1049", "2004", "65536", "https://a.example", "größe", "日"),
      rc::gen::element<std::string>("\033[?1049h", "\033[>1u", "\033[<9u", "\033]0;t\007",
                                    "\033]52;c;eA==\007", "\033[6n", "\033[31m", "\033[21t",
                                    "\033]8;;https://a.example\007", "\033c", "\0337", "\0338",
                                    "\033[22;0;0t", "\033[2;9r", "\016", "\033[?3;25;7l"),
      rc::gen::string<std::string>());
}

std::string GenStream() {
  std::string stream;
  for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(GenPiece())) {
    stream += piece;
  }
  return stream;
}

std::string Filtered(std::string_view in) {
  VtFilter filter;
  std::string out;
  filter.Feed(in, out);
  return out;
}

const std::string& AllowedSequence() {
  static const std::string kModes =
      "0*(1|5|6|7|12|25|47|66|69|1000|1002|1003|1004|1005|1006|1007|1015|1034|1047|1048|1049|2004|"
      "2026)";
  static const std::string kAll =
      "\033("
      "[78DEMH=>cg]|[()*+][012AB]|#[34568]|%G"
      "|\\[([0-9]*[@-GIJKLMPSTXZ`abdeg]|[0-9]*;?[0-9]*[Hfrs]|[0-9;:]*m|u|0*[0-6]? q|!p"
      "|(0*(4|20|34);?)+[hl]|\\?(" +
      kModes + ";?)+[hl]|>0*4(;0*[0-3]?)?m|>[0-9]*u|<[0-9]*u|=[0-9]*(;0*[0-3]?)?u" +
      "|0*2[23](;0*[0-2]?(;0*)?)?t|0?c|>0?c|[56]n|\\?6n|\\?u|1[468]t|\\?" + kModes + "\\$p)" +
      "|\\][012];[^\\x00-\\x1f\\x7f]{0,200}\033\\\\|\\]1[01];\\?\033\\\\" +
      "|\\]8;(id=[!-9<-~]*)?;(([hH][tT]{2}[pP][sS]?://"
      "|[mM][aA][iI][lL][tT][oO]:)[!#-;=?-\\[\\]_a-z~]+)?\033\\\\)";
  return kAll;
}

/// Where `out` holds something that must never reach a terminal; npos when nowhere.
std::size_t FirstForbidden(const std::string& out) {
  static const std::regex kAllowed(AllowedSequence(), std::regex::optimize);
  constexpr std::string_view kControls = "\a\b\t\n\v\f\r\016\017";
  if (!IsUtf8(out)) return Utf8Prefix(out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto c = static_cast<unsigned char>(out[i]);
    if (c == 0x1b) {
      std::smatch match;
      const auto from = out.begin() + static_cast<std::ptrdiff_t>(i);
      if (!std::regex_search(from, out.end(), match, kAllowed,
                             std::regex_constants::match_continuous)) {
        return i;
      }
      i += static_cast<std::size_t>(match.length()) - 1;
      continue;
    }
    if (c == 0x7f || (c < 0x20 && kControls.find(out[i]) == std::string_view::npos)) return i;
    if (c == 0xc2 && static_cast<unsigned char>(out[i + 1]) < 0xa0) return i;
  }
  return std::string::npos;
}

TEST(VtFilterProperty, TheJudgeKnowsGoodFromBad) {
  EXPECT_EQ(FirstForbidden("a\033[31mb\033]0;t\033\\\033(0\r\n"), std::string::npos);
  for (const std::string bad : {"\033]52;c;eA==\033\\", "\033[21t", "\033P", "\033[?3h", "\033[",
                                "\005", "\xc2\x9b", "\xff", "\033]0;t\007", "\033[5i", "\033Z"}) {
    EXPECT_EQ(FirstForbidden("ok" + bad), 2U) << bad.substr(1);
  }
}

RC_GTEST_PROP(VtFilterProperty, NothingButAllowedSequencesComesOut, ()) {
  const std::string stream = GenStream();
  const std::string out = Filtered(stream);
  RC_LOG() << Printable(stream) << '\n' << Printable(out);
  RC_ASSERT(FirstForbidden(out) == std::string::npos);
  RC_ASSERT(out.size() <= 3 * stream.size());
}

RC_GTEST_PROP(VtFilterProperty, WhereTheStreamIsCutMakesNoDifference, ()) {
  const std::string stream = GenStream();
  VtFilter whole;
  std::string expected;
  whole.Feed(stream, expected);
  VtFilter cut;
  std::string out;
  for (std::size_t at = 0; at < stream.size();) {
    const auto length = *rc::gen::inRange<std::size_t>(1, 6);
    cut.Feed(std::string_view(stream).substr(at, length), out);
    at += length;
  }
  RC_ASSERT(out == expected);
  RC_ASSERT(cut.modes() == whole.modes());
  RC_ASSERT(cut.open_questions() == whole.open_questions());
  RC_ASSERT(cut.dropped() == whole.dropped());
}

RC_GTEST_PROP(VtFilterProperty, FilteringAgainChangesNothing, ()) {
  const std::string once = Filtered(GenStream());
  VtFilter filter;
  std::string twice;
  filter.Feed(once, twice);
  RC_ASSERT(twice == once);
  RC_ASSERT(filter.dropped() == 0U);
}

RC_GTEST_PROP(VtFilterProperty, TheResetIsEnough, ()) {
  VtFilter filter;
  std::string out;
  filter.Feed(GenStream(), out);
  filter.Feed("\030", out);  // out of what is unfinished
  filter.Feed(ResetSequence(filter.modes()), out);
  // The tracker does not trust that a restored cursor brings back what was saved last, and no
  // command may send what puts tab stops back.
  TerminalModes uncertain = ModeBit(TerminalMode::kTabStops);
  for (const TerminalMode mode :
       {TerminalMode::kOrigin, TerminalMode::kGraphics, TerminalMode::kShiftOut,
        TerminalMode::kCharsetG0, TerminalMode::kCharsetG1, TerminalMode::kCharsetG2,
        TerminalMode::kCharsetG3, TerminalMode::kNoWrap}) {
    uncertain |= ModeBit(mode);
  }
  RC_ASSERT((filter.modes() & ~uncertain) == 0U);
}

RC_GTEST_PROP(VtFilterProperty, AnyInputIsCountedWithoutHarm, ()) {
  VtFilter filter;
  std::string out;
  filter.Feed(GenStream(), out);
  const int before = filter.open_questions();
  filter.NoteInput(GenStream());
  RC_ASSERT(filter.open_questions() >= 0);
  RC_ASSERT(filter.open_questions() <= before);
}

TEST(VtFilterProperty, TenMegabytesOfGarbageAreHeldInAFewKilobytes) {
  std::mt19937 random(7);  // the same garbage every time
  constexpr std::string_view kOften = "\033\033\033[[]P;?0123456789mhu\\";
  VtFilter filter;
  std::string piece;
  std::string out;
  std::size_t most = 0;
  for (int i = 0; i < 160; ++i) {
    piece.clear();
    while (piece.size() < 65536) {
      const auto number = random();
      piece += number % 8 == 0 ? kOften[(number >> 8U) % kOften.size()]
                               : static_cast<char>((number >> 8U) & 0xffU);
    }
    out.clear();
    filter.Feed(piece, out);
    filter.NoteInput(piece);
    most = std::max(most, filter.held());
    ASSERT_LE(filter.held(), VtFilter::kMaxHeld);
    ASSERT_LE(out.size(), 3 * piece.size() + VtFilter::kMaxHeld);
  }
  EXPECT_GT(most, 0U);
  EXPECT_GT(filter.dropped(), 1000U);
}

}  // namespace
}  // namespace asb
