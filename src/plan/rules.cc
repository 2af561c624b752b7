#include "plan/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/glob.h"
#include "base/text.h"
#include "plan/aliases.h"
#include "plan/made.h"
#include "plan/naming.h"
#include "plan/offers.h"
#include "plan/other_names.h"
#include "plan/view_source.h"

namespace asb {
namespace {

using std::string_view;

Access AccessOf(RuleAccess access) {
  switch (access) {
    case RuleAccess::kHide:
      return Access::kHidden;
    case RuleAccess::kRead:
      return Access::kRead;
    case RuleAccess::kWrite:
      return Access::kWrite;
  }
  return Access::kHidden;
}

Access AccessOf(BuiltinAccess access) {
  switch (access) {
    case BuiltinAccess::kRead:
      return Access::kRead;
    case BuiltinAccess::kHide:
      return Access::kHidden;
    case BuiltinAccess::kPrivate:
      return Access::kPrivate;
    case BuiltinAccess::kLink:
      return Access::kAbsent;
    case BuiltinAccess::kProc:
      return Access::kProc;
    case BuiltinAccess::kDevices:
      return Access::kDevices;
    case BuiltinAccess::kMade:
      return Access::kMade;
  }
  return Access::kHidden;
}

constexpr string_view kLeadsToKernel = "leads to /proc or /dev: those inside are the sandbox's own";

constexpr string_view kFloorElsewhere =
    "choose another place for it: XDG_CONFIG_HOME, XDG_STATE_HOME or --config say where it is";

/// A hide means every name; a grant, as in a shell, only those whose leading dot is spelled.
LeadingDot DotFor(bool hides) { return hides ? LeadingDot::kMatches : LeadingDot::kMustBeSpelled; }

/// Gathers the rules of one policy. Each Add… handles one kind of them.
class Collector {
 public:
  Collector(const Policy& policy, const HostFacts& facts, FileSource& source, Diagnostics& out)
      : policy_(policy),
        facts_(facts),
        host_(source),
        view_source_(source),
        view_(view_source_),
        aliases_(facts.mounts),
        diagnostics_(out) {}

  void Reserve(std::size_t rules) { set_.rules.reserve(rules); }
  bool FindHome();
  bool FindWorkspace();
  void AddBuiltin(const BuiltinPath& row, string_view prefix = {});
  void AddHome();
  void AddRule(const PathRule& rule);
  void AddBind(const BindRule& rule);
  void AddFloor(const std::string& folder, string_view what);
  void AddOwnProgram(const std::string& file);
  void AddRuntimeFolder();
  void AddOtherNames() {
    NotePrelinked(view_source_, set_);
    AddOtherPlaces(facts_, aliases_, view_source_, set_);
  }
  RuleSet Take() { return std::move(set_); }

 private:
  void Complain(const Origin& origin, std::string message, std::string fix = {}) {
    diagnostics_.push_back(AtOrigin(origin, std::move(message), std::move(fix)));
  }
  void Complain(const Origin& origin, const Error& error) {
    Complain(origin, error.what, error.hint);
  }
  std::string Expand(string_view text, TextKind kind) const {
    return ExpandAnchor(text, kind, set_.home, set_.workspace);
  }
  bool CanBeShown(const Resolved& path, string_view shown, const Origin& origin, string_view key);
  Result<Resolved> ResolveText(string_view text);
  void NoteHidePattern(const std::string& written, const std::string& pattern);
  void AddCoveredHides(const std::string& pattern, const Why& why);
  bool IsUsable(const PathRule& rule, const Resolved& path);
  void AddMade(const BuiltinPath& row, const Why& why);

