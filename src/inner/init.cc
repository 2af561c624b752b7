#include "inner/init.h"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "sys/child.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/namespaces.h"
#include "sys/process.h"
#include "sys/reap.h"
#include "sys/signals.h"
#include "sys/socket.h"
#include "sys/terminal.h"
#include "wire/message.h"
#include "wire/run.h"

namespace asb {
namespace {

constexpr int kGone = 1;  // nobody is left to read an exit code of PID 1

void Send(MessageKind kind, int number, std::string text = {}, std::span<const int> fds = {}) {
  const Phase phase = kind == MessageKind::kFailed ? Phase::kInit : Phase::kNone;
  const auto sent =
      SendPacket(kControlFd, Encode(Message{kind, number, phase, std::move(text)}), fds);
  if (!sent) EndNow(kGone);
}

[[noreturn]] void Fail(const char* step, const Error& error) {
  Send(MessageKind::kFailed, error.sys_errno, During(step, error).value().what);
  EndNow(kGone);
}

struct Received {
  Message message;
  std::vector<Fd> fds;
};

/// The next message; without a supervisor there is no sandbox.
Received Receive() {
  auto packet = ReceivePacket(kControlFd, kMostMessage, 4);
  if (!packet || !*packet) EndNow(kGone);
  auto message = DecodeMessage((*packet)->bytes);
  if (!message) EndNow(kGone);
  return {std::move(*message), std::move((*packet)->fds)};
}

class Init {
 public:
  [[noreturn]] void Main();

 private:
  void TakeRun();
  void MakeTerminal();
  static void SendNamespace();
  void WaitForGo();
  void StartCommand();
  [[noreturn]] void BecomeCommand();
  void Follow();
  void TakeMessage();
  void ReapChildren();
  void SendSignal(int signal) const;
  void Continue(bool foreground);

