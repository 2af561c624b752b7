#include "base/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace asb {
namespace {

Diagnostic Example() {
  Diagnostic d;
  d.place = "config.toml";
  d.line = 7;
  d.column = 1;
  d.width = 8;
  d.message = "unknown key 'whitlist'";
  d.hint = "did you mean 'whitelist'?";
  d.source_line = "whitlist = true";
  return d;
}

TEST(RenderDiagnostic, ShowsTheLineAndWhatWasMeant) {
  EXPECT_EQ(RenderDiagnostic(Example()),
            "config.toml:7:1: unknown key 'whitlist'\n"
            "    whitlist = true\n"
            "    ^~~~~~~~  did you mean 'whitelist'?\n");
}

TEST(RenderDiagnostic, TheCaretCountsCharactersNotBytes) {
  Diagnostic d = Example();
  d.source_line = "\tü = whitlist";
  d.column = 6;
  EXPECT_EQ(RenderDiagnostic(d),
            "config.toml:7:6: unknown key 'whitlist'\n"
            "     ü = whitlist\n"
            "         ^~~~~~~~  did you mean 'whitelist'?\n");
}

TEST(RenderDiagnostic, TheSourceLineCannotActOnATerminal) {
  Diagnostic d = Example();
  d.source_line = "whitlist = \"\x1b]0;x\x07\"";
  EXPECT_EQ(RenderDiagnostic(d).find('\x1b'), std::string::npos);
}

TEST(RenderDiagnostic, WithoutALineThereIsNoCaret) {
  Diagnostic d;
  d.place = "command line --ro";
  d.message = "needs a PATH";
  d.fix = "give one";
  EXPECT_EQ(RenderDiagnostic(d), "command line --ro: needs a PATH\n  fix: give one\n");
}

TEST(RenderDiagnostics, SortsByPlaceAndCounts) {
  Diagnostic later = Example();
  later.line = 12;
  later.source_line.clear();
  later.hint.clear();
  later.message = "b";
  Diagnostic first = later;
  first.line = 9;
  first.message = "a";
  EXPECT_EQ(RenderDiagnostics({later, first}),
            "config.toml:9:1: a\nconfig.toml:12:1: b\n2 errors\n");
}

TEST(RenderDiagnostics, ShowsFiftyAndCountsAll) {
  Diagnostic d;
  d.place = "config.toml";
  d.message = "a";
  const std::string out = RenderDiagnostics(Diagnostics(1234, d));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 52);
  EXPECT_TRUE(out.ends_with("config.toml: a\n… and 1184 more\n1234 errors\n"));
}

}  // namespace
}  // namespace asb
