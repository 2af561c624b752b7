// Grants that nobody had to write: what the command needs to be found and executed, and what git
// needs where the workspace is one of several work trees of a repository.
//
// An offer is made only from what the sandbox cannot have written: no link, no script and no
// pointer in a writable place leads to one. It stands only where no rule says anything else
// (plan/view).
#pragma once

#include <string>
#include <vector>

#include "plan/resolve.h"
#include "plan/rules.h"

namespace asb {

/// The program that `command` names: its file, its interpreter, what was installed with them below
/// the home folder; and the folders of the search path there.
void OfferProgram(const std::vector<std::string>& command,
                  const std::vector<std::string>& search_path, FileSource& host, RuleSet& set);

/// The git folders of a work tree that are outside of it.
void OfferGitFolders(FileSource& host, RuleSet& set);

/// True when `path` of the host lies where a rule of `set` lets the sandbox write, or where a run
/// with the same workspace could have written.
bool CouldBeWritten(const RuleSet& set, const AbsolutePath& path);

}  // namespace asb
