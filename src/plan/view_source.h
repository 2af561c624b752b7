// The file system as the sandbox will see it, as far as binds to other targets change it: a path
// below the target of a bind is the one below its source. Rules are about what is seen, so they are
// resolved here; the sources of binds are resolved on the host itself.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "plan/resolve.h"

namespace asb {

class ViewSource : public FileSource {
 public:
  explicit ViewSource(FileSource& host) : host_(host) {}

  /// From now on `target` shows `source`. Both free of links.
  void Show(const AbsolutePath& source, const AbsolutePath& target);

  /// Whether any path of the view is elsewhere on the host.
  [[nodiscard]] bool Moves() const { return !sources_.empty(); }

  /// Whether `path` is a folder that the host does not have, made on the way to a target.
  [[nodiscard]] bool IsMade(const AbsolutePath& path) {
    return above_targets_.contains(path) && host_.Look(OnHost(path)).kind == FileKind::kMissing;
  }

  /// Where a path of the view is on the host.
  [[nodiscard]] AbsolutePath OnHost(const AbsolutePath& path) const;

  /// What a bind shows at `path` of the view, when it is not the path itself.
  [[nodiscard]] std::optional<Resolved> SourceOf(const Resolved& path) const;

  FileFact Look(const AbsolutePath& path) override;
  Result<Listing> List(const AbsolutePath& folder) override;
  std::string FirstLine(const AbsolutePath& file, std::string_view start) override;

 private:
  FileSource& host_;
  std::unordered_map<AbsolutePath, AbsolutePath, AbsolutePathHash> sources_;
  std::unordered_set<AbsolutePath, AbsolutePathHash> above_targets_;
};

}  // namespace asb
