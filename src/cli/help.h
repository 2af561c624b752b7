// The help texts, made from the tables of commands, options and settings.
#pragma once

#include <string>

#include "cli/options.h"

namespace asb {

/// agent-sandbox --help: at most 24 lines of 80 columns.
std::string OverviewHelp();

/// agent-sandbox COMMAND --help: everything.
std::string CommandHelp(CommandId command);

/// "-w, --workspace DIR"
std::string FlagText(const Flag& flag);

std::string VersionText();
/// "0.1.0"
std::string_view Version();

}  // namespace asb
