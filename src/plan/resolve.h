// From a path as written to the place it means on a host.
//
// The walk asks a FileSource about one component after the other and follows links itself, so that
// the plan knows every link on the way. The host is probed by this very walk with a source that
// looks and remembers: what the plan asks for is exactly what was looked at.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/glob.h"
#include "base/path.h"
#include "base/result.h"
#include "plan/facts.h"

namespace asb {

/// Answers questions about a file system, one component at a time.
class FileSource {
 public:
  virtual ~FileSource() = default;
  /// The path itself, not what it leads to. All folders above `path` are real (no links).
  virtual FileFact Look(const AbsolutePath& path) = 0;
  /// The names in a folder that Look() called one.
  virtual Result<Listing> List(const AbsolutePath& folder) = 0;
  /// The first line of a file that Look() called one, without its end, if it begins with `start`;
  /// nothing otherwise.
  virtual std::string FirstLine(const AbsolutePath& file, std::string_view start) = 0;
};

/// Answers from facts alone.
class FactsSource : public FileSource {
 public:
  explicit FactsSource(const HostFacts& facts) : facts_(facts) {}
  FileFact Look(const AbsolutePath& path) override;
  Result<Listing> List(const AbsolutePath& folder) override;
  std::string FirstLine(const AbsolutePath& file, std::string_view start) override;

 private:
  const HostFacts& facts_;
};

struct LinkHop {
  AbsolutePath at;     ///< where the link is, itself free of links
  std::string target;  ///< as the link says it, or absolute where it used ".."
};

struct Resolved {
  AbsolutePath spelled;  ///< what was asked
  AbsolutePath real;     ///< free of links; for a missing path, as far as it exists plus rest
  FileKind kind = FileKind::kMissing;  ///< of `real`; never kLink
  std::vector<LinkHop> hops;           ///< every link on the way, in order
};

/// Resolves paths and remembers the folders on the way: rules of one tree share their walk.
class Resolver {
 public:
  explicit Resolver(FileSource& source) : source_(source) {}

  /// Follows links. Fails on a loop (more than 40 links, the kernel's limit), on a component below
  /// something that is no folder, and on facts that do not know.
  Result<Resolved> Resolve(const AbsolutePath& path);

  /// The paths that an absolute pattern (base/glob.h per component) means, in order; without a
  /// glob, the path itself whether it exists or not. Fails beyond kMostMatches.
  Result<std::vector<Resolved>> ResolvePattern(std::string_view pattern,
                                               LeadingDot dot = LeadingDot::kMustBeSpelled);

  static constexpr std::size_t kMostMatches = 4096;

 private:
  const Result<Resolved>& ResolveFolder(const AbsolutePath& folder);
  Result<Resolved> Enter(Resolved folder, std::string_view name);
  Result<Resolved> FollowLink(Resolved folder, const AbsolutePath& at, const std::string& target);
  Result<std::vector<AbsolutePath>> MatchNames(const std::vector<AbsolutePath>& folders,
                                               std::string_view glob, LeadingDot dot,
                                               std::string_view pattern);

  FileSource& source_;
  std::unordered_map<AbsolutePath, Result<Resolved>, AbsolutePathHash> folders_;
};

}  // namespace asb
