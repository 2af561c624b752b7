// What a machine is like: everything a plan may depend on, as plain data with a JSON form
// (plan/facts_json.h), so that any host can be described in a test or sent in a report.
//
// Facts hold names, never values: no value of a variable, and of files only first lines that lead
// to other files.
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
  std::string link_target;       ///< as the link says it; only for kLink
  bool has_other_names = false;  ///< a hard link leads to it from elsewhere; only for kFile
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
  /// "Full Name": what git signs with when nobody tells it more.
  std::string real_name = {};
};

/// An account that belongs to the system and to no person.
struct Account {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string home;
  std::string shell;
};

/// A group of the system, or one that the caller is in.
struct Group {
  std::string name;
  std::uint32_t gid = 0;
  bool has_caller = false;
};

/// One line of /proc/self/mountinfo.
struct MountFact {
  std::string device;  ///< "8:1": the same for every place where a file system is mounted
  AbsolutePath root;   ///< which folder of the file system is seen
  AbsolutePath at;     ///< where
  std::string type;    ///< "ext4"
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
  std::string current_directory;          ///< without links, as the kernel gives it; empty: gone
  std::string config_folder;              ///< the product's own, $XDG_CONFIG_HOME/agent-sandbox
  std::string state_folder;               ///< the product's own, $XDG_STATE_HOME/agent-sandbox
  std::string policy_file;                ///< the one that was read, wherever it is; empty: none
  std::string runtime_folder;             ///< $XDG_RUNTIME_DIR; empty: not set
  std::vector<std::string> own_programs;  ///< agent-sandbox and agent-sandbox-init, free of links
  std::vector<std::string> search_path;   ///< the folders of $PATH, in order
  std::vector<std::string> environment;   ///< names of the caller's variables, sorted
  std::vector<Account> accounts;          ///< of the system, as the host lists them
  std::vector<Group> groups;              ///< of the system and of the caller
  std::vector<MountFact> mounts;          ///< in the order of the kernel

  std::unordered_map<AbsolutePath, FileFact, AbsolutePathHash> files;
  std::unordered_map<AbsolutePath, Listing, AbsolutePathHash> listings;
  /// First lines that lead elsewhere: "#!/usr/bin/python3", "gitdir: …". Empty: none of the kind.
  std::unordered_map<AbsolutePath, std::string, AbsolutePathHash> first_lines;
  /// What a path is that `files` does not hold: kUnknown on a real host, so that a forgotten look
  /// is refused and not taken for a missing file; kMissing in a described host.
  FileKind unlisted = FileKind::kUnknown;
};

}  // namespace asb
