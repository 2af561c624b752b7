#include "terminal/sequences.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "terminal/modes.h"

namespace asb {
namespace {

struct EscapeRow {
  std::string_view intermediates;
  std::string_view finals;  ///< any one of these
  VtEffect effect;
};

// Not here: ESC Z and ESC SP F ask or switch to 8-bit controls, ESC % @ leaves UTF-8, ESC n o | } ~
// and ESC N O shift to sets that nothing uses, ESC l m lock memory.
constexpr auto kEscapes = std::to_array<EscapeRow>({
    {"", "7", VtEffect::kSaveCursor},
    {"", "8", VtEffect::kRestoreCursor},
    {"", "DEM", VtEffect::kNothing},  // line feed, new line, reverse line feed
    {"", "H", VtEffect::kTabStops},
    {"", "=", VtEffect::kKeypadOn},
    {"", ">", VtEffect::kKeypadOff},
    {"", "c", VtEffect::kResetAll},
    {"", "g", VtEffect::kNothing},  // screen's visible bell
    {"(", "012AB", VtEffect::kCharset},
    {")", "012AB", VtEffect::kCharset},
    {"*", "012AB", VtEffect::kCharset},
    {"+", "012AB", VtEffect::kCharset},
    {"#", "34568", VtEffect::kNothing},  // double size lines, alignment pattern
    {"%", "G", VtEffect::kNothing},      // UTF-8
});

struct CsiRow {
  char prefix;
  std::string_view intermediates;
  char final;
  std::uint8_t max_count;
  std::uint32_t max_value;
  VtEffect effect;
};

constexpr std::uint32_t kAny = kMaxParameter;
constexpr std::uint32_t kMaxRepeat =
    1024;  // no line is longer; each repeat costs the terminal time

constexpr auto kCsi = std::to_array<CsiRow>({
    {0, "", '@', 1, kAny, VtEffect::kNothing},        // insert characters
    {0, "", 'A', 1, kAny, VtEffect::kNothing},        // cursor up
    {0, "", 'B', 1, kAny, VtEffect::kNothing},        // cursor down
    {0, "", 'C', 1, kAny, VtEffect::kNothing},        // cursor right
    {0, "", 'D', 1, kAny, VtEffect::kNothing},        // cursor left
    {0, "", 'E', 1, kAny, VtEffect::kNothing},        // next lines
    {0, "", 'F', 1, kAny, VtEffect::kNothing},        // previous lines
    {0, "", 'G', 1, kAny, VtEffect::kNothing},        // column
    {0, "", 'H', 2, kAny, VtEffect::kNothing},        // position
    {0, "", 'I', 1, kAny, VtEffect::kNothing},        // tabs forward
    {0, "", 'J', 1, 3, VtEffect::kNothing},           // erase in display
    {0, "", 'K', 1, 2, VtEffect::kNothing},           // erase in line
    {0, "", 'L', 1, kAny, VtEffect::kNothing},        // insert lines
    {0, "", 'M', 1, kAny, VtEffect::kNothing},        // delete lines
    {0, "", 'P', 1, kAny, VtEffect::kNothing},        // delete characters
    {0, "", 'S', 1, kAny, VtEffect::kNothing},        // scroll up
    {0, "", 'T', 1, kAny, VtEffect::kNothing},        // scroll down; with five numbers xterm waits
    {0, "", 'X', 1, kAny, VtEffect::kNothing},        // erase characters
    {0, "", 'Z', 1, kAny, VtEffect::kNothing},        // tabs back
    {0, "", '`', 1, kAny, VtEffect::kNothing},        // column
    {0, "", 'a', 1, kAny, VtEffect::kNothing},        // columns forward
    {0, "", 'b', 1, kMaxRepeat, VtEffect::kNothing},  // repeat the character
    {0, "", 'd', 1, kAny, VtEffect::kNothing},        // line
    {0, "", 'e', 1, kAny, VtEffect::kNothing},        // lines forward
    {0, "", 'f', 2, kAny, VtEffect::kNothing},        // position
    {0, "", 'g', 1, 5, VtEffect::kTabStops},
    {0, "", 'h', kMaxParameters, kAny, VtEffect::kSwitchModes},
    {0, "", 'l', kMaxParameters, kAny, VtEffect::kSwitchModes},
    {0, "", 'm', kMaxParameters, kAny, VtEffect::kGraphics},
    {0, "", 'r', 2, kAny, VtEffect::kScrollRegion},
    {0, "", 's', 2, kAny, VtEffect::kSaveCursor},  // with numbers: margins, once ?69 is on
    {0, "", 't', 3, 23, VtEffect::kTitleStack},
    {0, "", 'u', 0, 0, VtEffect::kRestoreCursor},
    {0, " ", 'q', 1, 6, VtEffect::kCursorStyle},
    {0, "!", 'p', 0, 0, VtEffect::kNothing},  // soft reset
    {'?', "", 'h', kMaxParameters, kAny, VtEffect::kSwitchModes},
    {'?', "", 'l', kMaxParameters, kAny, VtEffect::kSwitchModes},
    {'>', "", 'm', 2, 4, VtEffect::kModifyOtherKeys},
    {'>', "", 'u', 1, 31, VtEffect::kKeyboardPush},
    {'<', "", 'u', 1, kAny, VtEffect::kKeyboardPop},
    {'=', "", 'u', 2, 31, VtEffect::kKeyboardSet},
});

/// What a row's bounds cannot say.
bool ParametersFit(const CsiSequence& csi, VtEffect effect) {
  if (effect == VtEffect::kTitleStack) {  // 22 pushes, 23 pops; which title; a place in the stack
    return (csi.value(0) == 22 || csi.value(0) == 23) && csi.value(1) <= 2 && csi.value(2) == 0;
  }
  if (effect == VtEffect::kModifyOtherKeys) return csi.value(0) == 4 && csi.value(1) <= 3;
  if (effect == VtEffect::kKeyboardSet) return csi.value(1) <= 3;
  return true;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsIntermediate(char c) { return c >= ' ' && c <= '/'; }

/// Digits, ';' and ':' into values. False when there are too many or one is too large.
bool ParseParameters(CsiSequence& csi) {
  if (csi.parameters.empty()) return true;
  csi.count = 1;
  for (const char c : csi.parameters) {
    if (!IsDigit(c)) {
      csi.colons = csi.colons || c == ':';
      if (csi.count == kMaxParameters) return false;
      ++csi.count;
      continue;
    }
    std::uint32_t& value = csi.values[csi.count - 1];
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
    if (value > kMaxParameter) return false;
  }
  return true;
}

constexpr std::size_t kMaxTitle = 200;
constexpr std::size_t kMaxUrl = 2048;
constexpr std::size_t kMaxLinkId = 250;

/// Printable as everywhere in this project, but for what emoji are made of.
bool IsTitle(std::string_view text, TerminalText terminal) {
  if (text.size() > kMaxTitle) return false;
  std::string rest(text);
  for (const std::string_view joiner : {"\u200d", "\ufe0e", "\ufe0f"}) {
    for (std::size_t at = rest.find(joiner); at != std::string::npos; at = rest.find(joiner)) {
      rest.erase(at, joiner.size());
    }
  }
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < '\177'; });
  return terminal == TerminalText::kAscii ? ascii : Printable(rest) == rest;
}

/// The bytes that RFC 3986 allows, so that no program on the way to the browser sees a quote, a
/// backslash or a space.
bool IsUrlByte(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || IsDigit(c) ||
         (c != 0 && std::string_view("-._~:/?#[]@!$&'()*+,;=%").find(c) != std::string_view::npos);
}

bool IsLinkUrl(std::string_view url) {
  if (url.size() > kMaxUrl || !std::all_of(url.begin(), url.end(), IsUrlByte)) return false;
  const std::string lower = LowerCase(url);
  if (lower.starts_with("mailto:")) return url.size() > 7;
  std::size_t authority = 0;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (lower.starts_with(scheme)) authority = scheme.size();
  }
  if (authority == 0) return false;
  // "https://bank.example@evil.example" is there to be misread.
  const std::string_view host =
      url.substr(authority, url.find_first_of("/?#", authority) - authority);
  return !host.empty() && host.find('@') == std::string_view::npos;
}

