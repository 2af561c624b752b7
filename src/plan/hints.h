// What is looked up about a host once a launch has failed, or by doctor: settings, and each wall
// tried by itself. Plain data; host/hints fills it, engine/failure draws conclusions from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace asb {

/// The oldest bubblewrap that can do what engine/launch asks of it: --as-pid-1 and --cap-drop came
/// with 0.2.0, and up to 0.3.2 the new root was built at a name in /tmp that others could take
/// (CVE-2019-12439).
inline constexpr std::string_view kOldestBubblewrap = "0.3.3";

/// One wall tried by itself, in a process that is gone again. In the order of a launch.
enum class TrialStep : std::uint8_t {
  kUserNamespace,
  kIdentity,  ///< mapping the user
  kLimit,     ///< forbidding further user namespaces, by /proc/sys
  kMountNamespace,
  kMount,      ///< a file system in memory; a copy of a device with its own flags
  kTerminals,  ///< devpts
  kNetwork,
  kProcesses,
  kProc,  ///< a /proc of the own process namespace
};
inline constexpr std::size_t kTrialSteps = 9;
inline constexpr int kNotTried = -1;

struct HostHints {
  std::string kernel;  ///< release, "6.1.0-18-amd64"
  bool proc = true;    ///< /proc is there

  // Settings as they read; empty: the kernel has no such setting, or nobody may read it.
  std::string max_user_namespaces;
  std::string unprivileged_userns_clone;
  std::string apparmor_restricts;  ///< kernel.apparmor_restrict_unprivileged_userns

  std::array<int, kTrialSteps> trial{};  ///< 0: it works; kNotTried; or its errno

  std::string engine_path;
  std::string engine_version;  ///< "0.8.0"; empty when it did not say
  std::string engine_problem;  ///< why `bwrap --version` gave none; empty: it did

  [[nodiscard]] int Tried(TrialStep step) const { return trial[static_cast<std::size_t>(step)]; }
  [[nodiscard]] bool Refused(TrialStep step) const { return Tried(step) > 0; }
};

/// "0.3.1" is older than "0.8.0", and "5.10.0-28-amd64" than "5.12".
bool IsOlder(std::string_view version, std::string_view than);

}  // namespace asb
