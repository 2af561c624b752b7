// What this host says about user namespaces and bubblewrap: asked only when a launch has failed,
// and by doctor.
#pragma once

#include <string>

#include "plan/hints.h"

namespace asb {

/// Reads settings, tries every wall and asks `engine_path` for its version. Bounded: under 3 s on
/// a host where nothing answers, some milliseconds on any other.
HostHints GatherHints(const std::string& engine_path);

/// A setting below /proc/sys; empty when there is none.
std::string ReadSetting(const std::string& path);

}  // namespace asb
