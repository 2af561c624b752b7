#include "plan/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"

namespace asb {
namespace {

using std::string_view;

constexpr int kMostLinks = 40;

std::vector<string_view> Components(string_view path) {
  std::vector<string_view> out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const string_view part = path.substr(at, end - at);
    if (!part.empty() && part != ".") out.push_back(part);
    at = end + 1;
  }
  return out;
}

bool IsKernelFolder(const AbsolutePath& path) {
  return path.text() == "/proc" || path.text() == "/dev";
}

}  // namespace

FileFact FactsSource::Look(const AbsolutePath& path) {
  const auto found = facts_.files.find(path);
  if (found != facts_.files.end()) return found->second;
  return {facts_.unlisted, ""};
}

Result<Listing> FactsSource::List(const AbsolutePath& folder) {
  const auto found = facts_.listings.find(folder);
  if (found != facts_.listings.end()) return found->second;
  if (facts_.unlisted == FileKind::kMissing) return Listing{};
  return Fail(ErrorKind::kHost,
              fmt::format("the facts do not say what is in '{}'", Printable(folder.text())));
}

std::string FactsSource::FirstLine(const AbsolutePath& file, string_view start) {
  const auto found = facts_.first_lines.find(file);
  const bool good = found != facts_.first_lines.end() && found->second.starts_with(start);
  return good ? found->second : std::string();
}

Result<Resolved> Resolver::Resolve(const AbsolutePath& path) {
  if (path.IsRoot()) return Resolved{path, path, FileKind::kFolder, {}};
  const Result<Resolved>& folder = ResolveFolder(path.Parent());
  if (!folder) return folder;
  // Everything but the spelling, which is the path's own.
  return Enter({path, folder->real, folder->kind, folder->hops}, path.Name());
}

const Result<Resolved>& Resolver::ResolveFolder(const AbsolutePath& folder) {
  const auto known = folders_.find(folder);
  if (known != folders_.end()) return known->second;
  Result<Resolved> found = Resolve(folder);
  return folders_.emplace(folder, std::move(found)).first->second;
}

/// One component further than `folder`, which is resolved.
Result<Resolved> Resolver::Enter(Resolved folder, string_view name) {
  const bool up = name == "..";  // only a link's target can hold it
  AbsolutePath here = up ? folder.real.Parent() : folder.real.Child(name);
  if (up && (folder.kind == FileKind::kMissing || folder.kind == FileKind::kUnreadable)) {
    // The kernel does not climb out of a folder that it cannot enter: such a path means nothing.
    return Fail(ErrorKind::kPolicy,
                fmt::format("'{}' leads nowhere: a link on the way climbs out of '{}'",
                            Printable(folder.spelled.text()), Printable(folder.real.text())),
                "name the place that is meant");
  }
  const bool not_looked_at = folder.kind == FileKind::kMissing ||
                             folder.kind == FileKind::kUnreadable ||
                             folder.kind == FileKind::kKernel;
  if (not_looked_at || (up && folder.kind == FileKind::kFolder)) {
    folder.real = std::move(here);
    return folder;
  }
  if (folder.kind != FileKind::kFolder) {
    return Fail(
        ErrorKind::kPolicy,
        fmt::format("'{}' is no folder, so nothing can be below it", Printable(folder.real.text())),
        "check the path");
  }
  if (IsKernelFolder(here)) {
    folder.real = std::move(here);
    folder.kind = FileKind::kKernel;
    return folder;
  }
  const FileFact fact = source_.Look(here);
  if (fact.kind == FileKind::kUnknown) {
    return Fail(ErrorKind::kHost,
                fmt::format("the facts do not say what '{}' is", Printable(here.text())));
  }
  if (fact.kind == FileKind::kLink) {
    return FollowLink(std::move(folder), here, fact.link_target);
  }
  folder.real = std::move(here);
  folder.kind = fact.kind;
  return folder;
}

