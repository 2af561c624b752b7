// Processes of ours: started, watched by descriptor, ended by descriptor. No pid is used after its
// process could have gone.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// How a process ended: its exit code, or the signal that killed it.
struct Ending {
  int code = 0;
  int signal = 0;  ///< 0: it exited by itself
};

class Child {
 public:
  Child() = default;

  /// Splits this process in two. In the new one the Child is not running and IsChild() is true.
  static Result<Child> Fork();

  /// The same, and the new process is the first of user, mount and process namespaces of its own,
  /// and of a network if wanted: it holds all capabilities there and none outside, and when it ends
  /// the kernel ends every process below it, whatever they are doing.
  static Result<Child> ForkIntoNamespaces(bool own_network);

  [[nodiscard]] bool IsChild() const { return pid_ == 0; }
  [[nodiscard]] bool IsRunning() const { return pidfd_.IsOpen(); }
  /// Readable as soon as the process has ended.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }

  /// SIGKILL. Nothing happens when it has ended.
  void Kill() const;

  /// Collects the process; waits until it has ended.
  Ending Wait();

 private:
  pid_t pid_ = -1;
  Fd pidfd_;
};

/// In a child: die when the parent dies. The parent may be dead already: look at a socket to it.
void DieWithParent();
/// The same in the parent's process namespace; false when it is dead already.
bool DieWithParent(pid_t parent);
pid_t MyPid();

/// Replaces this process. Returns, with the reason, only when that failed.
Error Execute(const std::string& path, const std::vector<std::string>& argv,
              const std::vector<std::string>& environment);
/// The same; a name without '/' is looked for in `search_path`, as shells do.
Error ExecuteBySearch(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment, const std::string& search_path);

/// Ends this process at once; no handler, no destructor.
[[noreturn]] void EndNow(int code);

/// The process may not be read, traced or dumped by others of the same user.
Result<void> MakeUndumpable();

/// Asks for short turns on the processor, which come sooner: for whoever sleeps and then has little
/// to do at once. Kernels before 6.12 take no notice.
void PreferShortTurns();

/// The name in process lists; at most 15 bytes.
void SetProcessName(const char* name);

}  // namespace asb
