// One layer of a policy: the settings that one source (a file, a profile, the command line) makes.
// Generic over keys, so that parsing, merging and printing know the table and nothing else.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "policy/keys.h"
#include "policy/origin.h"

namespace asb {

/// One value. For bind: text is the source, and target and mode are set; otherwise only text is.
struct Item {
  std::string text;
  std::string target;
  std::string mode;
  Origin origin;
};

/// What a layer says about one key: exactly one item for a scalar, any number for a list.
struct Setting {
  std::vector<Item> items;
  Origin origin;
};

struct Layer {
  LayerKind kind = LayerKind::kBuiltin;
  std::string name;  ///< of the profile; empty otherwise
  std::array<std::optional<Setting>, kKeyCount> settings;

  [[nodiscard]] const std::optional<Setting>& Get(Key key) const {
    return settings[static_cast<std::size_t>(key)];
  }
  std::optional<Setting>& At(Key key) { return settings[static_cast<std::size_t>(key)]; }
};

/// Same settings, whatever their origins.
bool SameSettings(const Layer& a, const Layer& b);

}  // namespace asb
