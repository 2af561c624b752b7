// What a command has changed in the person's terminal, as plain bits, and how to change it back.
// Knows modes by name and number; how they are spelled in a stream is for sequences.
// A bit may stay set after the terminal switched the mode off on its own (a soft reset, say); it is
// never clear while the mode is on, so sending the reset is always enough.
#pragma once

#include <cstdint>
#include <string>

namespace asb {

/// Bit i is the Mode with the number i; the depths of three stacks lie above. Plain bits, so that
/// they can live in memory shared with the process that outlives a crash.
using TerminalModes = std::uint64_t;

/// In the order in which they are switched off: what draws first, then the screen, then what
/// leaving the screen may bring back.
enum class TerminalMode : std::uint8_t {
  kSynchronizedOutput,
  kHyperlink,
  kAlternate47,  ///< the alternate screen, by the number that entered it
  kAlternate1047,
  kAlternate1049,
  kOrigin,
  kGraphics,  ///< colours and other SGR attributes
  kFont,
  kShiftOut,
  kCharsetG0,  ///< designated to something else than ASCII
  kCharsetG1,
  kCharsetG2,
  kCharsetG3,
  kSideMargins,
  kScrollRegion,
  kNoWrap,
  kInsert,
  kNewLine,
  kTabStops,
  kReverseScreen,
  kHiddenCursor,
  kCursorBlink,
  kStrongCursor,  ///< mode 34 of screen and tmux
  kCursorStyle,
  kApplicationCursorKeys,
  kApplicationKeypad,
  kMetaKey,
  kModifyOtherKeys,
  kKeyboardSetAlternate,  ///< kitty's flags set without a push, on the alternate screen
  kKeyboardSetMain,
  kBracketedPaste,
  kFocusEvents,
  kMouse1000,
  kMouse1002,
  kMouse1003,
  kMouse1005,
  kMouse1006,
  kMouse1007,
  kMouse1015,
  kCount,
};

constexpr TerminalModes ModeBit(TerminalMode mode) {
  return TerminalModes{1} << static_cast<unsigned>(mode);
}

/// The bytes that switch exactly those off, and nothing of what was there before the command.
std::string ResetSequence(TerminalModes modes);

/// Stacks in the terminal on which a command may push: kitty's keyboard flags, one for each screen,
/// and xterm's titles.
enum class TerminalStack : std::uint8_t { kKeyboardMain, kKeyboardAlternate, kTitle };

/// Entries that a command may have on one stack. Terminals keep about ten and push out the oldest,
/// which would be the person's.
inline constexpr unsigned kMaxStackDepth = 7;

/// Entries on `stack` that the command pushed and did not pop.
unsigned StackDepth(TerminalModes modes, TerminalStack stack);

/// Follows a stream of sequences that pass.
class ModeTracker {
 public:
  TerminalModes modes() const { return modes_; }

  /// SM, RM ('h', 'l'; `prefix` 0) and DECSET, DECRST (`prefix` '?').
  void Switch(char prefix, unsigned number, char final);
  void Set(TerminalMode mode) { modes_ |= ModeBit(mode); }
  void Clear(TerminalMode mode) { modes_ &= ~ModeBit(mode); }

  /// Terminals save attributes, character sets, origin and wrap with the cursor and bring them
  /// back.
  void SaveCursor();
  void RestoreCursor() { modes_ |= saved_; }

  /// False when the stack holds as much as a command may push.
  bool Push(TerminalStack stack);
  /// How many of `count` entries are the command's own, and forgets those.
  unsigned Pop(TerminalStack stack, unsigned count);
  /// The keyboard stack of the screen that is shown.
  TerminalStack KeyboardStack() const;
  /// Kitty's flags changed in place; `how` is 1 (replace), 2 (add) or 3 (take away).
  void SetKeyboard(unsigned flags, unsigned how);

  /// ESC c, after which everything is as the terminal starts.
  void Reset() { modes_ = saved_ = 0; }

 private:
  TerminalModes modes_ = 0;
  TerminalModes saved_ = 0;  ///< what RestoreCursor may bring back: the union of all saves
};

/// True for a mode that a command may switch: `prefix` 0 or '?'.
bool IsSwitchable(char prefix, unsigned number);

}  // namespace asb
