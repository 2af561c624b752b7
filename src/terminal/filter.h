// The filter between a command's pseudo terminal and the person's real one. A terminal is an
// interpreter: bytes can set its clipboard, make it type, or ask it what it knows. Only what has a
// row in sequences passes, rebuilt from its parts; everything else is dropped.
// Pure: bytes in, bytes out. Holds at most kMaxHeld bytes whatever it is fed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "terminal/modes.h"
#include "terminal/questions.h"
#include "terminal/sequences.h"

namespace asb {

class VtFilter {
 public:
  /// The longest part of an unfinished sequence that is kept; longer sequences are dropped.
  static constexpr std::size_t kMaxHeld = 4096;

  explicit VtFilter(TerminalText terminal = TerminalText::kUtf8) : terminal_(terminal) {}

  /// Appends to `out` what may reach the terminal of `in`. Sequences and characters may be split
  /// anywhere between calls; what is unfinished at the end of the last call never passes.
  void Feed(std::string_view in, std::string& out);

  /// What ResetSequence has to switch off when the command has ended.
  TerminalModes modes() const { return modes_.modes(); }

  /// Questions passed on to the terminal whose answers NoteInput has not met yet. Never negative,
  /// and bounded: a question that is never answered is soon not passed on any more.
  int open_questions() const { return questions_.count(); }

  /// Counts the answers in what the terminal sent. The input itself is never changed.
  void NoteInput(std::string_view in) { questions_.NoteInput(in); }

  /// Sequences and control characters that did not pass, or not whole.
  std::uint64_t dropped() const { return dropped_; }

  /// Bytes kept of an unfinished sequence.
  std::size_t held() const { return held_.size(); }

 private:
  enum class State : std::uint8_t {
    kText,
    kCharacter,  ///< held_: the first bytes of a UTF-8 character
    kEscape,     ///< held_: intermediates
    kCsi,        ///< held_: all behind "ESC ["
    kOsc,        ///< held_: all behind "ESC ]"
    kOscEscape,  ///< ESC inside an OSC string: the end of it, if '\' follows
    kString,     ///< DCS, SOS, PM, APC or a title of tmux: nothing is kept
  };

  // Each takes in[at] or more and returns where the next one goes on. A byte that ends a state and
  // belongs to the next one is not taken.
  std::size_t TakeText(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeCharacter(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeEscape(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeCsi(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeOsc(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeOscEscape(std::string_view in, std::size_t at, std::string& out);
  std::size_t TakeString(std::string_view in, std::size_t at);

  void Enter(State state);
  void Drop();                        ///< what is held, and back to text
  void Hold(std::string_view bytes);  ///< as much of them as may be
  void Control(char c, std::string& out);
  bool TakeInsideSequence(char c, std::string& out);
  void EndCharacter(std::string& out);
  void EndEscape(char final, std::string& out);
  void EndCsi(char final, std::string& out);
  void EndOsc(std::string& out);

  TerminalText terminal_;
  State state_ = State::kText;
  std::string held_;
  ModeTracker modes_;
  OpenQuestions questions_;
  std::uint64_t dropped_ = 0;
};

}  // namespace asb
