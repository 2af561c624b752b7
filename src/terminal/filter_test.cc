// What passes and what does not. The attacks of TT-10 run twice: raw against a model of a trusting
// terminal, where each of them must do its harm, and filtered, where none may.
#include "terminal/filter.h"

#include <gtest/gtest.h>

#include <vector>

namespace asb {
namespace {

std::string Filtered(std::string_view in, TerminalText terminal = TerminalText::kUtf8) {
  VtFilter filter(terminal);
  std::string out;
  filter.Feed(in, out);
  return out;
}

/// Filters `in` whole, in two pieces cut at every place, and byte by byte: always `expected`.
void ExpectPasses(std::string_view in, std::string_view expected) {
  EXPECT_EQ(Filtered(in), expected);
  for (std::size_t cut = 1; cut < in.size(); ++cut) {
    VtFilter filter;
    std::string out;
    filter.Feed(in.substr(0, cut), out);
    filter.Feed(in.substr(cut), out);
    EXPECT_EQ(out, expected) << "cut at " << cut;
  }
  VtFilter filter;
  std::string out;
  for (std::size_t i = 0; i < in.size(); ++i) filter.Feed(in.substr(i, 1), out);
  EXPECT_EQ(out, expected) << "byte by byte";
}

void ExpectUnchanged(std::string_view in) { ExpectPasses(in, in); }
void ExpectDropped(std::string_view in) {
  ExpectPasses("a" + std::string(in) + "z", "az");
  VtFilter filter;
  std::string out;
  filter.Feed(in, out);
  EXPECT_GE(filter.dropped(), 1U);
  EXPECT_EQ(filter.modes(), 0U);
  EXPECT_EQ(filter.open_questions(), 0);
}

/// A terminal that trusts what it is sent, with the habits of several: 8-bit controls, passthrough
/// of tmux, titles of screen. Says what harm was done to the person.
std::vector<std::string> HarmDone(std::string_view stream) {
  std::string bytes;  // 8-bit controls as 7-bit ones, raw or as UTF-8
  for (std::size_t i = 0; i < stream.size(); ++i) {
    auto c = static_cast<unsigned char>(stream[i]);
    if (c == 0xc2 && i + 1 < stream.size() && static_cast<unsigned char>(stream[i + 1]) < 0xa0) {
      c = static_cast<unsigned char>(stream[++i]);
    } else if (c >= 0xc2 && c < 0xe0) {
      ++i;  // an ordinary character of two bytes
      continue;
    }
    if (c >= 0x80 && c < 0xa0) {
      bytes += '\033';
      c = static_cast<unsigned char>(c - 0x40);
    }
    bytes += static_cast<char>(c);
  }
  std::vector<std::string> harm;
  std::string title;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\005') harm.emplace_back("types its answerback");
    if (bytes[i] != '\033' || i + 1 == bytes.size()) continue;
    const char kind = bytes[i + 1];
    const std::size_t body = i + 2;
    if (kind == 'Z') harm.emplace_back("types its name");
    if (kind == '[') {
      const std::size_t end = bytes.find_first_not_of("0123456789;:<=>? !\"#$%&'()*+,-./", body);
      if (end == std::string::npos) break;
      const std::string sequence = bytes.substr(body, end + 1 - body);
      if (sequence == "21t" || sequence == "20t") harm.push_back("types " + title);
      if (sequence == ">q" || sequence == "=c" || sequence == "x")
        harm.emplace_back("types its name");
      if (sequence.ends_with("*y")) harm.emplace_back("types a checksum of the screen");
      if (sequence.ends_with('i')) harm.emplace_back("prints");
      if (sequence.ends_with('t') && sequence.starts_with('8')) harm.emplace_back("is resized");
      if (sequence == "2t") harm.emplace_back("is minimised");
      if (sequence == "?2h") harm.emplace_back("speaks VT52");
      i = end;
    } else if (std::string_view("]PX^_k").find(kind) != std::string_view::npos) {
      std::size_t end = body;
      while (end < bytes.size() && !(bytes.compare(end, 2, "\033\\") == 0) &&
             !(kind == ']' && bytes[end] == '\007')) {
        end += bytes.compare(end, 2, "\033\033") == 0 ? 2 : 1;
      }
      if (end >= bytes.size()) break;
      std::string text = bytes.substr(body, end - body);
      i = end;
      if (kind == ']' && (text.starts_with("0;") || text.starts_with("2;"))) title = text.substr(2);
      if (kind == ']' && text.starts_with("52;") && text.ends_with('?')) {
        harm.emplace_back("types the clipboard");
      } else if (kind == ']' && text.starts_with("52;")) {
        harm.emplace_back("changes the clipboard");
      } else if (kind == ']' && text.starts_with("8;;") && text.size() > 3 &&
                 !text.starts_with("8;;http")) {
        harm.push_back("links to " + text.substr(3));
      } else if (kind == ']' && (text.starts_with("50;") || text.starts_with("1337;") ||
                                 text.starts_with("777;") || text.starts_with("9;"))) {
        harm.push_back("obeys " + text);
      } else if (kind == 'P' && text.starts_with("tmux;")) {
        for (std::size_t at = text.find("\033\033"); at != std::string::npos;
             at = text.find("\033\033", at + 1)) {
          text.erase(at, 1);
        }
        for (const std::string& inner : HarmDone(text.substr(5))) harm.push_back(inner);
      } else if (kind != ']') {
        harm.push_back("obeys " + text);
      }
    }
  }
  return harm;
}

/// `in` does `harm` when it is not filtered, and nothing is left of it when it is.
void ExpectAttackFails(std::string_view in, const std::string& harm, std::string_view left = "") {
  ASSERT_EQ(HarmDone(in), std::vector<std::string>{harm}) << "the attack itself is wrong";
  const std::string expected = "a" + std::string(left) + "z";
  ExpectPasses("a" + std::string(in) + "z", expected);
  EXPECT_TRUE(HarmDone(expected).empty());
}

TEST(VtFilterAttack, TT_10_Osc52ChangesNoClipboard) {
  ExpectAttackFails("\033]52;c;cm0gLXJmIH4K\007", "changes the clipboard");
  ExpectAttackFails("\033]52;p;cm0gLXJmIH4K\033\\", "changes the clipboard");
}

TEST(VtFilterAttack, TT_10_Osc52AsksForNoClipboard) {
  ExpectAttackFails("\033]52;c;?\007", "types the clipboard");
}

TEST(VtFilterAttack, TT_10_ATitleIsSetButNeverReported) {
  ExpectAttackFails("\033]0;echo x\007\033[21t", "types echo x", "\033]0;echo x\033\\");
  ExpectAttackFails("\033]2;echo x\007\033[20t", "types echo x", "\033]2;echo x\033\\");
}

TEST(VtFilterAttack, TT_10_DecrqssIsNotAsked) {
  ExpectAttackFails("\033P$q\"p\033\\", "obeys $q\"p");
  ExpectAttackFails("\033P+q544e\033\\", "obeys +q544e");  // XTGETTCAP
}

TEST(VtFilterAttack, TT_10_EnqGetsNoAnswerback) {
  ExpectAttackFails("\005", "types its answerback");
  ExpectPasses("\033[1\005m", "\033[1m");
}

TEST(VtFilterAttack, TT_10_StringsThatTerminalsObeyAreDroppedWhole) {
  ExpectAttackFails("\033P1;2qsixel\033\\", "obeys 1;2qsixel");                      // DCS
  ExpectAttackFails("\033_secret\033\\", "obeys secret");                            // APC
  ExpectAttackFails("\033^message\033\\", "obeys message");                          // PM
  ExpectAttackFails("\033Xanything\033\\", "obeys anything");                        // SOS
  ExpectAttackFails("\033_Gf=100,t=f;L2V0Yw==\033\\", "obeys Gf=100,t=f;L2V0Yw==");  // kitty
  ExpectAttackFails("\033kname\033\\", "obeys name");  // a title in tmux and screen
}

TEST(VtFilterAttack, TT_10_TmuxPassthroughPassesNothing) {
  ExpectAttackFails("\033Ptmux;\033\033]52;c;eA==\007\033\\", "changes the clipboard");
  ExpectPasses("a\033Ptmux;\033\033[31m\033\\z", "a\033[31mz");  // a new sequence, filtered as any
}

TEST(VtFilterAttack, TT_10_HyperlinksLeadToTheWebOrNowhere) {
  ExpectAttackFails("\033]8;;file:///etc/passwd\033\\", "links to file:///etc/passwd");
  ExpectAttackFails("\033]8;;javascript:alert(1)\007", "links to javascript:alert(1)");
  ExpectAttackFails("\033]8;;ssh://-oProxyCommand=x\007", "links to ssh://-oProxyCommand=x");
  for (const std::string_view url :
       {"http:/x", "http://", "https:///x", "https://a b", "https://a\"b", "https://a\\b",
        "https://a`b`", "https://\u00e4.example", "https://bank.example@evil.example/",
        "mailto:", "https", "x-man-page:ls"}) {
    SCOPED_TRACE(url);
    ExpectDropped("\033]8;;" + std::string(url) + "\033\\");
  }
  ExpectDropped("\033]8;id=a:run=b;https://a.example\033\\");
  ExpectDropped("\033]8;run=b;https://a.example\033\\");
  ExpectDropped("\033]8;;https://a.example/" + std::string(2048, 'x') + "\033\\");
}

TEST(VtFilterAttack, TT_10_EightBitControlsStartNothing) {
  ExpectAttackFails(
      "\x9d"
      "52;c;eA==\x9c",
      "changes the clipboard", "\ufffd52;c;eA==\ufffd");
  ExpectAttackFails(
      "\xc2\x9d"
      "52;c;eA==\xc2\x9c",
      "changes the clipboard", "52;c;eA==");
  ExpectAttackFails("\x90$qm\x9c", "obeys $qm", "\ufffd$qm\ufffd");
  ExpectAttackFails(
      "\x9b"
      "5i",
      "prints", "\ufffd5i");
  ExpectAttackFails("\x9fG\x9c", "obeys G", "\ufffdG\ufffd");
}

TEST(VtFilterAttack, TT_10_EightBitTerminalsSeeNoByteOfUtf8) {
  const std::string_view hidden =
      "\xc3\x9d"
      "52;c;eA==\xc3\x9c";  // U+00DD: 0x9d is OSC to it
  EXPECT_EQ(Filtered(hidden), hidden);
  EXPECT_EQ(Filtered(hidden, TerminalText::kAscii), "?52;c;eA==?");
  EXPECT_EQ(Filtered("\xff\xe2\x82\xacx\xe2", TerminalText::kAscii), "??x");
  EXPECT_EQ(Filtered("\033]0;\u00dd\033\\\033]0;plain\033\\", TerminalText::kAscii),
            "\033]0;plain\033\\");
}

TEST(VtFilterAttack, TT_10_EightBitAnswersAndOtherCharsetsAreNotSelected) {
  ExpectDropped("\033 G");      // 8-bit controls
  ExpectDropped("\033[64\"p");  // and by conformance level
  ExpectDropped("\033%@");      // out of UTF-8
  ExpectDropped("\033[?2l");    // VT52, another language
}

TEST(VtFilterAttack, TT_10_QuestionsWithOtherAnswersThanNumbersAreNotAsked) {
  ExpectAttackFails("\033Z", "types its name");
  ExpectAttackFails("\033[>q", "types its name");  // XTVERSION
  ExpectAttackFails("\033[=c", "types its name");  // DA3
  ExpectAttackFails("\033[x", "types its name");   // DECREQTPARM
  ExpectAttackFails("\033[1;1;1;1;80;24*y", "types a checksum of the screen");
}

TEST(VtFilterAttack, TT_10_WindowsArePrintedAndMovedByNobody) {
  ExpectAttackFails("\033[5i", "prints");
  ExpectAttackFails("\033[8;1;1t", "is resized");
  ExpectAttackFails("\033[2t", "is minimised");
  for (const std::string_view operation : {"1", "3;0;0", "4;9;9", "9;1", "10;1", "11", "13", "15",
                                           "19", "20", "21", "24", "14;2", "22;3", "22;0;5"}) {
    SCOPED_TRACE(operation);
    ExpectDropped("\033[" + std::string(operation) + "t");
  }
  ExpectDropped("\033[?3h");  // 132 columns
  ExpectDropped("\033[?40h");
  ExpectDropped("\033[1;1;1;1;1T");  // xterm waits for an answer to this one
}

TEST(VtFilterAttack, TT_10_OtherOscStringsAreDropped) {
  ExpectAttackFails("\033]50;#1\007", "obeys 50;#1");
  ExpectAttackFails("\033]1337;File=x\007", "obeys 1337;File=x");
  ExpectAttackFails("\033]777;notify;a;b\007", "obeys 777;notify;a;b");
  ExpectAttackFails("\033]9;4;1\007", "obeys 9;4;1");
  for (const std::string_view text : {"4;1;?",      "4;1;rgb:0/0/0",
                                      "7;file:///", "10;red",
                                      "11;?;?",     "12;?",
                                      "17;?",       "99;;x",
                                      "104",        "112",
                                      "133;A",      "633;A",
                                      "3;x=y",      "5113;x",
                                      "L",          "l",
                                      "",           ";",
                                      "00;x",       "0",
                                      "0 ;x"}) {
    SCOPED_TRACE(text);
    ExpectDropped("\033]" + std::string(text) + "\007");
  }
}

TEST(VtFilterAttack, TT_10_TitlesHoldOnlyWhatIsShown) {
  ExpectDropped("\033]0;a\nb\007");
  ExpectDropped(
      "\033]0;a\xc2\x9b"
      "5ib\007");
  ExpectDropped(
      "\033]0;a\x9b"
      "5ib\007");
  ExpectDropped("\033]0;x\u202egnp.exe\007");
  ExpectDropped("\033]0;\177\007");
  ExpectDropped("\033]0;" + std::string(201, 'x') + "\007");
}

TEST(VtFilter, PlainTextPassesAsItIs) {
  ExpectUnchanged("total 12\r\n\ta\b\b\v\f\007 größe 日本 😀 e\u0301 \u202e\n");
}

TEST(VtFilter, BytesThatAreNoTextAreReplaced) {
  ExpectPasses("a\xff\xfez", "a\ufffd\ufffdz");
  ExpectPasses("\xe2\x82z", "\ufffdz");                          // unfinished
  ExpectPasses("\xc0\xaf", "\ufffd\ufffd");                      // overlong
  ExpectPasses("\xed\xa0\x80", "\ufffd\ufffd\ufffd");            // surrogate
  ExpectPasses("\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd");  // above U+10FFFF
  ExpectPasses("\xe2\x82\033[m", "\ufffd\033[m");
  ExpectPasses("\xe2\xe2\x82\xac", "\ufffd\u20ac");
}

TEST(VtFilter, ControlCharactersWithoutUseAreDropped) {
  using namespace std::string_view_literals;
  ExpectPasses("a\0b\001\002\003\004\006\020\021\023\024\025\026\027\031\034\035\036\037c\177d"sv,
               "abcd");
  ExpectPasses("a\xc2\x80\xc2\x85\xc2\x9fz\xc2\xa0", "az\xc2\xa0");
}

TEST(VtFilter, PaddingIsNotCountedAsDropped) {
  using namespace std::string_view_literals;
  VtFilter filter;
  std::string out;
  filter.Feed("a\0\177z"sv, out);
  EXPECT_EQ(filter.dropped(), 0U);
  filter.Feed("\021\033[5i\033]52;c;eA==\007", out);
  EXPECT_EQ(filter.dropped(), 3U);
}

TEST(VtFilter, SequencesProgramsUsePass) {
  for (const std::string_view sequence : {"\033[38;2;1;2;3m", "\033[38:2::1:2:3;4:3m",
                                          "\033[01;34m",      "\033[?1000;1006h",
                                          "\033[2J",          "\033[3;1H",
                                          "\033[5 q",         "\033[!p",
                                          "\033[>4;2m",       "\033[>4;m",
                                          "\033[>1u",         "\033[=5;1u",
                                          "\0337\0338",       "\033(0qqq\033(B",
                                          "\033#8",           "\033%G",
                                          "\033[20h",         "\033[4:3m\033[58:5:1m",
                                          "\033[s\033[u",     "\033[?2026h\033[?2026l",
                                          "\033[1;10r",       "\016x\017"}) {
    SCOPED_TRACE(sequence);
    ExpectUnchanged(sequence);
  }
}

TEST(VtFilter, TitlesAndLinksPassWithOneKindOfEnd) {
  ExpectPasses("\033]0;vim – a.c ✳ ⚠️\007", "\033]0;vim – a.c ✳ ⚠️\033\\");
  ExpectPasses("\033]2;\007", "\033]2;\033\\");
  ExpectPasses("\033]8;;https://a.example/?q=%20#f\007text\033]8;;\007",
               "\033]8;;https://a.example/?q=%20#f\033\\text\033]8;;\033\\");
  ExpectUnchanged("\033]8;id=7;HTTP://a.example\033\\x\033]8;id=7;\033\\");
  ExpectUnchanged("\033]8;;mailto:a@b.example\033\\");
}

TEST(VtFilter, OfSeveralModesThoseThatMayBeSwitchedPass) {
  ExpectPasses("\033[?3;25;40;1049h", "\033[?25;1049h");
  ExpectPasses("\033[?3;4l", "");
  ExpectPasses("\033[2;4h", "\033[4h");
  ExpectPasses("\033[?h\033[h\033[?0h", "");
}

TEST(VtFilter, LongOrMalformedSequencesAreDropped) {
  std::string many = "\033[1";
  for (int i = 0; i < 31; ++i) many += ";1";
  ExpectUnchanged(many + "m");
  ExpectDropped(many + ";1m");
  ExpectUnchanged("\033[65535G");
  ExpectDropped("\033[65536G");
  ExpectDropped("\033[99999999999999999999G");
  ExpectUnchanged("\033[" + std::string(255, '0') + "m");
  ExpectDropped("\033[" + std::string(256, '0') + "m");
  ExpectDropped("\033[1?m");
  ExpectDropped("\033[??25h");
  ExpectDropped("\033[ 1q");
  ExpectDropped("\033[1:2H");
  ExpectDropped("\033[1025b");
  ExpectDropped("\033(((B");
  EXPECT_EQ(Filtered("\033]0;" + std::string(10000, 'x') + "\007z"), "z");
}

TEST(VtFilter, ControlsInsideASequenceActAtOnce) {
  ExpectPasses("\033[3\r\n1m", "\r\n\033[31m");
  ExpectPasses("\033\b[31m", "\b\033[31m");
  ExpectPasses("\033[3\0301m", "1m");  // CAN
  ExpectPasses("\033[3\0321m", "1m");  // SUB
  ExpectPasses("\033[3\033[1m", "\033[1m");
  ExpectPasses("\033[3\u00e9m", "\u00e9m");
  ExpectPasses("\033\033\033[1m", "\033[1m");
}

TEST(VtFilter, AStringEndsWithAnyEscapeAndIsForgotten) {
  ExpectPasses("\033]0;abc\033[1mz", "\033[1mz");
  ExpectPasses("\033]0;abc\030z", "z");
  ExpectPasses("\033Pabc\033[1mz", "\033[1mz");
  ExpectPasses("\033Pabc\032z", "z");
  ExpectPasses("\033Pabc\007def\033\\z", "z");  // BEL ends only OSC
  ExpectPasses(
      "\033]0;a\x9c"
      "b\007z",
      "z");                                        // 0x9c ends nothing
  ExpectPasses("\033]0;✜\007", "\033]0;✜\033\\");  // and is a byte of this
}

TEST(VtFilter, WhatNeverEndsIsHeldUpToALimit) {
  for (const std::string_view start : {"\033]", "\033]0;", "\033P", "\033_", "\033[", "\033("}) {
    VtFilter filter;
    std::string out;
    filter.Feed(start, out);
    const std::string piece(65536, ' ');
    for (int i = 0; i < 16; ++i) filter.Feed(piece, out);
    EXPECT_LE(filter.held(), VtFilter::kMaxHeld);
    EXPECT_EQ(out, "");
    filter.Feed("\030back", out);
    EXPECT_EQ(out, "back");
  }
}

TEST(VtFilter, WhatIsUnfinishedDoesNotPass) {
  for (const std::string_view part :
       {"\033", "\033[", "\033[31", "\033]0;a", "\033(", "\xe2\x82"}) {
    EXPECT_EQ(Filtered("x" + std::string(part)), "x");
  }
}

}  // namespace
}  // namespace asb
