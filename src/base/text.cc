#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace asb {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< 0: not UTF-8 here
};

CodePoint DecodeAt(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t value = 0;
  std::uint32_t smallest = 0;  // anything below is an overlong form
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, value = first & 0x1FU, smallest = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, value = first & 0x0FU, smallest = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, value = first & 0x07U, smallest = 0x10000;
  } else {
    return {};
  }
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte(at + i);
    if ((next & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return {};
  return {value, length};
}

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

struct Range {
  std::uint32_t first, last;
};

// Code points that change how other text is shown or show nothing at all.
constexpr std::array<Range, 13> kInvisible{{
    {0x0000, 0x001F},    // C0
    {0x007F, 0x009F},    // DEL, C1
    {0x00AD, 0x00AD},    // soft hyphen
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200F},    // zero width, directional marks
    {0x2028, 0x202E},    // line separators, bidi embeddings
    {0x2060, 0x206F},    // joiners, bidi isolates
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE0FFF},  // tags
}};

bool IsVisible(std::uint32_t value) {
  return std::none_of(kInvisible.begin(), kInvisible.end(), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

bool AllVisible(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] >= 0x20 && bytes[at] < 0x7F) {  // plain ASCII, which most text is
      ++at;
      continue;
    }
    const CodePoint point = DecodeAt(bytes, at);
    if (point.length == 0 || !IsVisible(point.value)) return false;
    at += point.length;
  }
  return true;
}

std::string EscapeByte(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

/// Damerau's distance with swapped neighbours as one step.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(row);
  }
  return previous[b.size()];
}

}  // namespace

std::size_t Utf8Prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const CodePoint point = DecodeAt(bytes, at);
    if (point.length == 0) break;
    at += point.length;
  }
  return at;
}

bool IsUtf8(std::string_view bytes) { return Utf8Prefix(bytes) == bytes.size(); }

std::size_t CharacterCount(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::size_t ByteOfCharacter(std::string_view text, std::size_t number) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (StartsCharacter(text[at]) && seen++ == number) return at;
  }
  return text.size();
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string Printable(std::string_view bytes) {
  if (AllVisible(bytes)) return std::string(bytes);
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = DecodeAt(bytes, at);
    if (point.length == 0) {
      out += EscapeByte(bytes[at]);
      at += 1;
      continue;
    }
    if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value == '\\') {
      out += "\\\\";
    } else if (IsVisible(point.value)) {
      out += bytes.substr(at, point.length);
    } else if (point.length == 1) {
      out += EscapeByte(bytes[at]);
    } else {
      out += fmt::format("\\u{{{:04x}}}", point.value);
    }
    at += point.length;
  }
  return out;
}

std::string ShellQuote(std::string_view bytes) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  const bool plain = !bytes.empty() && bytes.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain) return std::string(bytes);
  if (AllVisible(bytes)) {
    std::string out = "'";
    for (const char c : bytes) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    return out + "'";
  }
  std::string out = "$'";
  for (const char c : bytes) {
    const bool ascii = c >= 0x20 && c < 0x7F;
    if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (ascii) {
      out += c;
    } else {
      out += EscapeByte(c);
    }
  }
  return out + "'";
}

std::optional<std::string_view> NearestWord(std::string_view word,
                                            std::span<const std::string_view> candidates) {
  std::optional<std::string_view> nearest;
  constexpr std::size_t kLongest = 64;  // nobody mistypes that far, and the distance is quadratic
  if (word.size() > kLongest) return nearest;
  std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  const std::string lower = LowerCase(word);
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(lower, LowerCase(candidate));
    if (distance > allowed || distance >= std::max(word.size(), candidate.size())) continue;
    if (nearest && distance == allowed) continue;
    nearest = candidate;
    allowed = distance;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto nearest = NearestWord(word, candidates);
  return nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
}

std::string JoinWords(std::span<const std::string_view> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string Count(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace asb
