// What may reach the person's terminal, as tables: escape sequences, CSI sequences and OSC strings.
// What has no row is dropped. docs/reference/terminal.md shows these tables to people and a test
// compares the two. Decides about one finished sequence at a time; knows no stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace asb {

/// What the bytes of text mean to the person's terminal.
enum class TerminalText : std::uint8_t {
  kUtf8,
  kAscii,  ///< an 8-bit terminal: a byte inside a UTF-8 character could be a control to it
};

/// What a sequence that passes changes.
enum class VtEffect : std::uint8_t {
  kNothing,
  kSwitchModes,
  kGraphics,
  kScrollRegion,
  kSaveCursor,
  kRestoreCursor,
  kTabStops,
  kCursorStyle,
  kKeypadOn,
  kKeypadOff,
  kCharset,
  kModifyOtherKeys,
  kKeyboardPush,
  kKeyboardPop,
  kKeyboardSet,
  kTitleStack,
  kResetAll,
};

inline constexpr std::size_t kMaxCsi = 256;  ///< bytes behind "ESC ["
inline constexpr std::size_t kMaxParameters = 32;
inline constexpr std::uint32_t kMaxParameter = 65535;

/// A CSI sequence taken apart; views into what it was parsed from.
struct CsiSequence {
  char prefix = 0;  ///< '<', '=', '>', '?' or 0
  std::string_view parameters;
  std::string_view intermediates;
  char final = 0;
  std::array<std::uint32_t, kMaxParameters> values{};  ///< an omitted one is 0
  std::size_t count = 0;                               ///< 0: no parameter at all
  bool colons = false;

  std::uint32_t value(std::size_t i) const { return i < count ? values[i] : 0; }
};

/// `body` runs from behind "ESC [" through the final byte. Nothing when it is malformed, too long,
/// or has more or larger parameters than a terminal should have to read.
std::optional<CsiSequence> ParseCsi(std::string_view body);

/// The effect of a CSI sequence that passes. Questions (CsiQuestion) are apart.
std::optional<VtEffect> CsiEffect(const CsiSequence& csi);

/// The effect of "ESC `intermediates` `final`" when it passes.
std::optional<VtEffect> EscapeEffect(std::string_view intermediates, char final);

enum class OscEffect : std::uint8_t { kTitle, kHyperlink, kHyperlinkEnd };

/// What an OSC string that passes does. Questions (OscQuestion) are apart.
std::optional<OscEffect> OscEffectOf(std::string_view text, TerminalText terminal);

}  // namespace asb
