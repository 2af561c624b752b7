#include "terminal/effects.h"

#include <fmt/format.h>

#include <algorithm>

namespace asb {
namespace {

enum class Now : std::uint8_t { kOff, kOn };

Now OnWhen(bool on) { return on ? Now::kOn : Now::kOff; }

void Put(ModeTracker& modes, TerminalMode mode, Now now) {
  now == Now::kOn ? modes.Set(mode) : modes.Clear(mode);
}

/// Those of the modes that may be switched; often several stand in one sequence.
PassingCsi SwitchModes(const CsiSequence& csi, ModeTracker& modes) {
  std::string rest;
  bool whole = csi.count > 0;
  for (std::size_t i = 0; i < csi.count; ++i) {
    if (!IsSwitchable(csi.prefix, csi.values[i])) {
      whole = false;
      continue;
    }
    modes.Switch(csi.prefix, csi.values[i], csi.final);
    rest += rest.empty() ? (csi.prefix == '?' ? "?" : "") : ";";
    rest += fmt::format("{}", csi.values[i]);
  }
  if (!rest.empty()) rest += csi.final;
  return {whole, rest};
}

/// As many of the entries as are the command's own.
PassingCsi PopKeyboard(const CsiSequence& csi, ModeTracker& modes) {
  const unsigned wanted = csi.count == 0 ? 1 : csi.value(0);
  const unsigned own = modes.Pop(modes.KeyboardStack(), wanted);
  if (own == 0) return {};
  return {own == wanted, fmt::format("<{}u", own)};
}

void Graphics(const CsiSequence& csi, Now now, ModeTracker& modes) {
  Put(modes, TerminalMode::kGraphics, now);
  // SGR 0 leaves the font; only 10 brings the first one back.
  const auto* const end = csi.values.begin() + csi.count;
  const bool font = std::any_of(csi.values.begin(), end,
                                [](std::uint32_t value) { return value > 10 && value < 20; });
  if (font) modes.Set(TerminalMode::kFont);
  if (csi.count == 1 && csi.value(0) == 10) modes.Clear(TerminalMode::kFont);
}

}  // namespace

void ApplyEscape(VtEffect effect, std::string_view intermediates, char final, ModeTracker& modes) {
  constexpr std::string_view kSets = "()*+";
  if (effect == VtEffect::kCharset) {
    const auto first = static_cast<std::size_t>(TerminalMode::kCharsetG0);
    Put(modes, static_cast<TerminalMode>(first + kSets.find(intermediates)), OnWhen(final != 'B'));
  } else {
    static_cast<void>(ApplyCsi(effect, {}, modes));
  }
}

PassingCsi ApplyCsi(VtEffect effect, const CsiSequence& csi, ModeTracker& modes) {
  const Now given = OnWhen(csi.parameters.find_first_not_of("0;") != std::string_view::npos);
  bool passes = true;
  switch (effect) {
    case VtEffect::kNothing:
    case VtEffect::kCharset:
      break;
    case VtEffect::kSwitchModes:
      return SwitchModes(csi, modes);
    case VtEffect::kGraphics:
      Graphics(csi, given, modes);
      break;
    case VtEffect::kScrollRegion:
      Put(modes, TerminalMode::kScrollRegion, given);
      break;
    case VtEffect::kCursorStyle:
      Put(modes, TerminalMode::kCursorStyle, given);
      break;
    case VtEffect::kModifyOtherKeys:
      Put(modes, TerminalMode::kModifyOtherKeys, OnWhen(csi.value(1) != 0));
      break;
    case VtEffect::kSaveCursor:
      if (csi.count == 0) modes.SaveCursor();
      break;
    case VtEffect::kRestoreCursor:
      modes.RestoreCursor();
      break;
    case VtEffect::kTabStops:
      modes.Set(TerminalMode::kTabStops);
      break;
    case VtEffect::kKeypadOn:
      modes.Set(TerminalMode::kApplicationKeypad);
      break;
    case VtEffect::kKeypadOff:
      modes.Clear(TerminalMode::kApplicationKeypad);
      break;
    case VtEffect::kTitleStack:
      passes = csi.value(0) == 22 ? modes.Push(TerminalStack::kTitle)
                                  : modes.Pop(TerminalStack::kTitle, 1) == 1;
      break;
    case VtEffect::kKeyboardPush:
      passes = modes.Push(modes.KeyboardStack());
      break;
    case VtEffect::kKeyboardPop:
      return PopKeyboard(csi, modes);
    case VtEffect::kKeyboardSet:
      modes.SetKeyboard(csi.value(0), csi.value(1) == 0 ? 1 : csi.value(1));
      break;
    case VtEffect::kResetAll:
      modes.Reset();
      break;
  }
  return {passes, {}};
}

}  // namespace asb
