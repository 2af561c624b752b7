#include "plan/rules.h"

#include <fmt/format.h>

#include "base/glob.h"
#include "base/text.h"
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
  }
  return Access::kHidden;
}

constexpr string_view kLeadsToKernel = "leads to /proc or /dev: those inside are the sandbox's own";

/// Gathers the rules of one policy. Each Add… handles one kind of them.
class Collector {
 public:
  Collector(const Policy& policy, const HostFacts& facts, FileSource& source, Diagnostics& out)
      : policy_(policy),
        facts_(facts),
        host_(source),
        view_source_(source),
        view_(view_source_),
        diagnostics_(out) {}

  void Reserve(std::size_t rules) { set_.rules.reserve(rules); }
  bool FindHome();
  bool FindWorkspace();
  void AddBuiltin(const BuiltinPath& row, string_view prefix = {});
  void AddHome();
  void AddRule(const PathRule& rule);
  void AddBind(const BindRule& rule);
  void AddFloor(const std::string& folder, string_view what);
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
  void NoteHidePattern(const PathRule& rule);

  const Policy& policy_;
  const HostFacts& facts_;
  Resolver host_;           ///< paths of the host: home, workspace, sources and targets of binds
  ViewSource view_source_;  ///< the host with the binds in place
  Resolver view_;           ///< paths that rules are about
  Diagnostics& diagnostics_;
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
  Result<std::vector<Resolved>> found = view_.ResolvePattern(Expand(row.path, TextKind::kPattern));
  if (!found) {
    // A loop, or something below a plain file, cannot be opened by anyone; not knowing is another
    // matter.
    if (found.error().kind == ErrorKind::kHost) Complain(origin, found.error());
    return;
  }
  for (Resolved& path : *found) {
    const bool made_anyway = row.access == BuiltinAccess::kPrivate ||
                             row.access == BuiltinAccess::kProc ||
                             row.access == BuiltinAccess::kDevices;
    const bool missing = path.kind == FileKind::kMissing || path.kind == FileKind::kUnreadable;
    if (row.access == BuiltinAccess::kHide && path.real == set_.home) continue;  // home decides
    const bool kernel = path.kind == FileKind::kKernel;
    if (row.access == BuiltinAccess::kRead && (missing || kernel)) {
      set_.left_out.push_back({std::string(row.path), "not on this host", origin});
      continue;
    }
    ViewRule rule{AccessOf(row.access),
                  std::move(path),
                  std::nullopt,
                  {fmt::format("{}{}", prefix, row.why), origin}};
    rule.link_only = row.access == BuiltinAccess::kLink;
    if (rule.link_only && rule.at.hops.empty()) continue;
    if (made_anyway && missing) rule.at.kind = FileKind::kMissing;
    set_.rules.push_back(std::move(rule));
  }
}

