// The generated documents, each from the tables of settings, gaps, commands and options. They are
// committed, so that people read them without building; tools/check_generated fails when one
// drifts.
#pragma once

#include <string>

namespace asb {

std::string ManPage();           ///< docs/man/agent-sandbox.1
std::string PolicyReference();   ///< docs/reference/policy.md
std::string GapReference();      ///< docs/reference/gaps.md
std::string CommandReference();  ///< docs/reference/commands.md
std::string PolicySchema();      ///< docs/reference/policy.schema.json
std::string BashCompletion();    ///< completions/agent-sandbox.bash
std::string ZshCompletion();     ///< completions/_agent-sandbox
std::string FishCompletion();    ///< completions/agent-sandbox.fish

}  // namespace asb
