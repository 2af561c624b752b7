// Reads policy files: once, bounded, regular files only. What the bytes mean is policy/'s business.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace asb {

struct PolicyText {
  std::string bytes;
  std::string place;  ///< the path as shown to people
};

enum class WhenMissing { kFail, kNothing };

/// Nothing when the file does not exist and that is allowed. `home` shortens the shown path to ~.
Result<std::optional<PolicyText>> ReadPolicyText(const std::string& path, const std::string& home,
                                                 WhenMissing when_missing);

}  // namespace asb