void Collector::AddHome() {
  Access access = Access::kPrivate;
  if (policy_.home.value == HomeMode::kRead) access = Access::kRead;
  if (policy_.home.value == HomeMode::kWrite) access = Access::kWrite;
  if (home_.kind != FileKind::kFolder && access != Access::kPrivate) {
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
  const std::string why = fmt::format("named by {}", key);
  Result<std::vector<Resolved>> found =
      view_.ResolvePattern(Expand(rule.pattern, TextKind::kPattern));
  if (!found) {
    Complain(rule.origin, found.error());
    return;
  }
  NoteHidePattern(rule);
  if (found->empty()) {
    if (rule.origin.layer == LayerKind::kCommandLine) {
      Complain(rule.origin, fmt::format("'{}' matches nothing", Printable(rule.pattern)),
               fmt::format("check the pattern, or leave the {} out", key));
    } else {
      set_.left_out.push_back({rule.pattern, "matches nothing", rule.origin});
    }
  }
  for (Resolved& path : *found) {
    const bool protects = rule.access == RuleAccess::kHide && path.kind != FileKind::kKernel;
    if (!protects && !CanBeShown(path, path.spelled.text(), rule.origin, key)) continue;
    if (rule.access == RuleAccess::kWrite && path.real.IsRoot()) {
      Complain(rule.origin, "'rw' cannot name '/': the whole host would be writable",
               "name the folders that are needed");
      continue;
    }
    std::optional<Resolved> source;
    if (view_source_.Moves()) {
      const AbsolutePath host = view_source_.OnHost(path.real);
      if (host != path.real) source = Resolved{path.spelled, host, path.kind, path.hops};
    }
    set_.rules.push_back(
        {AccessOf(rule.access), std::move(path), std::move(source), {why, rule.origin}});
  }
}

/// Remembers a hide that later names could match as well.
void Collector::NoteHidePattern(const PathRule& rule) {
  if (rule.access != RuleAccess::kHide || !HasGlob(rule.pattern)) return;
  const std::string text = Expand(rule.pattern, TextKind::kPattern);
  std::size_t end = 0;  // behind the last whole component in front of the first glob
  for (std::size_t at = text.find('/', 1); !HasGlob(text.substr(0, at));
       at = text.find('/', at + 1)) {
    end = at;
  }
  const auto path = AbsolutePath::Parse(end == 0 ? "/" : GlobLiteral(text.substr(0, end)));
  const auto folder =
      path ? view_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (!folder) return;
  const bool only_there = text.find('/', end + 1) == std::string::npos;
  set_.hide_patterns.push_back({rule.pattern, folder->real, only_there});
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
  view_source_.Show(from->real, to->real);
  set_.rules.push_back({AccessOf(rule.access),
                        *to,
                        *from,
                        {fmt::format("bind of {}", Printable(from->real.text())), rule.origin}});
}

void Collector::AddFloor(const std::string& folder, string_view what) {
  const Origin origin{LayerKind::kBuiltin, "own floor", 0, 0};
  const Result<AbsolutePath> path = AbsolutePath::Parse(folder);
  Result<Resolved> found =
      path ? host_.Resolve(*path) : Result<Resolved>(tl::make_unexpected(path.error()));
  if (!found) {
    Complain(origin, fmt::format("{} '{}' cannot be protected: {}", what, Printable(folder),
                                 found.error().what));
    return;
  }
  ViewRule rule{Access::kHidden, std::move(*found), std::nullopt, {std::string(what), origin}};
  rule.floor = true;
  set_.rules.push_back(std::move(rule));
}

}  // namespace

BuiltinTables ShippedTables() {
  return {WhitelistPaths(), BlacklistPaths(), SecretPaths(), PassedVariables(), GuardedVariables()};
}

std::string ExpandAnchor(string_view text, TextKind kind, const AbsolutePath& home,
                         const AbsolutePath& workspace) {
  const AbsolutePath* anchor = nullptr;
  if (text == "~" || text.starts_with("~/")) anchor = &home;
  if (text == "." || text.starts_with("./")) anchor = &workspace;
  if (anchor == nullptr) return std::string(text);
  std::string out = kind == TextKind::kPattern ? GlobEscape(anchor->text()) : anchor->text();
  return out.append(text.substr(1));
}

Diagnostic AtOrigin(const Origin& origin, std::string message, std::string fix) {
  Diagnostic diagnostic;
  Origin place = origin;
  place.line = 0;  // the diagnostic prints it
  diagnostic.place = DescribeOrigin(place);
  diagnostic.line = origin.line;
  diagnostic.column = origin.column;
  diagnostic.message = std::move(message);
  diagnostic.fix = std::move(fix);
  return diagnostic;
}

std::string ShortPath(const AbsolutePath& path, const AbsolutePath& home) {
  if (home.IsRoot() || !path.IsWithin(home)) return Printable(path.text());
  return Printable("~" + path.text().substr(home.text().size()));
}

RuleSet CollectRules(const Policy& policy, const HostFacts& facts, const BuiltinTables& tables,
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
  collector.AddFloor(facts.config_folder, "agent-sandbox's own configuration");
  collector.AddFloor(facts.state_folder, "agent-sandbox's own state");
  return collector.Take();
}

}  // namespace asb