bool AreLinkParameters(std::string_view text) {
  if (text.empty()) return true;
  if (!text.starts_with("id=") || text.size() > kMaxLinkId) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != ':'; });
}

}  // namespace

std::optional<CsiSequence> ParseCsi(std::string_view body) {
  if (body.empty() || body.size() > kMaxCsi) return std::nullopt;
  CsiSequence csi;
  csi.final = body.back();
  body.remove_suffix(1);
  if (!body.empty() && body[0] >= '<' && body[0] <= '?') {
    csi.prefix = body[0];
    body.remove_prefix(1);
  }
  const std::size_t split = std::min(body.find_first_not_of("0123456789;:"), body.size());
  csi.parameters = body.substr(0, split);
  csi.intermediates = body.substr(split);
  const bool plain =
      std::all_of(csi.intermediates.begin(), csi.intermediates.end(), IsIntermediate);
  if (!plain || !ParseParameters(csi)) return std::nullopt;
  return csi;
}

std::optional<VtEffect> CsiEffect(const CsiSequence& csi) {
  const auto* row = std::find_if(kCsi.begin(), kCsi.end(), [&csi](const CsiRow& r) {
    return r.final == csi.final && r.prefix == csi.prefix && r.intermediates == csi.intermediates;
  });
  if (row == kCsi.end() || csi.count > row->max_count) return std::nullopt;
  if (csi.colons && row->effect != VtEffect::kGraphics) return std::nullopt;
  const auto* const end = csi.values.begin() + csi.count;
  const bool in_bounds = std::all_of(
      csi.values.begin(), end, [row](std::uint32_t value) { return value <= row->max_value; });
  if (!in_bounds || !ParametersFit(csi, row->effect)) return std::nullopt;
  return row->effect;
}

std::optional<VtEffect> EscapeEffect(std::string_view intermediates, char final) {
  const auto* row = std::find_if(kEscapes.begin(), kEscapes.end(), [=](const EscapeRow& r) {
    return r.intermediates == intermediates && r.finals.find(final) != std::string_view::npos;
  });
  return row == kEscapes.end() ? std::nullopt : std::optional(row->effect);
}

std::optional<OscEffect> OscEffectOf(std::string_view text, TerminalText terminal) {
  const std::size_t semicolon = text.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(0, semicolon);
  const std::string_view rest = text.substr(semicolon + 1);
  if (number == "0" || number == "1" || number == "2") {
    return IsTitle(rest, terminal) ? std::optional(OscEffect::kTitle) : std::nullopt;
  }
  if (number != "8") return std::nullopt;
  const std::size_t second = rest.find(';');
  if (second == std::string_view::npos || !AreLinkParameters(rest.substr(0, second))) {
    return std::nullopt;
  }
  const std::string_view url = rest.substr(second + 1);
  if (url.empty()) return OscEffect::kHyperlinkEnd;
  return IsLinkUrl(url) ? std::optional(OscEffect::kHyperlink) : std::nullopt;
}

}  // namespace asb
