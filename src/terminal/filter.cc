#include "terminal/filter.h"

#include <array>

#include "terminal/effects.h"

namespace asb {
namespace {

constexpr char kBel = '\007';
constexpr char kShiftOut = '\016';
constexpr char kShiftIn = '\017';
constexpr char kCancel = '\030';
constexpr char kSubstitute = '\032';
constexpr char kEsc = '\033';
constexpr char kDelete = '\177';

constexpr std::string_view kReplacement = "\ufffd";

unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

/// Bytes that pass as they are: printable ASCII, BEL, BS, HT, LF, VT, FF, CR.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i] = (i >= 0x20 && i < 0x7f) || (i >= 0x07 && i <= 0x0d);
  }
  return plain;
}();

/// What the first byte of a UTF-8 character says about the rest.
struct Lead {
  std::uint8_t length;     ///< 0: it is no first byte
  std::uint8_t low, high;  ///< bounds of the second byte: no surrogates, no overlong forms
};

constexpr Lead LeadOf(std::size_t first) {
  if (first < 0xc2 || first > 0xf4) return {0, 0, 0};
  if (first < 0xe0) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first < 0xf0) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {4, 0x80, 0xbf};
}

// Lead has no member initialisers: at -O1 and above, g++ 12.2 loses those of array elements when it
// computes a constant.
constexpr auto kLead = [] {
  std::array<Lead, 256> lead{};
  for (std::size_t i = 0; i < lead.size(); ++i) lead[i] = LeadOf(i);
  return lead;
}();

/// True when `c` may be byte number `index` (1 or more) of a character that starts with `lead`.
bool Continues(const Lead& lead, std::size_t index, char c) {
  return index == 1 ? Byte(c) >= lead.low && Byte(c) <= lead.high : (Byte(c) & 0xc0U) == 0x80U;
}

bool IsC1(std::string_view character) {
  return character.size() == 2 && Byte(character[0]) == 0xc2 && Byte(character[1]) < 0xa0;
}

/// The length of the character at in[at] when all of it is there and it is no control; else 0.
std::size_t WholeCharacter(std::string_view in, std::size_t at) {
  const Lead& lead = kLead[Byte(in[at])];
  const std::string_view character = in.substr(at, lead.length);
  if (character.size() < lead.length || IsC1(character)) return 0;
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (!Continues(lead, i, character[i])) return 0;
  }
  return lead.length;
}

}  // namespace

void VtFilter::Feed(std::string_view in, std::string& out) {
  std::size_t at = 0;
  while (at < in.size()) {
    switch (state_) {
      case State::kText:
        at = TakeText(in, at, out);
        break;
      case State::kCharacter:
        at = TakeCharacter(in, at, out);
        break;
      case State::kEscape:
        at = TakeEscape(in, at, out);
        break;
      case State::kCsi:
        at = TakeCsi(in, at, out);
        break;
      case State::kOsc:
        at = TakeOsc(in, at, out);
        break;
      case State::kOscEscape:
        at = TakeOscEscape(in, at, out);
        break;
      case State::kString:
        at = TakeString(in, at);
        break;
    }
  }
}

void VtFilter::Enter(State state) {
  state_ = state;
  held_.clear();
}

void VtFilter::Drop() {
  ++dropped_;
  Enter(State::kText);
}

void VtFilter::Hold(std::string_view bytes) { held_ += bytes.substr(0, kMaxHeld - held_.size()); }

// Runs of plain bytes and whole characters are copied in one go: most output is nothing else.
std::size_t VtFilter::TakeText(std::string_view in, std::size_t at, std::string& out) {
  const std::size_t start = at;
  while (at < in.size()) {
    if (kPlain[Byte(in[at])]) {
      ++at;
      continue;
    }
    const std::size_t length = terminal_ == TerminalText::kUtf8 ? WholeCharacter(in, at) : 0;
    if (length == 0) break;
    at += length;
  }
  out.append(in, start, at - start);
  if (at == in.size()) return at;

  const char c = in[at];
  if (c == kEsc) {
    Enter(State::kEscape);
  } else if (Byte(c) < 0x80) {
    Control(c, out);
  } else {
    Enter(State::kCharacter);
    Hold(in.substr(at, 1));
    if (kLead[Byte(c)].length == 0) EndCharacter(out);
  }
  return at + 1;
}

std::size_t VtFilter::TakeCharacter(std::string_view in, std::size_t at, std::string& out) {
  const Lead& lead = kLead[Byte(held_[0])];
  if (!Continues(lead, held_.size(), in[at])) {
    EndCharacter(out);
    return at;
  }
  Hold(in.substr(at, 1));
  if (held_.size() == lead.length) EndCharacter(out);
  return at + 1;
}

/// What is held is a character, or as much of one as came.
void VtFilter::EndCharacter(std::string& out) {
  const bool whole = held_.size() == kLead[Byte(held_[0])].length;
  if (whole && IsC1(held_)) {
    Drop();
    return;
  }
  if (terminal_ == TerminalText::kAscii) {
    out += '?';
  } else {
    out += whole ? std::string_view(held_) : kReplacement;
  }
  Enter(State::kText);
}

