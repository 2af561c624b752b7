#include "base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace asb {
namespace {

constexpr std::size_t kMostShown = 50;  // nobody reads further before mending these

/// The source line and the caret under it. Tabs become one blank so that the caret stands right.
std::string RenderCaret(const Diagnostic& d) {
  std::string line = d.source_line;
  std::replace(line.begin(), line.end(), '\t', ' ');
  if (line.empty() || line.size() > kWidestSourceLine || d.column == 0) return {};
  const std::string_view text = line;
  const std::size_t first = ByteOfCharacter(text, d.column - 1);
  const std::size_t length = ByteOfCharacter(text.substr(first), d.width);
  const std::string before = Printable(text.substr(0, first));
  const std::string marked = Printable(text.substr(first, length));
  const std::string after = Printable(text.substr(first + length));
  std::string caret(4 + CharacterCount(before), ' ');
  caret += '^';
  if (const std::size_t wide = CharacterCount(marked); wide > 1) caret.append(wide - 1, '~');
  if (!d.hint.empty()) caret += "  " + Printable(d.hint);
  return fmt::format("    {}{}{}\n{}\n", before, marked, after, caret);
}

}  // namespace

std::string RenderDiagnostic(const Diagnostic& d) {
  std::string out = Printable(d.place);
  if (d.line > 0) out += fmt::format(":{}", d.line);
  if (d.line > 0 && d.column > 0) out += fmt::format(":{}", d.column);
  out += fmt::format(": {}\n", Printable(d.message));
  const std::string caret = RenderCaret(d);
  if (!caret.empty()) {
    out += caret;
  } else if (!d.hint.empty()) {
    out += fmt::format("    {}\n", Printable(d.hint));
  }
  if (!d.fix.empty()) out += fmt::format("  fix: {}\n", Printable(d.fix));
  return out;
}

std::string RenderDiagnostics(Diagnostics diagnostics) {
  std::stable_sort(
      diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.place, a.line, a.column) < std::tie(b.place, b.line, b.column);
      });
  std::string out;
  const std::size_t shown = std::min(diagnostics.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) out += RenderDiagnostic(diagnostics[i]);
  if (shown < diagnostics.size()) out += fmt::format("… and {} more\n", diagnostics.size() - shown);
  return out + Count(diagnostics.size(), "error") + "\n";
}

}  // namespace asb