Result<Resolved> Resolver::FollowLink(Resolved folder, const AbsolutePath& at,
                                      const std::string& target) {
  if (folder.hops.size() >= kMostLinks) {
    return Fail(ErrorKind::kPolicy,
                fmt::format("'{}' is a loop of links, or more than {} links", Printable(at.text()),
                            kMostLinks),
                "name the place that is meant");
  }
  const std::vector<string_view> parts = Components(target);
  const std::size_t hop = folder.hops.size();
  folder.hops.push_back({at, target});
  if (target.starts_with('/')) folder.real = AbsolutePath();
  for (const string_view part : parts) {
    Result<Resolved> next = Enter(std::move(folder), part);
    if (!next) return next;
    folder = std::move(*next);
  }
  // Inside the sandbox the folders that ".." leaves need not exist: say where it ends instead.
  const bool climbs = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (climbs) folder.hops[hop].target = folder.real.text();
  return folder;
}

Result<std::vector<AbsolutePath>> Resolver::MatchNames(const std::vector<AbsolutePath>& folders,
                                                       string_view glob, LeadingDot dot,
                                                       string_view pattern) {
  std::vector<AbsolutePath> out;
  for (const AbsolutePath& folder : folders) {
    const Result<Resolved> resolved = Resolve(folder);
    if (!resolved && resolved.error().kind != ErrorKind::kPolicy) {
      return tl::make_unexpected(resolved.error());
    }
    if (!resolved || resolved->kind != FileKind::kFolder) continue;
    const Result<Listing> listing = source_.List(resolved->real);
    if (!listing) return tl::make_unexpected(listing.error());
    if (!listing->problem.empty()) {
      return Fail(ErrorKind::kPolicy,
                  fmt::format("the pattern '{}' cannot be followed: '{}' {}", Printable(pattern),
                              Printable(resolved->real.text()), listing->problem),
                  "name the paths one by one");
    }
    for (const std::string& name : listing->names) {
      if (GlobMatches(glob, name, dot)) out.push_back(folder.Child(name));
    }
    if (out.size() > kMostMatches) {
      return Fail(ErrorKind::kPolicy,
                  fmt::format("the pattern '{}' matches more than {} paths", Printable(pattern),
                              kMostMatches),
                  "name the folder that holds them");
    }
  }
  return out;
}

Result<std::vector<Resolved>> Resolver::ResolvePattern(string_view pattern, LeadingDot dot) {
  std::vector<Resolved> out;
  if (!HasGlob(pattern)) {
    const bool escaped = pattern.find('\\') != string_view::npos;
    const Result<AbsolutePath> path =
        escaped ? AbsolutePath::Parse(GlobLiteral(pattern)) : AbsolutePath::Parse(pattern);
    if (!path) return tl::make_unexpected(path.error());
    Result<Resolved> found = Resolve(*path);
    if (!found) return tl::make_unexpected(found.error());
    out.push_back(std::move(*found));
    return out;
  }
  std::vector<AbsolutePath> found{AbsolutePath()};
  for (const string_view part : Components(pattern)) {
    if (HasGlob(part)) {
      Result<std::vector<AbsolutePath>> matches = MatchNames(found, part, dot, pattern);
      if (!matches) return tl::make_unexpected(matches.error());
      found = std::move(*matches);
    } else {
      const std::string name = GlobLiteral(part);
      for (AbsolutePath& path : found) path = path.Child(name);
    }
  }
  for (const AbsolutePath& path : found) {
    Result<Resolved> resolved = Resolve(path);
    // A pattern such as a*/x meets files, loops and folders without an x: no paths that it means.
    const bool nothing = resolved ? resolved->kind == FileKind::kMissing
                                  : resolved.error().kind == ErrorKind::kPolicy;
    if (nothing) continue;
    if (!resolved) return tl::make_unexpected(resolved.error());
    out.push_back(std::move(*resolved));
  }
  return out;
}

}  // namespace asb
