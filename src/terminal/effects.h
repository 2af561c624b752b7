// What a sequence that passes does to the modes, and what of it passes after all: a command may
// switch only modes that can be switched back, and pop only what it pushed.
#pragma once

#include <string>

#include "terminal/modes.h"
#include "terminal/sequences.h"

namespace asb {

struct PassingCsi {
  bool whole = false;  ///< passes as it was received
  std::string rest;    ///< otherwise, what passes behind "ESC ["; may be empty
};

/// For a CSI sequence; `effect` is CsiEffect's.
PassingCsi ApplyCsi(VtEffect effect, const CsiSequence& csi, ModeTracker& modes);

/// For "ESC `intermediates` `final`"; `effect` is EscapeEffect's.
void ApplyEscape(VtEffect effect, std::string_view intermediates, char final, ModeTracker& modes);

}  // namespace asb