/// A control character other than ESC, wherever it stands: terminals obey it inside a sequence too.
void VtFilter::Control(char c, std::string& out) {
  if (c == '\0' || c == kDelete) return;  // padding, which terminals ignore
  if (c == kShiftOut) modes_.Set(TerminalMode::kShiftOut);
  if (c == kShiftIn) modes_.Clear(TerminalMode::kShiftOut);
  if (kPlain[Byte(c)] || c == kShiftOut || c == kShiftIn) {
    out += c;
  } else {
    ++dropped_;  // ENQ makes a terminal type its answerback; the others mean nothing
  }
}

/// Bytes that are no part of the escape or CSI sequence they stand in. False: `c` is one.
bool VtFilter::TakeInsideSequence(char c, std::string& out) {
  if (c == kEsc) {
    Drop();
    Enter(State::kEscape);
  } else if (c == kCancel || c == kSubstitute) {
    Drop();
  } else if (Byte(c) < 0x20 || c == kDelete) {
    Control(c, out);
  } else {
    return false;
  }
  return true;
}

std::size_t VtFilter::TakeEscape(std::string_view in, std::size_t at, std::string& out) {
  const char c = in[at];
  if (TakeInsideSequence(c, out)) return at + 1;
  if (Byte(c) >= 0x80) {
    Drop();
    return at;
  }
  const bool introducer = held_.empty();  // nothing between ESC and this byte
  if (c < '0') {
    Hold(in.substr(at, 1));
  } else if (introducer && c == '[') {
    Enter(State::kCsi);
  } else if (introducer && c == ']') {
    Enter(State::kOsc);
  } else if (introducer && std::string_view("PX^_k").find(c) != std::string_view::npos) {
    Drop();
    Enter(State::kString);
  } else if (introducer && c == '\\') {
    Enter(State::kText);  // the end of a string that is dropped already
  } else {
    EndEscape(c, out);
  }
  return at + 1;
}

std::size_t VtFilter::TakeCsi(std::string_view in, std::size_t at, std::string& out) {
  const std::size_t start = at;
  while (at < in.size() && in[at] >= ' ' && in[at] < '@') ++at;
  Hold(in.substr(start, at - start));
  if (at == in.size()) return at;

  const char c = in[at];
  if (TakeInsideSequence(c, out)) return at + 1;
  if (Byte(c) >= 0x80) {
    Drop();
    return at;
  }
  EndCsi(c, out);
  return at + 1;
}

std::size_t VtFilter::TakeOsc(std::string_view in, std::size_t at, std::string& out) {
  const char c = in[at];
  if (c == kBel) {
    EndOsc(out);
  } else if (c == kEsc) {
    state_ = State::kOscEscape;
  } else if (c == kCancel || c == kSubstitute) {
    Drop();
  } else {
    Hold(in.substr(at, 1));
  }
  return at + 1;
}

std::size_t VtFilter::TakeOscEscape(std::string_view in, std::size_t at, std::string& out) {
  if (in[at] == '\\') {
    EndOsc(out);
    return at + 1;
  }
  Drop();
  Enter(State::kEscape);
  return at;
}

std::size_t VtFilter::TakeString(std::string_view in, std::size_t at) {
  while (at < in.size() && in[at] != kEsc && in[at] != kCancel && in[at] != kSubstitute) ++at;
  if (at == in.size()) return at;
  Enter(in[at] == kEsc ? State::kEscape : State::kText);
  return at + 1;
}

void VtFilter::EndEscape(char final, std::string& out) {
  const auto effect = EscapeEffect(held_, final);
  if (!effect) {
    Drop();
    return;
  }
  ApplyEscape(*effect, held_, final, modes_);
  out += kEsc;
  out += held_;
  out += final;
  Enter(State::kText);
}

void VtFilter::EndCsi(char final, std::string& out) {
  held_ += final;
  const std::string_view body = held_;
  PassingCsi passing;
  if (const auto question = CsiQuestion(body)) {
    passing.whole = questions_.Ask(*question);
  } else if (const auto csi = ParseCsi(body)) {
    if (const auto effect = CsiEffect(*csi)) passing = ApplyCsi(*effect, *csi, modes_);
  }
  const std::string_view rest = passing.whole ? body : passing.rest;
  if (!rest.empty()) {
    out += "\033[";
    out += rest;
  }
  if (!passing.whole) ++dropped_;
  Enter(State::kText);
}

void VtFilter::EndOsc(std::string& out) {
  bool passes = false;
  if (const auto question = OscQuestion(held_)) {
    passes = questions_.Ask(*question);
  } else if (const auto effect = OscEffectOf(held_, terminal_)) {
    if (*effect == OscEffect::kHyperlink) modes_.Set(TerminalMode::kHyperlink);
    if (*effect == OscEffect::kHyperlinkEnd) modes_.Clear(TerminalMode::kHyperlink);
    passes = true;
  }
  if (!passes) {
    Drop();
    return;
  }
  out += "\033]";
  out += held_;
  out += "\033\\";
  Enter(State::kText);
}

}  // namespace asb
