// Whether a file is the agent-sandbox-init that belongs to this program: asked in its own language,
// without a sandbox around it.
#pragma once

#include <string>

#include "base/result.h"

namespace asb {

/// Starts `path` and hands it a run that it must refuse after it has accepted the version, because
/// no folder is where the run is to start. No command is ever executed.
Result<void> AskInit(const std::string& path, const std::string& version);

}  // namespace asb
