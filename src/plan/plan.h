// Exactly what the kernel and the helpers will be asked for: plain data in a total order, printable
// as text and JSON, comparable, every step with its reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/path.h"
#include "plan/facts.h"
#include "policy/gaps.h"
#include "policy/policy.h"

namespace asb {

/// Why a step is in the plan: a few words and who said so.
struct Why {
  std::string text;
  Origin origin;
};

/// What the sandbox sees at a path and below it, until a deeper entry says otherwise.
enum class Access : std::uint8_t {
  kAbsent,   ///< not there (ENOENT)
  kHidden,   ///< there, and refused (EACCES), or absent with its folder
  kRead,     ///< the host's, read-only
  kWrite,    ///< the host's, read-write
  kPrivate,  ///< an empty folder of the sandbox's own
  kKept,     ///< a folder of the sandbox's own that survives the run
  kProc,     ///< a process file system of the sandbox's own
  kDevices,  ///< a few devices of the sandbox's own
  kMade,     ///< a file of the sandbox's own, made from facts
};

/// One decided path.
struct ViewEntry {
  AbsolutePath path;    ///< free of links
  AbsolutePath source;  ///< on the host; equal to path except for bind
  Access access = Access::kAbsent;
  FileKind kind = FileKind::kFolder;
  Why why;
  bool floor = false;  ///< no rule lifts it
  bool bind = false;   ///< shows its source because a bind says so
};

enum class MountKind : std::uint8_t {
  kReadOnly,
  kWritable,
  kPin,  ///< a folder onto itself: it cannot be renamed to get around what is protected below
  kPrivate,
  kKept,  ///< the source is a folder of the product's own state
  kHiddenFile,
  kHiddenFolder,
  kPassage,  ///< a hidden folder that something granted lies below: empty but for that
  kLink,
  kProc,
  kDevices,
  kMade,  ///< a read-only file whose text is in the plan
};
inline constexpr MountKind kLastMountKind = MountKind::kMade;

/// How much fits into a private folder (it is memory); a full one says ENOSPC.
inline constexpr std::uint64_t kPrivateBytes = std::uint64_t{4} << 30U;

struct MountStep {
  MountKind kind = MountKind::kHiddenFolder;
  AbsolutePath target;
  AbsolutePath source;      ///< where HasSource; free of links
  std::string link_target;  ///< for kLink
  Why why;
  std::string content = {};  ///< for kMade
};

/// What has to be put back when the kernel takes a mount off a live folder of the host.
enum class Guard : std::uint8_t {
  kHidden,    ///< hidden, whatever it is by then
  kPassage,   ///< hidden but for something below, which is lost: hidden from then on
  kReadOnly,  ///< the host's, read-only
  kPinned,    ///< a folder onto itself
  kPrivate,   ///< what was in it is lost: hidden from then on
  kLate,      ///< missing at the start: hidden when it appears
};

struct Guarded {
  AbsolutePath path;
  AbsolutePath root;  ///< the mounted folder of the host around it
  Guard guard = Guard::kHidden;
};

struct EnvStep {
  std::string name;
  std::optional<std::string> value;  ///< nothing: the caller's value passes
  Why why;
};

/// A rule that has no effect on this host, and the reason.
struct LeftOut {
  std::string what;
  std::string reason;
  Origin origin;
};

struct Gap {
  GapId id = GapId::kMaskRace;
  std::string where;  ///< the first path concerned and how many more; may be empty
};

/// A granted path that gives more than a file does.
struct Alert {
  AbsolutePath path;
  std::string what;
  Origin origin;
};

/// Why this plan cannot be run on this host.
struct Blocker {
  std::string what;
  std::string cause;
  std::string fix;
};

/// A home folder of the sandbox's own that survives the run.
struct KeptHome {
  std::string key;      ///< names the folder: a digest of `reach`
  std::string reach;    ///< the project and what the policy may reach (plan/reach.h)
  AbsolutePath state;   ///< the product's own folder: links are followed up to its last name
  AbsolutePath folder;  ///< what the sandbox gets as its home
};

struct Plan {
  std::string engine;       ///< "bubblewrap"
  std::string engine_path;  ///< empty when a blocker says so
  std::vector<std::string> command;
  AbsolutePath workspace;
  AbsolutePath user_home;  ///< free of links
  Sourced<View> view;
  Sourced<HomeMode> home;
  Sourced<Network> network;
  Sourced<Tty> tty;
  std::optional<KeptHome> kept;    ///< when a step shows it
  std::vector<ViewEntry> entries;  ///< by path; the first is the root
  std::vector<MountStep> mounts;   ///< by target: folders before what is in them
  std::vector<Guarded> guarded;    ///< by path; not printed: it follows from the mounts
  std::vector<EnvStep> env;        ///< by name
  std::vector<Gap> gaps;           ///< in the order of the gap table
  std::vector<Alert> alerts;       ///< in the order of data/sensitive.toml
  std::vector<LeftOut> left_out;
  std::vector<Blocker> blockers;
};

std::string_view WordFor(Access access);
std::string_view WordFor(MountKind kind);

/// True for steps that show a file or folder of the host: those with a source.
bool HasSource(MountKind kind);

}  // namespace asb
