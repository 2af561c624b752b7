// Policy + host → the rules about paths, each resolved to the place it means. What contradicts
// what is decided afterwards, in plan/view.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "plan/plan.h"
#include "plan/resolve.h"
#include "plan/wording.h"
#include "policy/builtin_data.h"
#include "policy/policy.h"

namespace asb {

/// The shipped data files, or stand-ins of a test.
struct BuiltinTables {
  std::span<const BuiltinPath> whitelist;
  std::span<const BuiltinPath> blacklist;
  std::span<const BuiltinPath> secrets;
  std::span<const BuiltinPath> sensitive;
  std::span<const BuiltinVariable> passed;
  std::span<const BuiltinVariable> guarded;
};
BuiltinTables ShippedTables();

/// Who says what the own floor says.
const Origin& FloorOrigin();

/// One rule about one path.
struct ViewRule {
  Access access = Access::kHidden;
  Resolved at;                     ///< where the sandbox sees it
  std::optional<Resolved> source;  ///< what is shown there when it is not the path itself
  Why why;
  bool floor = false;
  bool link_only = false;  ///< only the links on the way matter
  bool workspace = false;  ///< the rule that shows the workspace
  bool bind = false;       ///< shows a source at another place
  AbsolutePath named{};  ///< what a person typed of it: up to the first wildcard, links unfollowed
  bool by_pattern = false;
};

/// Rules that stand together where nothing else shows or hides the place of the first of them
/// (plan/offers.h). A rule of any layer about a place below it stays as it is.
struct Offer {
  enum class Over : bool {
    kNothing,   ///< only where the host's files are not seen
    kReadOnly,  ///< also where the view or the home mode shows them read-only
  };
  std::vector<ViewRule> rules;
  Over over = Over::kNothing;
};

/// A hide by pattern covers what exists now; what appears later below `folder` it does not.
struct HidePattern {
  std::string pattern;
  AbsolutePath folder;     ///< the part in front of the first glob, free of links
  bool only_there = true;  ///< the glob is the last name: matches lie in `folder` itself
};

struct RuleSet {
  std::vector<ViewRule> rules;
  AbsolutePath home;       ///< free of links
  Origin home_origin;      ///< who says how it is seen
  AbsolutePath workspace;  ///< free of links
  std::vector<LeftOut> left_out;
  std::vector<HidePattern> hide_patterns;
  /// Hides of host paths that the target of a bind covers: not seen there, but to be hidden
  /// wherever else the host's folder is shown.
  std::vector<ViewRule> covered_hides;
  std::vector<AbsolutePath> prelinked;  ///< hidden or ours, with another name somewhere
  std::vector<Offer> offers;
  std::optional<AbsolutePath> work_tree;  ///< git's folder of the work tree, where it was believed
  std::vector<ViewRule> own_programs;     ///< read-only wherever they are writable
  std::map<AbsolutePath, std::string> made_files{};  ///< the text of each made file
};

/// Every question about the host goes to `source`, and none depends on an answer to another rule's:
/// running this with a source that looks and remembers is how a host is probed.
RuleSet CollectRules(const Policy& policy, const HostFacts& facts,
                     const std::vector<std::string>& command, const BuiltinTables& tables,
                     FileSource& source, Diagnostics& diagnostics);

}  // namespace asb
