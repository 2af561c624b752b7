#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "plan/offers.h"

namespace asb {
namespace {

using std::string_view;

/// What a commit writes in the folder that all work trees of a repository share. Everything else
/// there (settings, hooks, the other work trees) can be read.
constexpr std::array<string_view, 3> kCommitWrites{"objects", "refs", "logs"};
/// What says where the rest is, or how git behaves: outside, git believes it.
constexpr std::array<string_view, 3> kPointers{"commondir", "gitdir", "config.worktree"};

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
  WorkTree(FileSource& host, RuleSet& set) : host_(host), resolver_(host), set_(set) {}

  /// Why the pointer in the workspace is not believed; nothing when all is well, or when there is
  /// none.
  string_view Offer();

 private:
  std::optional<AbsolutePath> Follow(const AbsolutePath& file, string_view start,
                                     const AbsolutePath& folder);
  bool IsFolder(const AbsolutePath& path) { return host_.Look(path).kind == FileKind::kFolder; }
  ViewRule Rule(Access access, const AbsolutePath& path, string_view why);

  FileSource& host_;
  Resolver resolver_;
  RuleSet& set_;
};

ViewRule WorkTree::Rule(Access access, const AbsolutePath& path, string_view why) {
  const FileKind kind = host_.Look(path).kind;
  return {access,
          Resolved{path, path, kind, {}},
          std::nullopt,
          {std::string(why), {LayerKind::kBuiltin, "git work tree", 0, 0}}};
}

/// Where the first line of `file` leads: a folder, by a way that the sandbox cannot change.
std::optional<AbsolutePath> WorkTree::Follow(const AbsolutePath& file, string_view start,
                                             const AbsolutePath& folder) {
  if (host_.Look(file).kind != FileKind::kFile) return std::nullopt;
  const std::string line = host_.FirstLine(file, start);
  if (line.size() <= start.size()) return std::nullopt;
  const auto path = PathFrom(folder, string_view(line).substr(start.size()));
  if (!path) return std::nullopt;
  const Result<Resolved> found = resolver_.Resolve(*path);
  if (!found || found->kind == FileKind::kMissing || found->kind == FileKind::kUnreadable) {
    return std::nullopt;
  }
  const bool by_writable_link =
      std::any_of(found->hops.begin(), found->hops.end(),
                  [this](const LinkHop& hop) { return CouldBeWritten(set_, hop.at); });
  if (by_writable_link) return std::nullopt;
  return found->real;
}

string_view WorkTree::Offer() {
  const AbsolutePath pointer = set_.workspace.Child(".git");
  if (host_.Look(pointer).kind != FileKind::kFile) return {};
  const auto own = Follow(pointer, "gitdir: ", set_.workspace);
  if (!own || !IsFolder(*own)) return "leads to no git folder";
  if (own->IsWithin(set_.workspace)) return {};  // seen already
  // The sandbox can write the pointer, so that alone proves nothing: the other side has to say so.
  if (Follow(own->Child("gitdir"), "", *own) != pointer) {
    return "leads to a git folder that does not lead back here";
  }
  const auto common = Follow(own->Child("commondir"), "", *own);
  // In an earlier run the sandbox could write what it was granted, but not where that lies.
  if (!common || common->Child("worktrees") != own->Parent()) {
    return "leads to a git folder that is none of a work tree's";
  }
  if (!IsFolder(common->Child("objects")) || !IsFolder(common->Child("refs"))) {
    return "leads to a folder that is no repository";
  }
  asb::Offer offer{{Rule(Access::kRead, *common, "the repository of this work tree")},
                   asb::Offer::Over::kReadOnly};
  for (const string_view name : kCommitWrites) {
    const AbsolutePath path = common->Child(name);
    if (IsFolder(path))
      offer.rules.push_back(Rule(Access::kWrite, path, "git writes commits here"));
  }
  offer.rules.push_back(Rule(Access::kWrite, *own, "git's folder of this work tree"));
  for (const string_view name : kPointers) {
    const AbsolutePath path = own->Child(name);
    if (host_.Look(path).kind != FileKind::kFile) continue;
    offer.rules.push_back(Rule(Access::kRead, path, "git outside believes what it says"));
  }
  set_.offers.push_back(std::move(offer));
  set_.rules.push_back(Rule(Access::kRead, pointer, "git outside believes what it says"));
  return {};
}

}  // namespace

void OfferGitFolders(FileSource& host, RuleSet& set) {
  const string_view problem = WorkTree(host, set).Offer();
  if (problem.empty()) return;
  const auto workspace = std::find_if(set.rules.begin(), set.rules.end(),
                                      [](const ViewRule& rule) { return rule.workspace; });
  set.left_out.push_back(
      {set.workspace.Child(".git").text(), std::string(problem), workspace->why.origin});
}

}  // namespace asb
