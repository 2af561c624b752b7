// The person's terminal: raw while the command uses it, as it was before and after.
#pragma once

#include <memory>

#include "base/result.h"
#include "session/guardian.h"
#include "sys/fd.h"
#include "sys/terminal.h"

namespace asb {

class HostTerminal {
 public:
  /// The terminal behind `fd`, opened once more so that nothing here ever waits for it.
  static Result<HostTerminal> Open(int fd);

  HostTerminal(HostTerminal&&) = default;
  HostTerminal& operator=(HostTerminal&&) = default;
  HostTerminal(const HostTerminal&) = delete;
  HostTerminal& operator=(const HostTerminal&) = delete;
  ~HostTerminal();

  [[nodiscard]] int fd() const { return terminal_.get(); }
  [[nodiscard]] bool IsRaw() const { return state_ != nullptr && state_->changed; }
  /// As found, and as it will be put back.
  [[nodiscard]] const TerminalSettings& settings() const { return state_->settings; }

  /// Raw, so that every key goes to the command. False, and nothing done, in the background.
  bool MakeRaw();

  /// As found: settings, screen, cursor, mouse.
  void PutBack(Pending pending);

  /// What the command has switched on.
  void NoteModes(TerminalModes modes);

 private:
  HostTerminal() = default;

  Fd terminal_;
  TerminalState* state_ = nullptr;
  std::unique_ptr<Guardian> guardian_;
};

}  // namespace asb
