// docs/reference/terminal.md against the filter: what the tables list passes or is dropped as they
// say, and nothing passes that they do not list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "terminal/filter.h"

namespace asb {
namespace {

using Words = std::set<std::string>;

/// What stands in backquotes in the first cells of the table below `heading`.
Words Listed(const std::string& heading) {
  std::ifstream file("docs/reference/terminal.md");
  Words words;
  std::string line;
  bool here = false;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here || !line.starts_with("| ")) continue;
    std::string first = line.substr(2, line.find(" | ") - 2);
    constexpr std::string_view kBackquote = "`` CSI ` ``";  // Markdown's way to quote one
    if (const std::size_t at = first.find(kBackquote); at != std::string::npos) {
      first.erase(at, kBackquote.size());
      words.insert("CSI `");
    }
    std::istringstream cell(first);
    std::string piece;
    for (bool quoted = false; std::getline(cell, piece, '`'); quoted = !quoted) {
      if (quoted && !piece.empty()) words.insert(piece);
    }
  }
  return words;
}

/// Of two sets that should be equal, what only one of them has.
Words Differing(const Words& a, const Words& b) {
  Words differing;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                std::inserter(differing, differing.end()));
  return differing;
}

bool Passes(const std::string& sequence) {
  VtFilter filter;
  std::string out;
  filter.Feed("\033[>1u\033[22t", out);  // so that there is something to pop
  out.clear();
  filter.Feed(sequence, out);
  return !out.empty();
}

/// "CSI ? 25 h" as bytes; a string gets a text and an end.
std::string Bytes(const std::string& spelled) {
  if (spelled == "DCS") return "\033Ptext\033\\";
  if (spelled == "APC") return "\033_text\033\\";
  if (spelled == "PM") return "\033^text\033\\";
  if (spelled == "SOS") return "\033Xtext\033\\";
  if (spelled == "ESC k") return "\033ktext\033\\";
  if (spelled == "ENQ") return "\005";
  std::istringstream words(spelled);
  std::string bytes;
  for (std::string word; words >> word;) {
    bytes += word == "CSI"   ? "\033["
             : word == "OSC" ? "\033]"
             : word == "ESC" ? "\033"
             : word == "SP"  ? " "
                             : word;
  }
  return bytes.starts_with("\033]") ? bytes + ";text\033\\" : bytes;
}

/// The sequences that pass, found by trying, spelled as in the table.
Words PassingCsi() {
  constexpr std::array<std::string_view, 15> kParameters{
      "", "0", "1", "2", "3", "4", "5", "6", "14", "16", "18", "22", "25", "4;1", "1;1"};
  Words found;
  for (const std::string prefix : {"", "<", "=", ">", "?"}) {
    for (char middle = ' ' - 1; middle <= '/'; ++middle) {
      const std::string between = middle < ' ' ? "" : std::string(1, middle);
      for (char final = '@'; final <= '~'; ++final) {
        for (const std::string_view parameters : kParameters) {
          const std::string body = prefix + std::string(parameters) + between + final;
          if (!Passes("\033[" + body)) continue;
          found.insert(fmt::format("CSI {}{}{}", prefix.empty() ? "" : prefix + " ",
                                   between.empty() ? ""
                                   : middle == ' ' ? "SP "
                                                   : between + " ",
                                   final));
          break;
        }
      }
    }
  }
  return found;
}

Words PassingEscapes() {
  Words found;
  for (char final = '0'; final <= '~'; ++final) {
    if (Passes(std::string("\033") + final)) found.insert(fmt::format("ESC {}", final));
    for (char middle = ' '; middle <= '/'; ++middle) {
      const bool other_set = middle == ')' || middle == '*' || middle == '+';  // as with '('
      const bool passes = Passes(std::string("\033") + middle + final);
      if (other_set) {
        EXPECT_EQ(passes, Passes(std::string("\033(") + final));
      } else if (passes) {
        found.insert(fmt::format("ESC {} {}", middle, final));
      }
    }
  }
  return found;
}

Words PassingOsc() {
  Words found;
  for (int number = 0; number < 10000; ++number) {
    for (const std::string_view text : {"x", ";https://a.example", "?"}) {
      if (Passes(fmt::format("\033]{};{}\007", number, text))) {
        found.insert(fmt::format("OSC {}", number));
      }
    }
  }
  return found;
}

TEST(TerminalReference, ListsExactlyWhatPasses) {
  Words passing = PassingCsi();
  passing.merge(PassingEscapes());
  passing.merge(PassingOsc());
  EXPECT_GT(passing.size(), 50U);
  EXPECT_EQ(Differing(Listed("What passes"), passing), Words{});
}

TEST(TerminalReference, ListsExactlyTheModes) {
  Words modes;
  for (int number = 0; number < 10000; ++number) {
    for (const std::string prefix : {"", "?"}) {
      const std::string mode = fmt::format("{}{}", prefix, number);
      const bool on = Passes("\033[" + mode + "h");
      EXPECT_EQ(on, Passes("\033[" + mode + "l"));
      if (on) modes.insert(mode);
    }
  }
  EXPECT_GT(modes.size(), 20U);
  EXPECT_EQ(Differing(Listed("Modes"), modes), Words{});
}

TEST(TerminalReference, WhatItCallsDroppedIsDropped) {
  const Words dropped = Listed("What is dropped");
  EXPECT_GT(dropped.size(), 30U);
  for (const std::string& sequence : dropped) EXPECT_FALSE(Passes(Bytes(sequence))) << sequence;
}

TEST(TerminalReference, ItsWayOfSpellingIsUnderstood) {
  EXPECT_TRUE(Passes(Bytes("CSI ? 25 h")));
  EXPECT_TRUE(Passes(Bytes("OSC 0")));
  EXPECT_TRUE(Passes(Bytes("ESC ( 0")));
  EXPECT_TRUE(Passes(Bytes("CSI SP q")));
}

}  // namespace
}  // namespace asb
