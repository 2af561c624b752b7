// The command's standard streams, from its side to the person's: pipes that stand for what the
// caller had, and the sandbox's terminal with the person's behind it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/host_terminal.h"
#include "session/relay.h"
#include "session/streams.h"
#include "sys/descriptors.h"
#include "sys/fd.h"
#include "terminal/filter.h"
#include "wire/run.h"

namespace asb {

class Console {
 public:
  /// Decides about 0, 1 and 2, fills in what init is told about them, and adds the descriptors that
  /// the command gets.
  Result<void> Open(Tty wanted, Run& run, std::vector<Fd>& handed_in);

  /// The sandbox's terminal is made: it starts out as the person's is. False without descriptors.
  bool Connect(Fd master);

  /// From now on keys may reach the command.
  void CommandIsReady();

  // In the event loop.
  void Watch(std::vector<Watched>& watched);
  void Step(const std::vector<Watched>& watched);

  [[nodiscard]] bool HasTerminal() const { return terminal_ != nullptr; }
  /// Keys that are typed go to the command, or there is nobody who could type.
  [[nodiscard]] bool IsInFront() const { return !KeyboardIsTerminal() || terminal_->IsRaw(); }
  /// No key will come any more, or nobody takes what is shown.
  [[nodiscard]] bool IsLost() const;
  /// The person's terminal has been closed.
  [[nodiscard]] bool TerminalIsGone() const;

  /// The window has another size. True when the kernel does not tell the command itself.
  bool Resize();

  /// The command asks for the terminal. True when it has it now.
  bool TakeKeyboard();

  /// The job is about to stop: the terminal as it was found.
  void Release();
  /// The job goes on.
  void Resume();
  void DropKeyboard() { keyboard_.reset(); }

  /// The command has ended: what it had written still arrives, then the terminal is put back. A
  /// signal ends the waiting. The errno of a write that failed, or 0.
  int Drain(int signals);

 private:
  struct Behind {
    int fd = -1;
    DescriptorKind kind = DescriptorKind::kNull;
  };
  [[nodiscard]] Behind BehindTerminal(int stream) const;
  [[nodiscard]] bool KeyboardIsTerminal() const;
  Result<void> OpenPipe(int stream, std::vector<Fd>& handed_in);
  Result<void> OpenTerminal();
  void ChooseFilter();
  void Show(std::string_view in, std::string& out);
  void UseKeyboard();
  void PutTerminalBack();
  void LeaveTerminal();

  Streams streams_;
  std::vector<std::unique_ptr<Relay>> relays_;  ///< streams that pipes stand for
  std::unique_ptr<HostTerminal> terminal_;      ///< the person's, if one of the streams is
  Fd master_;                                   ///< of the sandbox's terminal
  std::unique_ptr<Relay> screen_;               ///< master → terminal
  std::unique_ptr<Relay> keyboard_;             ///< terminal → master
  VtFilter filter_;
  bool wants_keyboard_ = false;    ///< the command is interactive, or has asked for the terminal
  bool is_set_up_ = false;         ///< the sandbox's terminal has the settings of the person's
  bool command_is_ready_ = false;  ///< before, an interrupt would reach nobody
};

}  // namespace asb
