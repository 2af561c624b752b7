#include "terminal/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace asb {
namespace {

/// A mode that passes. Bit of `mode` is set while the mode is as `on` ('h' or 'l') leaves it.
struct Switchable {
  char prefix;
  std::uint16_t number;
  char on;
  TerminalMode mode;
};

constexpr auto kSwitchable = std::to_array<Switchable>({
    {0, 4, 'h', TerminalMode::kInsert},
    {0, 20, 'h', TerminalMode::kNewLine},
    {0, 34, 'l', TerminalMode::kStrongCursor},
    {'?', 1, 'h', TerminalMode::kApplicationCursorKeys},
    {'?', 5, 'h', TerminalMode::kReverseScreen},
    {'?', 6, 'h', TerminalMode::kOrigin},
    {'?', 7, 'l', TerminalMode::kNoWrap},
    {'?', 12, 'h', TerminalMode::kCursorBlink},
    {'?', 25, 'l', TerminalMode::kHiddenCursor},
    {'?', 47, 'h', TerminalMode::kAlternate47},
    {'?', 66, 'h', TerminalMode::kApplicationKeypad},
    {'?', 69, 'h', TerminalMode::kSideMargins},
    {'?', 1000, 'h', TerminalMode::kMouse1000},
    {'?', 1002, 'h', TerminalMode::kMouse1002},
    {'?', 1003, 'h', TerminalMode::kMouse1003},
    {'?', 1004, 'h', TerminalMode::kFocusEvents},
    {'?', 1005, 'h', TerminalMode::kMouse1005},
    {'?', 1006, 'h', TerminalMode::kMouse1006},
    {'?', 1007, 'h', TerminalMode::kMouse1007},
    {'?', 1015, 'h', TerminalMode::kMouse1015},
    {'?', 1034, 'h', TerminalMode::kMetaKey},
    {'?', 1047, 'h', TerminalMode::kAlternate1047},
    {'?', 1048, 'h', TerminalMode::kCount},  // saves and restores the cursor; nothing stays on
    {'?', 1049, 'h', TerminalMode::kAlternate1049},
    {'?', 2004, 'h', TerminalMode::kBracketedPaste},
    {'?', 2026, 'h', TerminalMode::kSynchronizedOutput},
});

struct Off {
  TerminalMode mode;
  std::string_view bytes;
};

constexpr std::array<Off, static_cast<std::size_t>(TerminalMode::kCount)> kOff{{
    {TerminalMode::kSynchronizedOutput, "\033[?2026l"},
    {TerminalMode::kHyperlink, "\033]8;;\033\\"},
    {TerminalMode::kAlternate47, "\033[?47l"},
    {TerminalMode::kAlternate1047, "\033[?1047l"},
    {TerminalMode::kAlternate1049, "\033[?1049l"},
    {TerminalMode::kOrigin,
     "\033[?6l\033[999;1H"},  // ?6l puts the cursor on the first line: to the last
    {TerminalMode::kGraphics, "\033[m"},
    {TerminalMode::kFont, "\033[10m"},  // Linux's console shows control characters after 11
    {TerminalMode::kShiftOut, "\017"},
    {TerminalMode::kCharsetG0, "\033(B"},
    {TerminalMode::kCharsetG1, "\033)B"},
    {TerminalMode::kCharsetG2, "\033*B"},
    {TerminalMode::kCharsetG3, "\033+B"},
    // Margins move the cursor, so it is saved; what is saved with it is off by now.
    {TerminalMode::kSideMargins, "\0337\033[?69l\0338"},
    {TerminalMode::kScrollRegion, "\0337\033[r\0338"},
    {TerminalMode::kNoWrap, "\033[?7h"},
    {TerminalMode::kInsert, "\033[4l"},
    {TerminalMode::kNewLine, "\033[20l"},
    {TerminalMode::kTabStops, "\033[?5W"},
    {TerminalMode::kReverseScreen, "\033[?5l"},
    {TerminalMode::kHiddenCursor, "\033[?25h"},
    {TerminalMode::kCursorBlink, "\033[?12l"},
    {TerminalMode::kStrongCursor, "\033[34h"},
    {TerminalMode::kCursorStyle, "\033[0 q"},
    {TerminalMode::kApplicationCursorKeys, "\033[?1l"},
    {TerminalMode::kApplicationKeypad, "\033>"},
    {TerminalMode::kMetaKey, "\033[?1034l"},
    {TerminalMode::kModifyOtherKeys, "\033[>4m"},
    {TerminalMode::kKeyboardSetAlternate, ""},  // KeyboardOff: each screen has its own flags
    {TerminalMode::kKeyboardSetMain, ""},
    {TerminalMode::kBracketedPaste, "\033[?2004l"},
    {TerminalMode::kFocusEvents, "\033[?1004l"},
    {TerminalMode::kMouse1000, "\033[?1000l"},
    {TerminalMode::kMouse1002, "\033[?1002l"},
    {TerminalMode::kMouse1003, "\033[?1003l"},
    {TerminalMode::kMouse1005, "\033[?1005l"},
    {TerminalMode::kMouse1006, "\033[?1006l"},
    {TerminalMode::kMouse1007, "\033[?1007l"},
    {TerminalMode::kMouse1015, "\033[?1015l"},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kOff.size(); ++i) {
    if (kOff[i].mode != static_cast<TerminalMode>(i)) return false;
  }
  return true;
}
static_assert(InOrder(), "kOff has one row a Mode, in the order of Mode");

constexpr TerminalModes kAlternate = ModeBit(TerminalMode::kAlternate47) |
                                     ModeBit(TerminalMode::kAlternate1047) |
                                     ModeBit(TerminalMode::kAlternate1049);
constexpr TerminalModes kSavedWithCursor =
    ModeBit(TerminalMode::kOrigin) | ModeBit(TerminalMode::kGraphics) |
    ModeBit(TerminalMode::kShiftOut) | ModeBit(TerminalMode::kCharsetG0) |
    ModeBit(TerminalMode::kCharsetG1) | ModeBit(TerminalMode::kCharsetG2) |
    ModeBit(TerminalMode::kCharsetG3) | ModeBit(TerminalMode::kNoWrap);

constexpr unsigned kFirstStackBit = 52;
constexpr unsigned kStackBits = 4;
static_assert(static_cast<unsigned>(TerminalMode::kCount) <= kFirstStackBit);
static_assert(kMaxStackDepth < (1U << kStackBits));

unsigned ShiftOf(TerminalStack stack) {
  return kFirstStackBit + kStackBits * static_cast<unsigned>(stack);
}

TerminalModes WithDepth(TerminalModes modes, TerminalStack stack, unsigned depth) {
  constexpr TerminalModes kMask = (TerminalModes{1} << kStackBits) - 1;
  return (modes & ~(kMask << ShiftOf(stack))) | (TerminalModes{depth} << ShiftOf(stack));
}

const Switchable* Find(char prefix, unsigned number) {
  const auto* found = std::find_if(
      kSwitchable.begin(), kSwitchable.end(),
      [=](const Switchable& row) { return row.prefix == prefix && row.number == number; });
  return found == kSwitchable.end() ? nullptr : found;
}

std::string KeyboardOff(TerminalModes modes, TerminalStack stack, TerminalMode set) {
  std::string out;
  if (const unsigned depth = StackDepth(modes, stack); depth > 0) {
    out += fmt::format("\033[<{}u", depth);
  }
  if ((modes & ModeBit(set)) != 0) out += "\033[=0u";
  return out;
}

}  // namespace

