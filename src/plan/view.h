// Rules → one decision a path. The result does not depend on the order of the rules:
//
//   - the most specific path wins, so a hide survives every grant of a parent;
//   - about the same path, the higher layer wins; inside one layer a contradiction is an error;
//   - the own floor wins over every layer;
//   - what is hidden or read-only below the source of a bind is so below its target;
//   - an offer stands where no rule says anything; our own programs are never writable;
//   - no rule may lead through a link that the sandbox could have written.
#pragma once

#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "plan/plan.h"
#include "plan/rules.h"

namespace asb {

/// By path, the root first. `root` says what is there when no rule says anything. Offers that stand
/// become rules of `set`.
std::vector<ViewEntry> DecideView(RuleSet& set, const Why& root, Diagnostics& diagnostics);

/// The entry that decides about `path`: the deepest one at or above it. `entries` as made by
/// DecideView, so that there always is one.
const ViewEntry& DecidingEntry(std::span<const ViewEntry> entries, const AbsolutePath& path);

/// Links that this or another run could have put in the way of a rule: the gap link-swap.
std::vector<AbsolutePath> FindLinkSwaps(const RuleSet& set, std::span<const ViewEntry> entries);

/// True where the sandbox sees the host's own files.
bool ShowsHost(Access access);

}  // namespace asb
