// One file, several names: what is hidden or ours is so by every name that can be found.
#pragma once

#include "plan/aliases.h"
#include "plan/facts.h"
#include "plan/rules.h"
#include "plan/view_source.h"

namespace asb {

/// A hard link to a hidden file, made before, is a file like any other: no rule can see it, and it
/// is the gap prelinked.
void NotePrelinked(FileSource& view, RuleSet& set);

/// What is hidden, or read-only because it is ours, is so at every place where the host has it
/// mounted; and no process file system but the sandbox's own is seen.
void AddOtherPlaces(const HostFacts& facts, const MountAliases& aliases, ViewSource& view,
                    RuleSet& set);

}  // namespace asb
