#include "terminal/questions.h"

#include <algorithm>
#include <array>

#include "terminal/modes.h"

namespace asb {
namespace {

constexpr char kEsc = '\033';
constexpr char kBel = '\007';

struct Spelling {
  std::string_view body;
  TerminalQuestion question;
};

constexpr auto kAsked = std::to_array<Spelling>({
    {"c", TerminalQuestion::kDevice},
    {"0c", TerminalQuestion::kDevice},
    {">c", TerminalQuestion::kSecondaryDevice},
    {">0c", TerminalQuestion::kSecondaryDevice},
    {"5n", TerminalQuestion::kStatus},
    {"6n", TerminalQuestion::kCursor},
    {"?6n", TerminalQuestion::kCursorPage},
    {"?u", TerminalQuestion::kKeyboard},
    {"14t", TerminalQuestion::kWindowPixels},
    {"16t", TerminalQuestion::kCellPixels},
    {"18t", TerminalQuestion::kWindowCells},
});

/// How the answers look: first bytes behind "ESC [", last bytes, and digits, ';' and ':' between.
struct AnswerShape {
  std::string_view first, last;
  TerminalQuestion question;
};

constexpr auto kAnswers = std::to_array<AnswerShape>({
    {"?", "c", TerminalQuestion::kDevice},
    {">", "c", TerminalQuestion::kSecondaryDevice},
    {"", "n", TerminalQuestion::kStatus},
    {"", "R", TerminalQuestion::kCursor},
    {"?", "R", TerminalQuestion::kCursorPage},
    {"?", "$y", TerminalQuestion::kMode},
    {"?", "u", TerminalQuestion::kKeyboard},
    {"4;", "t", TerminalQuestion::kWindowPixels},
    {"6;", "t", TerminalQuestion::kCellPixels},
    {"8;", "t", TerminalQuestion::kWindowCells},
});

constexpr int kMaxOpen = 32;  ///< of one question
constexpr std::size_t kMaxHeld = 128;

bool Fits(const AnswerShape& shape, std::string_view body) {
  if (body.size() < shape.first.size() + shape.last.size()) return false;
  if (!body.starts_with(shape.first) || !body.ends_with(shape.last)) return false;
  body.remove_prefix(shape.first.size());
  body.remove_suffix(shape.last.size());
  return body.find_first_not_of("0123456789;:") == std::string_view::npos;
}

std::optional<TerminalQuestion> CsiAnswer(std::string_view body) {
  const auto* found = std::find_if(kAnswers.begin(), kAnswers.end(),
                                   [body](const AnswerShape& shape) { return Fits(shape, body); });
  return found == kAnswers.end() ? std::nullopt : std::optional(found->question);
}

std::optional<TerminalQuestion> OscAnswer(std::string_view text) {
  if (text.starts_with("10;")) return TerminalQuestion::kForeground;
  if (text.starts_with("11;")) return TerminalQuestion::kBackground;
  return std::nullopt;
}

}  // namespace

std::optional<TerminalQuestion> CsiQuestion(std::string_view body) {
  // Most sequences are colours and movements; a look at the last byte tells.
  if (body.empty() || std::string_view("cnptu").find(body.back()) == std::string_view::npos) {
    return std::nullopt;
  }
  const auto* found = std::find_if(kAsked.begin(), kAsked.end(),
                                   [body](const Spelling& row) { return row.body == body; });
  if (found != kAsked.end()) return found->question;
  if (!body.starts_with('?') || !body.ends_with("$p")) return std::nullopt;
  // Only about modes that pass: told of another one, a program would switch it and rely on it.
  const std::string_view digits = body.substr(1, body.size() - 3);
  constexpr std::size_t kLongest = 4;
  if (digits.empty() || digits.size() > kLongest) return std::nullopt;
  unsigned number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return IsSwitchable('?', number) ? std::optional(TerminalQuestion::kMode) : std::nullopt;
}

std::optional<TerminalQuestion> OscQuestion(std::string_view text) {
  if (text == "10;?") return TerminalQuestion::kForeground;
  if (text == "11;?") return TerminalQuestion::kBackground;
  return std::nullopt;
}

bool OpenQuestions::Ask(TerminalQuestion question) {
  if (std::count(open_.begin(), open_.end(), question) >= kMaxOpen) return false;
  open_.push_back(question);
  return true;
}

void OpenQuestions::Settle(std::optional<TerminalQuestion> question) {
  if (!question) return;
  const auto found = std::find(open_.begin(), open_.end(), *question);
  if (found == open_.end()) return;  // a key that looks like an answer, such as shift and F3
  open_.erase(*question == TerminalQuestion::kDevice ? open_.begin() : found, found + 1);
}

void OpenQuestions::NoteInput(std::string_view in) {
  for (const char c : in) {
    const bool ends_string = state_ == State::kOsc && c == kBel;
    const bool ends_by_escape = state_ == State::kOscEscape && c == '\\';
    if (ends_string || ends_by_escape) {
      Settle(OscAnswer(held_));
      state_ = State::kIdle;
    } else if (c == kEsc) {
      state_ = state_ == State::kOsc ? State::kOscEscape : State::kEscape;
    } else if (state_ == State::kEscape || state_ == State::kOscEscape) {
      state_ = c == '[' ? State::kCsi : c == ']' ? State::kOsc : State::kIdle;
      held_.clear();
    } else if (state_ == State::kCsi || state_ == State::kOsc) {
      if (held_.size() < kMaxHeld) held_ += c;
      if (state_ == State::kOsc || static_cast<unsigned char>(c) < 0x40) continue;
      // Longer than what is held, its last byte is missing and it is no answer.
      if (held_.back() == c) Settle(CsiAnswer(held_));
      state_ = State::kIdle;
    }
  }
}

}  // namespace asb
