#include "session/guardian.h"

#include <string>
#include <vector>

#include "sys/descriptors.h"
#include "sys/files.h"
#include "sys/signals.h"

namespace asb {
namespace {

constexpr std::int64_t kBusyTime = 500;  // ms

[[noreturn]] void Guard(int terminal, int pipe, const TerminalState& state) {
  SetProcessName("asb-guardian");
  OwnGroup(0);  // an interrupt typed at the terminal is not for it
  // Above all the control socket goes: held here, it would keep the sandbox alive.
  if (!KeepOnly({terminal, terminal, terminal, pipe})) EndNow(1);
  IgnoreTerminalSignals();
  char nothing = 0;
  while (!ReadSome(3, &nothing, 1, DescriptorKind::kPipe).ended) {
  }
  if (state.changed) {
    // A shell that was quicker has its own settings by now.
    const auto found = SettingsOf(0);
    if (found && IsRawForm(*found)) ApplySettings(0, state.settings, Pending::kDiscard);
    ResetModes(0, state.modes);
  }
  EndNow(0);
}

}  // namespace

void ResetModes(int terminal, TerminalModes modes) {
  const std::string sequence = ResetSequence(modes);
  const std::int64_t until = Milliseconds() + kBusyTime;
  std::string_view left = sequence;
  while (!left.empty() && Milliseconds() < until) {
    std::vector<Watched> watched{{terminal, false, true, false}};
    WaitForAny(watched, static_cast<int>(kBusyTime));
    const Moved moved = WriteSome(terminal, left, DescriptorKind::kTerminal);
    if (moved.ended) return;
    left.remove_prefix(moved.bytes);
  }
}

Result<Guardian> Guardian::Start(int terminal, TerminalState* state) {
  auto pipe = MakePipe();
  if (!pipe) return tl::make_unexpected(pipe.error());
  auto child = Child::Fork();
  if (!child) return tl::make_unexpected(child.error());
  if (child->IsChild()) {
    pipe->second = Fd();
    Guard(terminal, pipe->first.get(), *state);
  }
  Guardian guardian;
  guardian.child_ = std::move(*child);
  guardian.pipe_ = std::move(pipe->second);
  return guardian;
}

void Guardian::Dismiss() {
  if (!child_.IsRunning()) return;
  child_.Kill();  // works also when somebody has stopped it
  child_.Wait();
  pipe_ = Fd();
}

}  // namespace asb