unsigned StackDepth(TerminalModes modes, TerminalStack stack) {
  return static_cast<unsigned>(modes >> ShiftOf(stack)) & ((1U << kStackBits) - 1);
}

std::string ResetSequence(TerminalModes modes) {
  std::string out;
  const std::string alternate_keyboard =
      KeyboardOff(modes, TerminalStack::kKeyboardAlternate, TerminalMode::kKeyboardSetAlternate);
  if (!alternate_keyboard.empty()) {
    // A command that left the alternate screen without popping is followed there.
    const bool there = (modes & kAlternate) != 0;
    out += there ? alternate_keyboard : "\033[?1049h" + alternate_keyboard + "\033[?1049l";
  }
  for (const Off& off : kOff) {
    if ((modes & ModeBit(off.mode)) != 0) out += off.bytes;
  }
  out += KeyboardOff(modes, TerminalStack::kKeyboardMain, TerminalMode::kKeyboardSetMain);
  for (unsigned i = 0; i < StackDepth(modes, TerminalStack::kTitle); ++i) out += "\033[23;0t";
  return out;
}

bool IsSwitchable(char prefix, unsigned number) { return Find(prefix, number) != nullptr; }

void ModeTracker::Switch(char prefix, unsigned number, char final) {
  const Switchable* row = Find(prefix, number);
  if (row == nullptr) return;
  const bool on = final == row->on;
  const bool moves_cursor = number == 1048 || number == 1049;
  if (moves_cursor && on) SaveCursor();
  if (moves_cursor && !on) RestoreCursor();
  if (row->mode == TerminalMode::kCount) return;
  // There is one alternate screen, whichever number names it.
  if ((ModeBit(row->mode) & kAlternate) != 0) modes_ &= ~kAlternate;
  on ? Set(row->mode) : Clear(row->mode);
}

void ModeTracker::SaveCursor() { saved_ |= modes_ & kSavedWithCursor; }

bool ModeTracker::Push(TerminalStack stack) {
  const unsigned depth = StackDepth(modes_, stack);
  if (depth == kMaxStackDepth) return false;
  modes_ = WithDepth(modes_, stack, depth + 1);
  return true;
}

unsigned ModeTracker::Pop(TerminalStack stack, unsigned count) {
  const unsigned depth = StackDepth(modes_, stack);
  const unsigned own = std::min(depth, count);
  modes_ = WithDepth(modes_, stack, depth - own);
  return own;
}

TerminalStack ModeTracker::KeyboardStack() const {
  return (modes_ & kAlternate) != 0 ? TerminalStack::kKeyboardAlternate
                                    : TerminalStack::kKeyboardMain;
}

void ModeTracker::SetKeyboard(unsigned flags, unsigned how) {
  constexpr unsigned kReplace = 1;
  constexpr unsigned kAdd = 2;
  const TerminalStack stack = KeyboardStack();
  // On top of an own entry; popping it brings the person's flags back.
  if (StackDepth(modes_, stack) > 0) return;
  const TerminalMode mode = stack == TerminalStack::kKeyboardMain
                                ? TerminalMode::kKeyboardSetMain
                                : TerminalMode::kKeyboardSetAlternate;
  if (flags != 0 && (how == kReplace || how == kAdd)) Set(mode);
  if (flags == 0 && how == kReplace) Clear(mode);
}

}  // namespace asb