  const Policy& policy_;
  const HostFacts& facts_;
  Resolver host_;           ///< paths of the host: home, workspace, sources and targets of binds
  ViewSource view_source_;  ///< the host with the binds in place
  Resolver view_;           ///< paths that rules are about
  MountAliases aliases_;
  Diagnostics& diagnostics_;
  std::set<AbsolutePath> floors_;
  std::set<AbsolutePath> floor_links_;  ///< by which they are found
  Resolved home_;
  RuleSet set_;
};

Result<Resolved> Collector::ResolveText(string_view text) {
  const Result<AbsolutePath> path = AbsolutePath::Parse(Expand(text, TextKind::kPath));
  if (!path) return tl::make_unexpected(path.error());
  return host_.Resolve(*path);
}

bool Collector::FindHome() {
  const Result<AbsolutePath> path = AbsolutePath::Parse(facts_.user.home);
  Result<Resolved> home =
      path ? host_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (home && home->real.IsRoot()) {
    home = Fail(ErrorKind::kPolicy, "a private home cannot be made there");
  }
  if (!home) {
    Diagnostic diagnostic;
    diagnostic.place = "the password database";
    diagnostic.message =
        fmt::format("the home folder '{}' of {} cannot be used: {}", Printable(facts_.user.home),
                    Printable(facts_.user.name), home.error().what);
    diagnostic.fix = "mend the entry of this user in the password database";
    diagnostics_.push_back(std::move(diagnostic));
    return false;
  }
  home_ = std::move(*home);
  set_.home = home_.real;
  set_.home_origin = policy_.home.origin;
  return true;
}

bool Collector::FindWorkspace() {
  const Origin& origin = policy_.workspace.origin;
  const bool current = policy_.workspace.value.empty();
  const std::string text = current ? facts_.current_directory : policy_.workspace.value;
  if (text.empty()) {
    Complain(origin, "the current directory is gone, or out of reach",
             "go to a folder that exists, or name one with -w");
    return false;
  }
  const Result<Resolved> found = ResolveText(text);
  if (!found) {
    Complain(origin, fmt::format("workspace '{}': {}", Printable(text), found.error().what),
             found.error().hint);
    return false;
  }
  const AbsolutePath& real = found->real;
  const std::string shown = ShortPath(real, set_.home);
  const auto refuse = [&](std::string message, string_view fix) {
    Complain(origin, std::move(message), std::string(fix));
    return false;
  };
  constexpr string_view kElsewhere = "go to, or name with -w, a folder of its own";
  static const AbsolutePath kSys = *AbsolutePath::Parse("/sys");
  if (found->kind == FileKind::kKernel || real.IsWithin(kSys)) {
    return refuse(fmt::format("'{}' cannot be the workspace: it belongs to the kernel", shown),
                  kElsewhere);
  }
  if (found->kind == FileKind::kMissing) {
    return refuse(fmt::format("workspace '{}' does not exist", Printable(text)),
                  "create it, or name another folder with -w");
  }
  if (found->kind != FileKind::kFolder) {
    return refuse(fmt::format("workspace '{}' is not a folder", Printable(text)), kElsewhere);
  }
  if (real == set_.home) {
    return refuse("the home folder cannot be the workspace: everything in it would be writable",
                  kElsewhere);
  }
  if (set_.home.IsWithin(real)) {
    return refuse(fmt::format("'{}' cannot be the workspace: the home folder is in it", shown),
                  kElsewhere);
  }
  for (const AbsolutePath& place : aliases_.Of(set_.home)) {
    if (!place.IsWithin(real)) continue;
    return refuse(
        fmt::format("'{}' cannot be the workspace: the home folder is also mounted there", shown),
        kElsewhere);
  }
  set_.workspace = real;
  const bool read_only = policy_.workspace_mode.value == WorkspaceMode::kRead;
  ViewRule rule{
      read_only ? Access::kRead : Access::kWrite, *found, std::nullopt, {"the workspace", origin}};
  rule.workspace = true;
  set_.rules.push_back(std::move(rule));
  return true;
}

void Collector::AddBuiltin(const BuiltinPath& row, string_view prefix) {
  const Origin origin{LayerKind::kBuiltin, row.file, row.line, 0};
  const bool hides = row.access == BuiltinAccess::kHide;
  const std::string pattern = Expand(row.path, TextKind::kPattern);
  const Why why{fmt::format("{}{}", prefix, row.why), origin};
  if (row.access == BuiltinAccess::kMade) return AddMade(row, why);
  Result<std::vector<Resolved>> found = view_.ResolvePattern(pattern, DotFor(hides));
  if (!found) {
    // A loop, or something below a plain file, cannot be opened by anyone; not knowing is another
    // matter.
    if (found.error().kind == ErrorKind::kHost) Complain(origin, found.error());
    return;
  }
  if (hides) AddCoveredHides(pattern, why);
  for (Resolved& path : *found) {
    if (hides && view_source_.IsMade(path.real)) path.kind = FileKind::kMissing;
    const bool missing = path.kind == FileKind::kMissing || path.kind == FileKind::kUnreadable;
    if (hides && path.real == set_.home) continue;  // home decides
    const bool kernel = path.kind == FileKind::kKernel;
    if (row.access == BuiltinAccess::kRead && (missing || kernel)) {
      set_.left_out.push_back({std::string(row.path), "not on this host", origin});
      continue;
    }
    ViewRule rule{AccessOf(row.access), std::move(path), std::nullopt, why};
    rule.link_only = row.access == BuiltinAccess::kLink;
    if (rule.link_only && rule.at.hops.empty()) continue;
    rule.source = view_source_.SourceOf(rule.at);
    set_.rules.push_back(std::move(rule));
  }
}

/// In place of whatever the host has at that name: a link there is not followed.
void Collector::AddMade(const BuiltinPath& row, const Why& why) {
  const Result<AbsolutePath> path = AbsolutePath::Parse(row.path);
  const Result<Resolved> folder =
      path ? view_.Resolve(path->Parent()) : tl::make_unexpected(path.error());
  const bool looks = folder && folder->kind == FileKind::kFolder;
  if (!folder || (!looks && folder->kind != FileKind::kMissing)) return;
  const AbsolutePath at = folder->real.Child(path->Name());
  const FileKind kind = looks ? view_source_.Look(at).kind : FileKind::kMissing;
  set_.made_files[at] = MadeText(row.path, facts_);
  set_.rules.push_back({Access::kMade, Resolved{*path, at, kind, folder->hops}, std::nullopt, why});
}

void Collector::AddCoveredHides(const std::string& pattern, const Why& why) {
  if (!view_source_.Moves()) return;
  Result<std::vector<Resolved>> found = host_.ResolvePattern(pattern, LeadingDot::kMatches);
  if (!found) return;  // the view's own walk complains
  for (Resolved& path : *found) {
    if (view_source_.OnHost(path.real) == path.real) continue;
    set_.covered_hides.push_back({Access::kHidden, std::move(path), std::nullopt, why});
  }
}

void Collector::AddHome() {
  Access access = Access::kPrivate;
  if (policy_.home.value == HomeMode::kKept) access = Access::kKept;
  if (policy_.home.value == HomeMode::kRead) access = Access::kRead;
  if (policy_.home.value == HomeMode::kWrite) access = Access::kWrite;
  const bool real = access == Access::kRead || access == Access::kWrite;
  if (home_.kind != FileKind::kFolder && real) {
    Complain(policy_.home.origin,
             fmt::format("the home folder '{}' does not exist", Printable(facts_.user.home)),
             "home = \"private\"");
    return;
  }
  set_.rules.push_back(
      {access,
       home_,
       std::nullopt,
       {fmt::format("home = {}", WordFor(policy_.home.value)), policy_.home.origin}});
}

/// A grant that shows nothing is a mistake when it was just typed, and normal in a file that is
/// shared by several hosts.
bool Collector::CanBeShown(const Resolved& path, string_view shown, const Origin& origin,
                           string_view key) {
  std::string reason;
  if (path.kind == FileKind::kMissing) reason = "does not exist";
  if (path.kind == FileKind::kUnreadable) reason = "may not be looked at by you";
  if (path.kind == FileKind::kDevice) reason = "is a device, which ro, rw and bind do not show";
  if (path.kind == FileKind::kKernel) reason = kLeadsToKernel;
  if (reason.empty()) return true;
  const bool never = path.kind == FileKind::kDevice || path.kind == FileKind::kKernel;
  if (origin.layer == LayerKind::kCommandLine || never) {
    Complain(origin, fmt::format("'{}' {}", Printable(shown), reason),
             fmt::format("check the path, or leave the {} out", key));
  } else {
    set_.left_out.push_back({std::string(shown), reason, origin});
  }
  return false;
}

void Collector::AddRule(const PathRule& rule) {
  const string_view key = WordFor(rule.access);
  const bool hides = rule.access == RuleAccess::kHide;
  const Why why{fmt::format("named by {}", key), rule.origin};
  const std::string pattern = Expand(rule.pattern, TextKind::kPattern);
  Result<std::vector<Resolved>> found = view_.ResolvePattern(pattern, DotFor(hides));
  if (!found) {
    Complain(rule.origin, found.error());
    return;
  }
  const bool by_pattern = HasGlob(pattern);
  if (hides) AddCoveredHides(pattern, why);
  if (hides && by_pattern) NoteHidePattern(rule.pattern, pattern);
  if (found->empty()) {
    if (rule.origin.layer == LayerKind::kCommandLine) {
      Complain(rule.origin, fmt::format("'{}' matches nothing", Printable(rule.pattern)),
               fmt::format("check the pattern, or leave the {} out", key));
    } else {
      set_.left_out.push_back({rule.pattern, "matches nothing", rule.origin});
    }
  }
  for (Resolved& path : *found) {
    if (!IsUsable(rule, path)) continue;
    // Of the host there is nothing to hide, and where its files are shown, no place for the bind.
    if (hides && view_source_.IsMade(path.real)) path.kind = FileKind::kMissing;
    ViewRule added{AccessOf(rule.access), std::move(path), std::nullopt, why};
    added.source = view_source_.SourceOf(added.at);
    added.by_pattern = by_pattern;
    added.named = by_pattern ? LiteralFolder(pattern) : added.at.spelled;
    set_.rules.push_back(std::move(added));
  }
}

/// Whether a rule of the user can be about `path`; says why when not.
bool Collector::IsUsable(const PathRule& rule, const Resolved& path) {
  if (rule.access == RuleAccess::kWrite && path.real.IsRoot()) {
    Complain(rule.origin, "'rw' cannot name '/': the whole host would be writable",
             "name the folders that are needed");
    return false;
  }
  const bool locked = path.kind == FileKind::kUnreadable;
  const bool in_file = rule.origin.layer != LayerKind::kCommandLine;
  // These protect: whether they can be left out depends on what is around them (plan/mounts).
  if (rule.access == RuleAccess::kHide && path.kind != FileKind::kKernel) return true;
  if (rule.access == RuleAccess::kRead && locked && in_file) return true;
  return CanBeShown(path, path.spelled.text(), rule.origin, WordFor(rule.access));
}

/// Remembers a hide that later names could match as well.
void Collector::NoteHidePattern(const std::string& written, const std::string& pattern) {
  const AbsolutePath literal = LiteralFolder(pattern);
  const Result<Resolved> folder = view_.Resolve(literal);
  if (!folder) return;
  const std::size_t behind = literal.IsRoot() ? 1 : GlobEscape(literal.text()).size() + 1;
  const bool only_there = pattern.find('/', behind) == std::string::npos;
  set_.hide_patterns.push_back({written, folder->real, only_there});
}

void Collector::AddBind(const BindRule& rule) {
  const Result<Resolved> from = ResolveText(rule.source);
  const Result<Resolved> to = ResolveText(rule.target);
  if (!from) Complain(rule.origin, from.error());
  if (!to) Complain(rule.origin, to.error());
  if (!from || !to || !CanBeShown(*from, rule.source, rule.origin, "bind")) return;
  if (to->kind == FileKind::kKernel && !CanBeShown(*to, rule.target, rule.origin, "bind")) return;
  if (to->real.IsRoot()) {
    Complain(rule.origin, "'/' cannot be the target of a bind", "name a folder below it");
    return;
  }
  if (from->real.IsRoot() && rule.access == RuleAccess::kWrite) {
    Complain(rule.origin, "'/' cannot be bound read-write: the whole host would be writable",
             "name the folders that are needed");
    return;
  }
  view_source_.Show(from->real, to->real);
  ViewRule added{AccessOf(rule.access),
                 *to,
                 *from,
                 {fmt::format("bind of {}", Printable(from->real.text())), rule.origin}};
  added.bind = true;
  added.named = from->spelled;
  set_.rules.push_back(std::move(added));
}

void Collector::AddFloor(const std::string& folder, string_view what) {
  const Origin& origin = FloorOrigin();
  const Result<AbsolutePath> path = AbsolutePath::Parse(folder);
  Result<Resolved> found =
      path ? host_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (!found) {
    Complain(
        origin,
        fmt::format("{} '{}' cannot be protected: {}", what, Printable(folder), found.error().what),
        std::string(kFloorElsewhere));
    return;
  }
  if (found->kind == FileKind::kKernel) {
    Complain(
        origin,
        fmt::format("{} '{}' cannot be protected: it {}", what, Printable(folder), kLeadsToKernel),
        std::string(kFloorElsewhere));
    return;
  }
  const auto holds_it = [&](const AbsolutePath& floor) { return found->real.IsWithin(floor); };
  const auto is_known = [&](const LinkHop& hop) { return floor_links_.contains(hop.at); };
  if (std::any_of(floors_.begin(), floors_.end(), holds_it) &&
      std::all_of(found->hops.begin(), found->hops.end(), is_known)) {
    // Hidden with its folder, by the same way; only a second name of it has to be known.
    const bool file = found->kind == FileKind::kFile;
    if (file && view_source_.Look(found->real).has_other_names) {
      set_.prelinked.push_back(found->real);
    }
    return;
  }
  floors_.insert(found->real);
  for (const LinkHop& hop : found->hops) floor_links_.insert(hop.at);
  const bool covered = view_source_.OnHost(found->real) != found->real;
  ViewRule rule{Access::kHidden, std::move(*found), std::nullopt, {std::string(what), origin}};
  rule.floor = true;
  (covered ? set_.covered_hides : set_.rules).push_back(std::move(rule));
}

/// Whoever can write them decides about the next run. Where nothing is writable they need no rule.
void Collector::AddOwnProgram(const std::string& file) {
  const Result<AbsolutePath> path = AbsolutePath::Parse(file);
  Result<Resolved> found =
      path ? host_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (!found || found->kind != FileKind::kFile) return;
  ViewRule rule{Access::kRead,
                std::move(*found),
                std::nullopt,
                {"agent-sandbox's own program", FloorOrigin()}};
  rule.floor = true;
  set_.own_programs.push_back(std::move(rule));
}

/// The folder of the user's sockets is empty inside, wherever it is.
void Collector::AddRuntimeFolder() {
  static const AbsolutePath kRun = *AbsolutePath::Parse("/run");
  const Result<AbsolutePath> path = AbsolutePath::Parse(facts_.runtime_folder);
  Result<Resolved> found =
      path ? view_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (!found || found->kind != FileKind::kFolder || view_source_.SourceOf(*found)) return;
  const bool holds_more = set_.home.IsWithin(found->real) || set_.workspace.IsWithin(found->real);
  const bool gone_with_run = policy_.view.value == View::kWhitelist && found->real.IsWithin(kRun);
  if (holds_more || gone_with_run) return;
  set_.rules.push_back({Access::kPrivate,
                        std::move(*found),
                        std::nullopt,
                        {"no socket of yours", {LayerKind::kBuiltin, "XDG_RUNTIME_DIR", 0, 0}}});
}

}  // namespace

const Origin& FloorOrigin() {
  static const Origin kOrigin{LayerKind::kBuiltin, "own floor", 0, 0};
  return kOrigin;
}

BuiltinTables ShippedTables() {
  return {WhitelistPaths(), BlacklistPaths(),  SecretPaths(),
          SensitivePaths(), PassedVariables(), GuardedVariables()};
}

RuleSet CollectRules(const Policy& policy, const HostFacts& facts,
                     const std::vector<std::string>& command, const BuiltinTables& tables,
                     FileSource& source, Diagnostics& diagnostics) {
  Collector collector(policy, facts, source, diagnostics);
  collector.Reserve(policy.paths.size() + policy.binds.size() + tables.whitelist.size() +
                    tables.blacklist.size() + tables.secrets.size());
  if (!collector.FindHome() || !collector.FindWorkspace()) return collector.Take();
  // Binds first: every other rule is about a view that they are part of.
  for (const BindRule& rule : policy.binds) collector.AddBind(rule);
  const bool whitelist = policy.view.value == View::kWhitelist;
  for (const BuiltinPath& row : whitelist ? tables.whitelist : tables.blacklist) {
    collector.AddBuiltin(row);
  }
  for (const BuiltinPath& row : tables.secrets) collector.AddBuiltin(row, "credentials: ");
  collector.AddHome();
  for (const PathRule& rule : policy.paths) collector.AddRule(rule);
  // The usual places as well as those of this run: the next run may have other variables.
  for (const std::string& folder :
       {facts.config_folder, facts.user.home + "/.config/agent-sandbox"}) {
    collector.AddFloor(folder, "agent-sandbox's own configuration");
    // It may be a link, as with dotfiles; it counts whether this run reads it or not.
    collector.AddFloor(folder + "/config.toml", "agent-sandbox's own configuration");
  }
  for (const std::string& folder :
       {facts.state_folder, facts.user.home + "/.local/state/agent-sandbox"}) {
    collector.AddFloor(folder, "agent-sandbox's own state");
  }
  if (!facts.policy_file.empty()) {
    collector.AddFloor(facts.policy_file, "the policy that was read");
  }
  for (const std::string& file : facts.own_programs) collector.AddOwnProgram(file);
  collector.AddRuntimeFolder();
  collector.AddOtherNames();
  RuleSet set = collector.Take();
  DropUnnamed(set, diagnostics);
  OfferProgram(command, policy, facts, tables.whitelist, source, set);
  OfferGitFolders(source, set);
  return set;
}

}  // namespace asb
