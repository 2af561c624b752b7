// A policy file's text → its layers, or every mistake in it at once.
//
// Top-level keys are one layer; each [profile.NAME] is another. The text is bytes that were read
// once by somebody else; nothing here opens anything. Unknown keys, keys given twice (in whichever
// spelling) and values of the wrong type are errors: a policy never means less than it says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "policy/layer.h"

namespace asb {

struct PolicyFile {
  Layer top;                    ///< kind kUser
  std::vector<Layer> profiles;  ///< kind kProfile, in the order of the file
};

struct ParsedPolicy {
  PolicyFile file;  ///< what could be understood; only to be used when diagnostics is empty
  Diagnostics diagnostics;
};

inline constexpr std::size_t kLargestPolicy = std::size_t{1} << 20U;  ///< bytes

/// `place` is how people know the file: it stands in every message and origin.
ParsedPolicy ParsePolicy(std::string_view text, const std::string& place);

}  // namespace asb
