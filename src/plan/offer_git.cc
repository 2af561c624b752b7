#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "plan/offers.h"

namespace asb {
namespace {

using std::string_view;

/// What a commit writes in the folder that all work trees of a repository share.
constexpr std::array<string_view, 3> kCommitWrites{"objects", "refs", "logs"};
/// What git reads there. Nothing else is shown: with a bare repository, other work trees lie
/// beside.
constexpr std::array<string_view, 7> kGitReads{"HEAD",  "config",  "packed-refs", "info",
                                               "hooks", "shallow", "description"};
/// What says where the rest is, or how git behaves: outside, git believes it.
constexpr std::array<string_view, 4> kPointers{"commondir", "gitdir", "config.worktree", "modules"};

/// A path as git writes it, from `folder` on when it is relative.
std::optional<AbsolutePath> PathFrom(AbsolutePath folder, string_view text) {
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  if (!text.starts_with('/')) {
    while (text == ".." || text.starts_with("../")) {
      folder = folder.Parent();
      text.remove_prefix(std::min<std::size_t>(3, text.size()));
    }
  }
  const auto path = AbsolutePath::Parse(
      text.starts_with('/') ? std::string(text) : fmt::format("{}/{}", folder.text(), text));
  if (!path) return std::nullopt;
  return *path;
}

class WorkTree {
 public:
  WorkTree(FileSource& host, RuleSet& set)
      : host_(host),
        resolver_(host),
        set_(set),
        workspace_(*std::find_if(set.rules.begin(), set.rules.end(),
                                 [](const ViewRule& rule) { return rule.workspace; })) {}

  /// Why the pointer in the workspace is not believed; nothing when all is well, or when there is
  /// none.
  std::string Offer();

 private:
  std::optional<Resolved> Follow(const AbsolutePath& file, string_view start,
                                 const AbsolutePath& folder);
  FileKind KindOf(const AbsolutePath& path) { return host_.Look(path).kind; }
  bool IsFolder(const AbsolutePath& path) { return KindOf(path) == FileKind::kFolder; }
  bool IsRepository(const AbsolutePath& folder);
  void OfferParts(const Resolved& common, const Resolved& own);
  void Add(asb::Offer& offer, Access access, const AbsolutePath& path, string_view why);
  static Why Because(string_view why) {
    return {std::string(why), {LayerKind::kBuiltin, "git work tree", 0, 0}};
  }

  FileSource& host_;
  Resolver resolver_;
  RuleSet& set_;
  ViewRule workspace_;
};

/// Where the first line of `file` leads, by a way that the sandbox cannot change.
std::optional<Resolved> WorkTree::Follow(const AbsolutePath& file, string_view start,
                                         const AbsolutePath& folder) {
  if (KindOf(file) != FileKind::kFile) return std::nullopt;
  const std::string line = host_.FirstLine(file, start);
  if (line.size() <= start.size()) return std::nullopt;
  const auto path = PathFrom(folder, string_view(line).substr(start.size()));
  if (!path) return std::nullopt;
  Result<Resolved> found = resolver_.Resolve(*path);
  if (!found || found->kind == FileKind::kMissing || found->kind == FileKind::kUnreadable) {
    return std::nullopt;
  }
  const bool by_writable_link =
      std::any_of(found->hops.begin(), found->hops.end(),
                  [this](const LinkHop& hop) { return CouldBeWritten(set_, hop.at); });
  if (by_writable_link) return std::nullopt;
  return std::move(*found);
}

bool WorkTree::IsRepository(const AbsolutePath& folder) {
  return IsFolder(folder.Child("objects")) && IsFolder(folder.Child("refs")) &&
         KindOf(folder.Child("HEAD")) == FileKind::kFile &&
         KindOf(folder.Child("config")) == FileKind::kFile && !IsFolder(folder.Child(".git"));
}

std::string WorkTree::Offer() {
  const AbsolutePath pointer = set_.workspace.Child(".git");
  if (KindOf(pointer) != FileKind::kFile) return {};
  const auto own = Follow(pointer, "gitdir: ", set_.workspace);
  if (!own || own->kind != FileKind::kFolder) return "leads to no git folder";
  if (own->real.IsWithin(set_.workspace)) return {};  // seen already
  // The sandbox can write the pointer, so that alone proves nothing: the other side has to say so.
  const auto back = Follow(own->real.Child("gitdir"), "", own->real);
  if (!back || back->real != pointer) return "leads to a git folder that does not lead back here";
  const auto common = Follow(own->real.Child("commondir"), "", own->real);
  // In an earlier run the sandbox could write what it was granted, but not where that lies.
  if (!common || common->real.Child("worktrees") != own->real.Parent()) {
    return "leads to a git folder that is none of a work tree's";
  }
  if (!IsRepository(common->real)) return "leads to a folder that is no repository";
  OfferParts(*common, *own);
  ViewRule seen{Access::kRead, Resolved{pointer, pointer, FileKind::kFile, {}}, std::nullopt,
                Because("git outside believes what it says")};
  set_.rules.push_back(std::move(seen));
  set_.work_tree = own->real;
  if (IsFolder(common->real.Child("logs")) || workspace_.access == Access::kRead) return {};
  return fmt::format(
      "leads to a repository without a folder for logs, which a commit needs: mkdir {}",
      ShellQuote(common->real.Child("logs").text()));
}

/// Everything read-only where the workspace is.
void WorkTree::OfferParts(const Resolved& common, const Resolved& own) {
  const Access writes = workspace_.access;
  asb::Offer offer{{}, asb::Offer::Over::kReadOnly};
  Add(offer, writes, own.real, "git's folder of this work tree");
  for (const string_view name : kPointers) {
    Add(offer, Access::kRead, own.real.Child(name), "git outside believes what it says");
  }
  for (const string_view name : kCommitWrites) {
    Add(offer, writes, common.real.Child(name), "git writes commits here");
  }
  for (const string_view name : kGitReads) {
    Add(offer, Access::kRead, common.real.Child(name), "the repository of this work tree");
  }
  set_.offers.push_back(std::move(offer));
  for (const Resolved* place : {&common, &own}) {
    ViewRule links{Access::kRead, *place, std::nullopt, Because("the way to the repository")};
    links.link_only = true;
    set_.rules.push_back(std::move(links));
  }
}

/// Only what is there, and only files and folders: links in a git folder lead elsewhere.
void WorkTree::Add(asb::Offer& offer, Access access, const AbsolutePath& path, string_view why) {
  const FileKind kind = KindOf(path);
  if (kind != FileKind::kFile && kind != FileKind::kFolder) return;
  offer.rules.push_back({access, Resolved{path, path, kind, {}}, std::nullopt, Because(why)});
}

}  // namespace

void OfferGitFolders(FileSource& host, RuleSet& set) {
  const std::string problem = WorkTree(host, set).Offer();
  if (problem.empty()) return;
  const auto workspace = std::find_if(set.rules.begin(), set.rules.end(),
                                      [](const ViewRule& rule) { return rule.workspace; });
  set.left_out.push_back({set.workspace.Child(".git").text(), problem, workspace->why.origin});
}

}  // namespace asb
