// Who may lift a builtin hide: a rule that names what is hidden. A pattern that happens to match
// it, or a link that happens to lead there, names something else; the link may be an earlier run's
// work.
#pragma once

#include "base/diagnostics.h"
#include "plan/rules.h"

namespace asb {

/// Takes grants that do not name the builtin hidden path they reach out of `set`: a pattern's match
/// is left out, a link is an error.
void DropUnnamed(RuleSet& set, Diagnostics& diagnostics);

}  // namespace asb
