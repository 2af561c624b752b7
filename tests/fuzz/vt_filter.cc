// Any bytes as a command's output: the filter gives text and sequences it would pass again, the
// same however the stream is cut, and keeps little. The same bytes as what the terminal sends:
// counted without harm. The first byte says how long the pieces are.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "terminal/filter.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireHarmless(std::string_view out) {
  Require(asb::IsUtf8(out));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto c = static_cast<unsigned char>(out[i]);
    Require(c == 0x1b || c >= 0x20 || (c >= 0x07 && c <= 0x0f));
    Require(c != 0x7f);
    Require(c != 0xc2 || static_cast<unsigned char>(out[i + 1]) >= 0xa0);
    if (c != 0x1b) continue;
    Require(i + 1 < out.size());
    Require(std::string_view("[]\\78DEMH=>cg()*+#%").find(out[i + 1]) != std::string_view::npos);
  }
  for (const std::string_view harm : {"\033]52", "\033]4;", "\033[21t", "\033[20t", "\033[>q"}) {
    Require(out.find(harm) == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = data[0] % 16 + 1;
  const std::string_view stream(reinterpret_cast<const char*>(data + 1), size - 1);
  for (const asb::TerminalText terminal : {asb::TerminalText::kUtf8, asb::TerminalText::kAscii}) {
    asb::VtFilter whole(terminal);
    std::string out;
    whole.Feed(stream, out);
    RequireHarmless(out);

    asb::VtFilter pieces(terminal);
    std::string cut;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      pieces.Feed(stream.substr(at, step), cut);
      Require(pieces.held() <= asb::VtFilter::kMaxHeld);
    }
    Require(cut == out && pieces.modes() == whole.modes());

    asb::VtFilter again(terminal);
    std::string twice;
    again.Feed(out, twice);
    Require(twice == out && again.dropped() == 0);

    const int open = whole.open_questions();
    whole.NoteInput(stream);
    Require(whole.open_questions() >= 0 && whole.open_questions() <= open);
    RequireHarmless(asb::ResetSequence(whole.modes()));
  }
  return 0;
}
