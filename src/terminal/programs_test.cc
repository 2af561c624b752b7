// What programs really send passes as it is: the strings of terminfo, and recorded streams.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include "terminal/filter.h"

namespace asb {
namespace {

struct Capability {
  std::string_view name, bytes;
};

// Every string capability of xterm-256color, tmux-256color and screen-256color (ncurses 6.4) that
// a program sends, with its parameters filled in by tparm; delays are left out.
constexpr auto kCapabilities = std::to_array<Capability>({
    {"BD", "\033[?2004l"},
    {"BE", "\033[?2004h"},
    {"blink", "\033[5m"},
    {"bold", "\033[1m"},
    {"cbt", "\033[Z"},
    {"civis", "\033[?25l"},
    {"clear", "\033[H\033[2J"},
    {"clear", "\033[H\033[J"},
    {"cnorm", "\033[?12l\033[?25h"},
    {"cnorm", "\033[34h\033[?25h"},
    {"csr", "\033[1;24r"},
    {"cub", "\033[3D"},
    {"cud", "\033[3B"},
    {"cuf", "\033[3C"},
    {"cuf1", "\033[C"},
    {"cup", "\033[5;10H"},
    {"cuu", "\033[3A"},
    {"cuu1", "\033[A"},
    {"cuu1", "\033M"},
    {"cvvis", "\033[?12;25h"},
    {"cvvis", "\033[34l"},
    {"dch", "\033[2P"},
    {"dch1", "\033[P"},
    {"dim", "\033[2m"},
    {"dl", "\033[2M"},
    {"dl1", "\033[M"},
    {"E0", "\033(B"},
    {"E3", "\033[3J"},
    {"ech", "\033[5X"},
    {"ed", "\033[J"},
    {"el", "\033[K"},
    {"el1", "\033[1K"},
    {"enacs", "\033(B\033)0"},
    {"flash", "\033[?5h\033[?5l"},
    {"flash", "\033g"},
    {"home", "\033[H"},
    {"hpa", "\033[8G"},
    {"hts", "\033H"},
    {"ich", "\033[2@"},
    {"il", "\033[2L"},
    {"il1", "\033[L"},
    {"indn", "\033[2S"},
    {"invis", "\033[8m"},
    {"is2", "\033)0"},
    {"mgc", "\033[?69l"},
    {"nel", "\033E"},
    {"op", "\033[39;49m"},
    {"rc", "\0338"},
    {"rep", "x\033[19b"},
    {"rev", "\033[7m"},
    {"ri", "\033M"},
    {"rin", "\033[2T"},
    {"ritm", "\033[23m"},
    {"rmacs", "\033(B"},
    {"rmacs", "\017"},
    {"rmam", "\033[?7l"},
    {"rmcup", "\033[?1049l\033[23;0;0t"},
    {"rmcup", "\033[?1049l"},
    {"rmir", "\033[4l"},
    {"rmkx", "\033[?1l\033>"},
    {"rmm", "\033[?1034l"},
    {"rmso", "\033[27m"},
    {"rmso", "\033[23m"},
    {"rmul", "\033[24m"},
    {"rmxx", "\033[29m"},
    {"rs2", "\033c\033[?1000l\033[?25h"},
    {"S0", "\033(0"},
    {"sc", "\0337"},
    {"Se", "\033[2 q"},
    {"setab", "\033[48;5;200m"},
    {"setaf", "\033[91m"},
    {"sgr", "\033(0\033[0;1;2;4;7;5;8m"},
    {"sgr", "\033[0;1;4;7;5;2;8m\016"},
    {"sgr", "\033[0;1;3;4;7;5;2m\016"},
    {"sgr0", "\033(B\033[m"},
    {"sgr0", "\033[m\017"},
    {"sitm", "\033[3m"},
    {"smacs", "\033(0"},
    {"smacs", "\016"},
    {"smam", "\033[?7h"},
    {"smcup", "\033[?1049h\033[22;0;0t"},
    {"smcup", "\033[?1049h"},
    {"smglp", "\033[?69h\033[4s"},
    {"smglr", "\033[?69h\033[4;21s"},
    {"smgrp", "\033[?69h\033[;21s"},
    {"smir", "\033[4h"},
    {"smkx", "\033[?1h\033="},
    {"smm", "\033[?1034h"},
    {"smso", "\033[7m"},
    {"smso", "\033[3m"},
    {"smul", "\033[4m"},
    {"Smulx", "\033[4:3m"},
    {"smxx", "\033[9m"},
    {"Ss", "\033[4 q"},
    {"tbc", "\033[3g"},
    {"u7", "\033[6n"},
    {"u9", "\033[c"},
    {"vpa", "\033[6d"},
    {"XM", "\033[?1006;1000h"},
    // Newer descriptions.
    {"fd", "\033[?1004l"},
    {"fe", "\033[?1004h"},
    {"RV", "\033[>c"},
    {"setrgbf", "\033[38:2::1:2:3m"},
    {"Setulc", "\033[58:2::1:2:3m"},
    {"Smulx", "\033[4:5m"},
    {"Sync", "\033[?2026h"},
    {"XM", "\033[?1000;1002;1006h"},
});

struct Refused {
  std::string_view name, bytes, left;
};

constexpr auto kRefused = std::to_array<Refused>({
    {"Cr", "\033]112\007", ""},                    // cursor colour
    {"Cs", "\033]12;red\007", ""},                 // cursor colour
    {"initc", "\033]4;1;rgb:7F/7F/7F\033\\", ""},  // palette
    {"oc", "\033]104\007", ""},                    // palette
    {"Ms", "\033]52;c;eA==\007", ""},              // clipboard
    {"XR", "\033[>0q", ""},                        // name of the terminal
    {"mc0", "\033[i", ""},                         // printer
    {"mc4", "\033[4i", ""},
    {"mc5", "\033[5i", ""},
    {"meml", "\033l", ""},  // memory lock
    {"memu", "\033m", ""},
    {"is2", "\033[!p\033[?3;4l\033[4l\033>", "\033[!p\033[4l\033>"},  // 80 columns
    {"rs2", "\033[!p\033[?3;4l\033[4l\033>", "\033[!p\033[4l\033>"},
    {"rs1", "\033c\033]104\007", "\033c"},
});

TEST(Terminfo, EveryStringThatProgramsSendPassesUnchanged) {
  for (const Capability& capability : kCapabilities) {
    VtFilter filter;
    std::string out;
    filter.Feed("\033[22;0;0t", out);  // rmcup pops what smcup pushed
    out.clear();
    filter.Feed(capability.bytes, out);
    EXPECT_EQ(out, capability.bytes) << capability.name;
    EXPECT_EQ(filter.dropped(), 0U) << capability.name;
  }
}

TEST(Terminfo, WhatIsRefusedIsKnown) {
  for (const Refused& refused : kRefused) {
    VtFilter filter;
    std::string out;
    filter.Feed(refused.bytes, out);
    EXPECT_EQ(out, refused.left) << refused.name;
  }
}

TEST(Terminfo, AStatusLineIsATitle) {  // tsl, fsl, dsl of tmux
  VtFilter filter;
  std::string out;
  filter.Feed("\033]0;text\007\033]0;\007", out);
  EXPECT_EQ(out, "\033]0;text\033\\\033]0;\033\\");
}

std::string Recorded(const std::string& name) {
  std::ifstream file("tests/fuzz/corpus/vt_filter/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

struct Recording {
  std::string name;
  std::vector<std::string_view> dropped;  ///< all that may be missing
};

TEST(Recordings, PassButForWhatIsListed) {
  const std::vector<Recording> recordings = {
      {"bash", {}},
      {"less", {}},
      {"less_tmux", {}},
      {"ls", {}},
      {"top", {}},
      // A probe for terminals that do not know DCS or intermediates, and XTQMODKEYS.
      {"vim", {"\033Pzz\033\\", "\033[0%m", "\033[?4m"}},
      {"vim_screen", {"\033Pzz\033\\", "\033[0%m"}},
      {"tmux", {"\033[>q", "\033[?7727l"}},
      {"watch",
       {"\033]4;8;rgb:54/54/54\033\\", "\033]4;9;rgb:FF/54/54\033\\",
        "\033]4;10;rgb:54/FF/54\033\\", "\033]4;11;rgb:FF/FF/54\033\\",
        "\033]4;12;rgb:54/54/FF\033\\", "\033]4;13;rgb:FF/54/FF\033\\",
        "\033]4;14;rgb:54/FF/FF\033\\"}},
  };
  for (const Recording& recording : recordings) {
    SCOPED_TRACE(recording.name);
    const std::string stream = Recorded(recording.name);
    ASSERT_GT(stream.size(), 150U);
    std::string expected = Replaced(stream, "?\007", "?\033\\");  // questions about colours
    for (const std::string_view sequence : recording.dropped) {
      ASSERT_NE(expected.find(sequence), std::string::npos) << sequence.substr(1);
      expected = Replaced(expected, sequence, "");
    }
    VtFilter filter;
    std::string out;
    filter.Feed(stream, out);
    EXPECT_EQ(out, expected);
  }
}

TEST(Recordings, LeaveNothingOnInTheTerminal) {
  for (const std::string name : {"bash", "less", "less_tmux", "ls"}) {
    VtFilter filter;
    std::string out;
    filter.Feed(Recorded(name), out);
    EXPECT_EQ(ResetSequence(filter.modes()), "") << name;
  }
}

}  // namespace
}  // namespace asb
