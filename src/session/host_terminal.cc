#include "session/host_terminal.h"

#include <new>

#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/shared.h"

namespace asb {

Result<HostTerminal> HostTerminal::Open(int fd) {
  HostTerminal out;
  auto terminal = ReopenWithoutWaiting(fd);
  if (!terminal) return During("opening the terminal", terminal.error());
  out.terminal_ = std::move(*terminal);
  auto memory = SharedMemory(sizeof(TerminalState));
  if (!memory) return During("sharing memory", memory.error());
  out.state_ = new (*memory) TerminalState();
  if (const auto settings = SettingsOf(out.fd())) out.state_->settings = *settings;
  return out;
}

HostTerminal::~HostTerminal() {
  if (!terminal_.IsOpen()) return;
  PutBack(Pending::kKeep);
  if (guardian_) guardian_->Dismiss();
}

bool HostTerminal::MakeRaw() {
  if (!InForeground(terminal_.get())) {
    state_->changed = false;  // whoever is in front has made it its own
    return false;
  }
  const auto settings = SettingsOf(terminal_.get());
  if (!settings) return false;
  if (!guardian_) {
    auto guardian = Guardian::Start(terminal_.get(), state_);
    if (!guardian) return false;
    guardian_ = std::make_unique<Guardian>(std::move(*guardian));
  }
  // Raw already, by this sandbox or by another in the same pipeline: not what to put back.
  if (!IsRawForm(*settings)) state_->settings = *settings;
  state_->changed = true;
  ApplySettings(terminal_.get(), RawForm(*settings), Pending::kKeep);
  return true;
}

void HostTerminal::PutBack(Pending pending) {
  if (state_ == nullptr) return;
  ResetModes(terminal_.get(), state_->modes);
  if (!IsRaw()) return;
  ApplySettings(terminal_.get(), state_->settings, pending);
  state_->changed = false;
}

void HostTerminal::NoteModes(TerminalModes modes) {
  if (state_ != nullptr) state_->modes = modes;
}

}  // namespace asb
