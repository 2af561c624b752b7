// Questions that a command may ask the person's terminal, and the answers to them in what the
// terminal sends. Every answer here holds only numbers; nothing that the command wrote comes back
// in it. Whoever reads the terminal next must not find an answer, so open questions are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asb {

enum class TerminalQuestion : std::uint8_t {
  kDevice,           ///< DA1
  kSecondaryDevice,  ///< DA2
  kStatus,
  kCursor,
  kCursorPage,  ///< DECXCPR
  kMode,        ///< DECRQM
  kKeyboard,    ///< kitty's flags
  kWindowPixels,
  kCellPixels,
  kWindowCells,
  kForeground,
  kBackground,
};

/// The question that CSI `body` is, where `body` runs from behind "ESC [" through the final byte.
std::optional<TerminalQuestion> CsiQuestion(std::string_view body);

/// The question that OSC `text` is.
std::optional<TerminalQuestion> OscQuestion(std::string_view text);

class OpenQuestions {
 public:
  /// False when this question already waits for as many answers as it may. The terminal then does
  /// not know it, or is flooded; either way nothing is lost by not asking again.
  bool Ask(TerminalQuestion question);

  /// Finds answers in what the terminal sent; they may be split anywhere between calls. An answer
  /// to kDevice also settles what was asked before it: terminals answer in order, and programs use
  /// that to learn that a question is unknown.
  void NoteInput(std::string_view in);

  int count() const { return static_cast<int>(open_.size()); }

 private:
  enum class State : std::uint8_t { kIdle, kEscape, kCsi, kOsc, kOscEscape };

  void Settle(std::optional<TerminalQuestion> question);

  std::vector<TerminalQuestion> open_;  ///< oldest first
  State state_ = State::kIdle;
  std::string held_;  ///< of an unfinished sequence; bounded
};

}  // namespace asb
