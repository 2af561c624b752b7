// The same folder at several places of the host: a bind mount, a file system mounted twice. What is
// hidden at one of them has to be hidden at all.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "plan/facts.h"

namespace asb {

class MountAliases {
 public:
  explicit MountAliases(const std::vector<MountFact>& mounts);

  /// Other paths by which `path` of the host, or something in it, may be reached. They need not
  /// exist: a later mount may cover them, or they are still to be made.
  [[nodiscard]] std::vector<AbsolutePath> Of(const AbsolutePath& path) const;

 private:
  [[nodiscard]] const MountFact* Holder(const AbsolutePath& path) const;
  void AddOthers(const MountFact& seen, const AbsolutePath& inside,
                 std::vector<AbsolutePath>& out) const;

  const std::vector<MountFact>& mounts_;
  /// By device, those that are mounted more than once.
  std::unordered_map<std::string, std::vector<const MountFact*>> repeated_;
};

}  // namespace asb
