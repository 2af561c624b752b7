// Grants that nobody had to write: what the command needs to be found and executed, and what git
// needs where the workspace is one of several work trees of a repository.
//
// An offer is made only from what no run can have written, in this or in another workspace: links
// and scripts count where software is installed, and nowhere else. It stands only where no rule
// says anything else (plan/view).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/resolve.h"
#include "plan/rules.h"

namespace asb {

/// The program that `command` names: its file, its interpreter, what was installed with them below
/// the home folder; and the folders of the search path there.
/// `system` are the builtin rows of the whitelist view.
void OfferProgram(const std::vector<std::string>& command, const Policy& policy,
                  const HostFacts& facts, std::span<const BuiltinPath> system, FileSource& host,
                  RuleSet& set);

/// The git folders of a work tree that are outside of it.
void OfferGitFolders(FileSource& host, RuleSet& set);

/// True when `path` of the host lies where a rule of `set` lets the sandbox write, or where a run
/// with the same workspace could have written.
bool CouldBeWritten(const RuleSet& set, const AbsolutePath& path);

}  // namespace asb
