// What a machine is like: everything a plan may depend on, as plain data with a JSON form
// (plan/facts_json.h), so that any host can be described in a test or sent in a report.
//
// Facts hold names, never values: no content of a file, no value of a variable.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/path.h"

namespace asb {

enum class FileKind : std::uint8_t {
  kMissing,
  kFolder,
  kFile,
  kLink,
  kSocket,
  kFifo,
  kDevice,
  kKernel,      ///< /proc, /dev and below: the sandbox has its own, these are never looked into
  kUnreadable,  ///< the caller may not even look
  kUnknown,     ///< nobody looked: a plan that needs to know is refused
};

struct FileFact {
  FileKind kind = FileKind::kUnknown;
  std::string link_target;  ///< as the link says it; only for kLink
};

/// The names in a folder, or why they cannot be had.
struct Listing {
  std::vector<std::string> names;  ///< sorted
  std::string problem;             ///< empty: names is complete
};

struct UserFacts {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string name;
  std::string home;   ///< from the password database, never from $HOME
  std::string shell;  ///< from the password database
};

struct EngineFacts {
  std::string name;  ///< "bubblewrap"
  std::string path;  ///< empty: not installed where root alone can write
  /// One that others could replace, when there is no other; never used.
  std::string unsafe_path = {};
};

struct HostFacts {
  std::string kernel;         ///< release, "6.1.0-18-amd64"
  std::string architecture;   ///< "x86_64"
  int landlock_abi = 0;       ///< 0: none
  std::string userns_denied;  ///< why user namespaces are forbidden; empty: nothing forbids them
  std::vector<EngineFacts> engines;
  UserFacts user;
  std::string current_directory;         ///< without links, as the kernel gives it; empty: gone
  std::string config_folder;             ///< the product's own, $XDG_CONFIG_HOME/agent-sandbox
  std::string state_folder;              ///< the product's own, $XDG_STATE_HOME/agent-sandbox
  std::string policy_file;               ///< the one that was read, wherever it is; empty: none
  std::vector<std::string> environment;  ///< names of the caller's variables, sorted

  std::unordered_map<AbsolutePath, FileFact, AbsolutePathHash> files;
  std::unordered_map<AbsolutePath, Listing, AbsolutePathHash> listings;
  /// What a path is that `files` does not hold: kUnknown on a real host, so that a forgotten look
  /// is refused and not taken for a missing file; kMissing in a described host.
  FileKind unlisted = FileKind::kUnknown;
};

}  // namespace asb