  Run run_;
  std::vector<Fd> streams_;  ///< for those of 0, 1, 2 that are not on the terminal, in order
  Fd terminal_;              ///< the slave; the session's own
  Fd children_;              ///< readable when a child changed
  Fd refusal_;               ///< readable when the command was executed, or could not be
  pid_t leader_ = -1;
  pid_t front_ = -1;  ///< who is in front of the terminal whenever the sandbox is
};

void Init::Main() {
  SetProcessName("agent-sandbox-i");
  if (auto closed = MakeUndumpable(); !closed) Fail("closing PID 1 to others", closed.error());
  CloseFrom(kControlFd + 1);
  auto children = BlockAllAndReadChildren();
  if (!children) Fail("blocking signals", children.error());
  children_ = std::move(*children);
  TakeRun();
  if (run_.guarded) SendNamespace();
  StartSession();
  if (run_.terminal) MakeTerminal();
  WaitForGo();
  if (auto entered = ChangeFolder(run_.folder); !entered) {
    Fail("entering the workspace", entered.error());
  }
  StartCommand();
  for (;;) Follow();
}

void Init::TakeRun() {
  Received start = Receive();
  if (start.message.kind != MessageKind::kStart || start.fds.empty()) EndNow(kGone);
  auto bytes = ReadMemory(start.fds[0].get(), kMostRun);
  if (!bytes) Fail("reading the run", bytes.error());
  auto run = DecodeRun(*bytes);
  // Another version may write it otherwise, so this comes before anything else is believed.
  if (!run || run->version != ASB_VERSION) {
    Fail("agent-sandbox-init " ASB_VERSION " belongs to another agent-sandbox",
         SysError(EPROTO).value());
  }
  run_ = std::move(*run);
  for (std::size_t i = 1; i < start.fds.size(); ++i) streams_.push_back(std::move(start.fds[i]));
}

void Init::MakeTerminal() {
  auto made = OpenPseudoTerminal();
  if (!made) Fail("making a terminal", made.error());
  if (auto taken = TakeTerminal(made->slave.get()); !taken) {
    Fail("taking the terminal", taken.error());
  }
  terminal_ = std::move(made->slave);
  const int master = made->master.get();
  Send(MessageKind::kTerminal, 0, "", std::span(&master, 1));
}

/// For the warden, which puts back what falls off the view.
void Init::SendNamespace() {
  auto proc = OpenProc();
  auto mounts = proc ? MyMountNamespace(proc->get()) : std::move(proc);
  if (!mounts) Fail("opening the mount namespace", mounts.error());
  const int fd = mounts->get();
  Send(MessageKind::kNamespace, 0, "", std::span(&fd, 1));
}

void Init::WaitForGo() {
  if (Receive().message.kind != MessageKind::kGo) EndNow(kGone);
}

void Init::StartCommand() {
  auto pipe = MakePipe();
  auto gate = MakePipe();
  if (!pipe || !gate) Fail("making a pipe", pipe ? gate.error() : pipe.error());
  auto forked = ForkPlainly();
  if (!forked) Fail("starting a process", forked.error());
  leader_ = *forked;
  if (leader_ == 0) {
    refusal_ = std::move(pipe->second);
    gate->second = Fd();
    char open = 0;
    if (ReadSome(gate->first.get(), &open, 1, DescriptorKind::kPipe).bytes != 1) EndNow(kGone);
    BecomeCommand();
  }
  OwnGroup(leader_);
  front_ = leader_;
  if (run_.foreground) SetForegroundGroup(terminal_.get(), leader_);
  refusal_ = std::move(pipe->first);
  streams_.clear();  // the command's alone now: its end is theirs
  // Nothing can fail any more that is not the command's own: now the supervisor may know, and only
  // then the command may run.
  Send(MessageKind::kReady, 0);
  (void)WriteSome(gate->second.get(), "g", DescriptorKind::kPipe);
}

/// In the child: everything that is PID 1's is closed or undone.
void Init::BecomeCommand() {
  // The same session as PID 1: a group whose parent is in another session is orphaned, and the
  // kernel does not stop orphans.
  OwnGroup(0);
  if (run_.foreground) SetForegroundGroup(terminal_.get(), MyPid());
  std::vector<int> fds;
  std::size_t next = 0;
  for (const bool on_terminal : run_.on_terminal) {
    if (!on_terminal && next == streams_.size()) EndNow(kGone);
    fds.push_back(on_terminal ? terminal_.get() : streams_[next++].get());
  }
  fds.push_back(refusal_.get());
  const auto kept = KeepOnly(fds);
  int error = kept ? 0 : kept.error().sys_errno;
  if (kept) {
    CloseOnExec(3);
    std::string path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& variable : run_.environment) {
      if (variable.starts_with("PATH=")) path = variable.substr(5);
    }
    ResetSignals();
    error = ExecuteBySearch(run_.argv, run_.environment, path).sys_errno;
  }
  const char byte = static_cast<char>(error);
  (void)WriteSome(3, std::string_view(&byte, 1), DescriptorKind::kPipe);
  EndNow(kGone);
}

/// One round: whatever happens next, here or at the other end.
void Init::Follow() {
  std::vector<Watched> watched{{kControlFd, true}, {children_.get(), true}, {refusal_.get(), true}};
  WaitForAny(watched, -1);
  if (watched[2].read || watched[2].gone) {
    char error = 0;
    const Moved moved = ReadSome(refusal_.get(), &error, 1, DescriptorKind::kPipe);
    refusal_ = Fd();
    if (moved.bytes == 1) {
      Send(MessageKind::kNotExecuted, static_cast<unsigned char>(error));
      EndNow(kGone);
    }
  }
  if (watched[0].read || watched[0].gone) TakeMessage();
  if (watched[1].read) ReapChildren();
}

void Init::TakeMessage() {
  const Message message = Receive().message;
  if (message.kind == MessageKind::kSignal) SendSignal(message.number);
  if (message.kind == MessageKind::kContinue) Continue(message.number != 0);
}

/// What a terminal sends is for whoever is in front of it; of a hang-up the command hears as well.
/// Everything else is for the command.
void Init::SendSignal(int signal) const {
  pid_t front = terminal_.IsOpen() ? ForegroundGroup(terminal_.get()) : leader_;
  if (front <= 1) front = leader_;
  const bool is_key = signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP;
  if (is_key || signal == SIGHUP) SignalGroup(front, signal);
  if (signal == SIGHUP ? front != leader_ : !is_key) SignalGroup(leader_, signal);
}

void Init::Continue(bool foreground) {
  if (terminal_.IsOpen()) {
    const pid_t front = ForegroundGroup(terminal_.get());
    if (front > 1) front_ = front;
    const bool set = SetForegroundGroup(terminal_.get(), foreground ? front_ : MyPid());
    if (!set) SetForegroundGroup(terminal_.get(), leader_);  // that group has ended
  }
  SignalGroup(leader_, SIGCONT);
}

void Init::ReapChildren() {
  while (TakeSignal(children_.get()) != 0) {
  }
  while (const std::optional<ChildChange> change = NextChildChange()) {
    if (change->pid != leader_) continue;
    if (change->stopped_by != 0) {
      if (change->stopped_by == SIGTTIN || change->stopped_by == SIGTTOU) {
        SetForegroundGroup(terminal_.get(), MyPid());
        front_ = leader_;  // the next time it gets what it asked for
      }
      Send(MessageKind::kStopped, change->stopped_by);
      continue;
    }
    const Ending& ending = change->ending;
    Send(MessageKind::kExited, ending.signal != 0 ? kKilledBy + ending.signal : ending.code);
    EndNow(0);  // and the kernel ends whatever the command left behind
  }
}

}  // namespace

void RunInit() { Init().Main(); }

}  // namespace asb
