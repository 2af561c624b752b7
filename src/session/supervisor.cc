#include "session/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/failure.h"
#include "engine/launch.h"
#include "engine/warden.h"
#include "host/hints.h"
#include "session/console.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/process.h"
#include "sys/signals.h"
#include "sys/socket.h"
#include "wire/message.h"
#include "wire/run.h"

namespace asb {
namespace {

constexpr std::int64_t kGraceAfterHangUp = 1000;  // ms for a command whose terminal is gone
constexpr std::int64_t kGraceForEngine = 2000;    // ms until bubblewrap is killed
constexpr std::int64_t kTimeToStart = 30'000;     // ms for the walls: a dead NFS answers never
constexpr std::size_t kMostComplaints = 4096;

class Supervisor {
 public:
  explicit Supervisor(const SessionRequest& request) : request_(request) {}

  Result<std::optional<SessionEnd>> Run(const PlanMaker& make_plan);

 private:
  void Begin();
  Result<void> Start();
  std::vector<std::string> Environment() const;
  void Send(MessageKind kind, int number, std::span<const int> fds = {});
  void GoWhenReady();

  void Round();
  void TakeControl();
  void TakeMessage(const Message& message, std::vector<Fd> fds);
  void TakeComplaints();
  void TakeWarden(const Warden::Word& word);
  void LoseWarden(const Warden::Word& word);
  void TakeSignals();
  void TakeSignal(int signal);
  void CommandStopped(int signal);
  void StopJob(int signal, bool others_too);
  void Resume();
  void LoseTerminal();

  void End(int code);
  void Refuse(const Message& message);
  void EngineGone();
  void TooLate();
  void CollectEngine();
  void CollectWarden();

  const SessionRequest& request_;
  const Plan* plan_ = nullptr;
  Launched launched_;
  Fd signals_;
  std::string complaints_;

  Console console_;
  Warden warden_;                                    ///< only where something can fall off
  std::map<std::uint32_t, std::uint32_t> restored_;  ///< of the plan's guarded → how often
  bool awaits_terminal_ = false;                     ///< before the command may run
  bool awaits_warden_ = false;                       ///< before the command may run
  bool ready_ = false;                               ///< every wall stands
  bool stop_requested_ = false;                      ///< somebody outside asked the command to stop
  bool is_left_behind_ = false;  ///< the command has stopped, and this job has not
  std::int64_t deadline_ = 0;    ///< 0: none
  bool ended_ = false;
  SessionEnd end_;
  std::optional<LaunchFailure> failure_;
};

Result<std::optional<SessionEnd>> Supervisor::Run(const PlanMaker& make_plan) {
  Begin();
  plan_ = make_plan();
  if (plan_ == nullptr) {
    if (launched_.child.IsRunning()) CollectEngine();
    return std::optional<SessionEnd>();
  }
  if (auto started = Start(); !started) {
    if (launched_.child.IsRunning()) CollectEngine();
    return tl::make_unexpected(DescribeFailure(started.error(), GatherHints(plan_->engine_path)));
  }
  while (!ended_) Round();
  if (launched_.child.IsRunning()) CollectEngine();
  warden_.Dismiss();
  if (const int error = console_.Drain(signals_.get()); error != 0) {
    end_.remark = fmt::format("what the command wrote is lost: {}", std::strerror(error));
    if (end_.code == 0) end_.code = 1;
  }
  CollectWarden();
  if (failure_)
    return tl::make_unexpected(DescribeFailure(*failure_, GatherHints(plan_->engine_path)));
  return end_;
}

/// Everything that needs no plan; the launcher works while the plan is made.
void Supervisor::Begin() {
  UseUsualDispositions();
  auto launched = StartLauncher(request_.network, request_.init_path);
  if (launched) {
    launched_ = std::move(*launched);
  } else {
    failure_ = std::move(launched.error());
    ended_ = true;
  }
}

Result<void> Supervisor::Start() {
  if (ended_) return {};
  // Not before: while the plan is made, an interrupt simply ends this program.
  auto signals = BlockAndRead(
      {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH, SIGTTOU});
  if (!signals) return During("reading signals", signals.error());
  signals_ = std::move(*signals);
  asb::Run run;
  run.version = request_.version;
  run.argv = plan_->command;
  run.environment = Environment();
  run.folder = plan_->workspace.text();
  std::vector<Fd> handed_in;
  if (auto opened = console_.Open(plan_->tty.value, run, handed_in); !opened) return opened;
  run.guarded = !plan_->guarded.empty();
  auto memory = SealedMemory("run", Encode(run));
  if (!memory) return During("writing the run", memory.error());

  if (auto ordered = OrderView(launched_, *plan_); !ordered) return ordered;
  deadline_ = Milliseconds() + kTimeToStart;
  // Init finds it waiting: no round trip while the walls are built.
  std::vector<int> fds{memory->get()};
  for (const Fd& fd : handed_in) fds.push_back(fd.get());
  Send(MessageKind::kStart, 0, fds);
  awaits_terminal_ = run.terminal;
  awaits_warden_ = run.guarded;
  GoWhenReady();
  if (!run.guarded) return {};
  auto warden = Warden::Start(plan_->guarded);
  if (!warden) return During("starting the warden", warden.error());
  warden_ = std::move(*warden);
  return {};
}

void Supervisor::GoWhenReady() {
  if (!awaits_terminal_ && !awaits_warden_) Send(MessageKind::kGo, 0);
}

std::vector<std::string> Supervisor::Environment() const {
  const auto callers = Variables();
  std::vector<std::string> out;
  for (const EnvStep& step : plan_->env) {
    const auto found = callers.find(step.name);
    if (step.value) {
      out.push_back(step.name + "=" + *step.value);
    } else if (found != callers.end()) {
      out.push_back(step.name + "=" + std::string(found->second));
    }
  }
  return out;
}

void Supervisor::Send(MessageKind kind, int number, std::span<const int> fds) {
  const auto sent =
      SendPacket(launched_.control.get(), Encode(Message{kind, number, Phase::kNone, ""}), fds);
  if (sent || ended_) return;
  // Nobody there: the end of the socket says so in the next round. Anything else leaves init
  // waiting.
  if (sent.error().sys_errno == EPIPE || sent.error().sys_errno == ECONNRESET) return;
  // Hundreds wait there already: like the kernel's own, a signal that already waits is not sent.
  if (ready_ && sent.error().sys_errno == EAGAIN) return;
  if (ready_) return End(128 + SIGKILL);
  failure_ = LaunchFailure{Phase::kInit, sent.error().sys_errno,
                           During("handing over the run", sent.error()).value().what, ""};
  ended_ = true;
}

void Supervisor::Round() {
  std::vector<Watched> watched{{launched_.control.get(), true, false, false},
                               {signals_.get(), true, false, false},
                               {launched_.child.pidfd(), true, false, false},
                               {launched_.complaints.get(), true, false, false},
                               {warden_.socket(), true, false, false}};
  console_.Watch(watched);
  int wait = -1;
  if (deadline_ != 0)
    wait = static_cast<int>(std::max<std::int64_t>(0, deadline_ - Milliseconds()));
  WaitForAny(watched, wait);
  // A busy command must not put it off.
  if (deadline_ != 0 && Milliseconds() >= deadline_) {
    return ready_ ? End(128 + SIGHUP) : TooLate();
  }

  console_.Step(watched);
  if (watched[1].read) TakeSignals();
  if (watched[3].read || watched[3].gone) TakeComplaints();
  if (watched[4].read || watched[4].gone) TakeWarden(warden_.Take());
  if (ended_) return;
  // What init still had to say comes before the news that it is gone.
  if (watched[0].read || watched[0].gone) {
    TakeControl();
  } else if (watched[2].read) {
    // It may have spoken between the looks at one and at the other.
    std::vector<Watched> control{{launched_.control.get(), true, false, false}};
    WaitForAny(control, 0);
    control[0].read ? TakeControl() : EngineGone();
  }
  if (console_.IsLost()) LoseTerminal();
}

void Supervisor::TakeControl() {
  auto packet = ReceivePacket(launched_.control.get(), kMostMessage, 1);
  if (!packet || !*packet) return EngineGone();
  const auto message = DecodeMessage((*packet)->bytes);
  if (!message) return EngineGone();
  TakeMessage(*message, std::move((*packet)->fds));
}

void Supervisor::TakeMessage(const Message& message, std::vector<Fd> fds) {
  switch (message.kind) {
    case MessageKind::kFailed:
      return Refuse(message);
    case MessageKind::kTerminal:
      if (fds.size() != 1 || !console_.Connect(std::move(fds[0]))) return EngineGone();
      awaits_terminal_ = false;
      return GoWhenReady();
    case MessageKind::kNamespace:
      if (fds.size() != 1 || !awaits_warden_) return EngineGone();
      // One that is gone is heard of in the next round.
      (void)warden_.Watch(fds[0].get());
      return;
    case MessageKind::kReady:
      ready_ = true;
      deadline_ = 0;
      launched_.complaints = Fd();
      return console_.CommandIsReady();
    case MessageKind::kNotExecuted:
      end_.exec_errno = message.number;
      return End(0);
    case MessageKind::kStopped:
      return CommandStopped(message.number);
    case MessageKind::kExited:
      return End(message.number >= kKilledBy ? 128 + message.number - kKilledBy : message.number);
    case MessageKind::kBuild:
    case MessageKind::kStart:
    case MessageKind::kGo:
    case MessageKind::kSignal:
    case MessageKind::kContinue:
      return EngineGone();  // not for this side: whoever speaks is not our init
  }
}

void Supervisor::TakeComplaints() {
  std::array<char, 1024> piece{};
  const Moved moved =
      ReadSome(launched_.complaints.get(), piece.data(), piece.size(), DescriptorKind::kPipe);
  if (moved.ended) launched_.complaints = Fd();
  const std::size_t room = kMostComplaints - complaints_.size();
  complaints_.append(piece.data(), std::min(moved.bytes, room));
}

void Supervisor::TakeWarden(const Warden::Word& word) {
  switch (word.kind) {
    case Warden::Word::Kind::kReady:
      awaits_warden_ = false;
      return GoWhenReady();
    case Warden::Word::Kind::kRestored:
      restored_[word.index] += word.count;
      return;
    case Warden::Word::Kind::kFailed:
    case Warden::Word::Kind::kGone:
      return LoseWarden(word);
  }
}

/// Nobody would put a mask back any more: the sandbox ends.
void Supervisor::LoseWarden(const Warden::Word& word) {
  const std::string what = word.what.empty() ? "the warden was ended from outside" : word.what;
  // Once nobody can say so any more, it is certain whether the command has run.
  launched_.child.Kill();
  std::vector<Watched> gone{{launched_.child.pidfd(), true, false, false}};
  WaitForAny(gone, kGraceForEngine);
  while (!ready_) {
    std::vector<Watched> control{{launched_.control.get(), true, false, false}};
    WaitForAny(control, 0);
    if (!control[0].read) break;
    const auto packet = ReceivePacket(launched_.control.get(), kMostMessage, 1);
    if (!packet || !*packet) break;
    const auto message = DecodeMessage((*packet)->bytes);
    ready_ = message && message->kind == MessageKind::kReady;
  }
  ended_ = true;
  const LaunchFailure failure{Phase::kWarden, word.sys_errno, what, ""};
  if (!ready_) {
    failure_ = failure;
    return;
  }
  end_.code = 128 + SIGKILL;
  end_.remark = fmt::format("the sandbox was ended, because its masks could not be kept: {}", what);
  if (failure.sys_errno == 0) return;
  const Cause cause = CauseOf(failure, HostHints());
  end_.remark += fmt::format("\n  cause: {}\n  fix: {}", CauseLine(cause), SpecOf(cause.id).fix);
}

void Supervisor::TakeSignals() {
  while (const int signal = asb::TakeSignal(signals_.get())) TakeSignal(signal);
}

void Supervisor::TakeSignal(int signal) {
  switch (signal) {
    case SIGWINCH:
      if (!console_.Resize() || !ready_) return;
      break;
    case SIGCONT:
      return Resume();
    case SIGTTOU:
      return;
    case SIGTSTP:
      if (!ready_ || is_left_behind_) return StopJob(SIGTSTP, false);
      stop_requested_ = true;
      break;
    default:
      if (!ready_) return End(128 + signal);
      if (signal == SIGHUP && console_.TerminalIsGone()) return LoseTerminal();
  }
  Send(MessageKind::kSignal, signal);
}

/// The command has stopped: so does this job, as if the command ran in its place.
void Supervisor::CommandStopped(int signal) {
  const bool asks_for_terminal = signal == SIGTTIN || signal == SIGTTOU;
  const bool requested = std::exchange(stop_requested_, false);
  if (asks_for_terminal && console_.TakeKeyboard()) return Send(MessageKind::kContinue, 1);
  if (console_.HasTerminal() || requested)
    return StopJob(asks_for_terminal ? signal : SIGTSTP, !requested);
  is_left_behind_ = true;  // whoever stopped the command may continue it; or a later ^Z stops all
}

void Supervisor::StopJob(int signal, bool others_too) {
  console_.Release();
  if (StopMyself(signal, others_too)) return;  // and SIGCONT, among the signals, goes on from here
  // Nobody could have continued this job, and nobody will give it the terminal.
  if (signal == SIGTTIN || signal == SIGTTOU) return LoseTerminal();
  Resume();
}

void Supervisor::Resume() {
  is_left_behind_ = false;
  if (!ready_) deadline_ = Milliseconds() + kTimeToStart;  // stopped, it had no time
  console_.Resume();
  if (ready_) Send(MessageKind::kContinue, console_.IsInFront() ? 1 : 0);
}

/// Closed window, lost connection: the command hears of it and has a moment to end.
void Supervisor::LoseTerminal() {
  if (deadline_ != 0) return;
  console_.DropKeyboard();
  Send(MessageKind::kSignal, SIGHUP);
  Send(MessageKind::kContinue, 0);  // stopped it would not hear
  deadline_ = Milliseconds() + kGraceAfterHangUp;
}

void Supervisor::End(int code) {
  end_.code = code;
  ended_ = true;
}

void Supervisor::Refuse(const Message& message) {
  failure_ = LaunchFailure{message.phase, message.number, message.text, complaints_};
  ended_ = true;
}

/// Nobody at the other end any more, and no word about the command.
void Supervisor::EngineGone() {
  ended_ = true;
  if (ready_) {
    end_.code = 128 + SIGKILL;
    end_.remark = "the sandbox was ended from outside";
    return;
  }
  if (launched_.complaints.IsOpen()) TakeComplaints();
  failure_ = LaunchFailure{Phase::kEngine, 0, "starting bubblewrap", complaints_};
}

void Supervisor::TooLate() {
  ended_ = true;
  failure_ = LaunchFailure{
      Phase::kEngine, ETIMEDOUT,
      fmt::format("starting bubblewrap: not ready after {} s", kTimeToStart / 1000), complaints_};
}

/// The launcher, by now bubblewrap, is the first of its processes: with it the kernel ends them
/// all.
void Supervisor::CollectEngine() {
  launched_.control = Fd();
  launched_.child.Kill();
  std::vector<Watched> watched{{launched_.child.pidfd(), true, false, false}};
  if (WaitForAny(watched, kGraceForEngine)) {
    launched_.child.Wait();
  } else {
    end_.remark =
        "a process inside waits for the kernel (a dead network file system?) and cannot be ended "
        "yet";
  }
}

void Supervisor::CollectWarden() {
  for (const Warden::Word& word : warden_.Collect()) {
    if (word.kind == Warden::Word::Kind::kRestored) restored_[word.index] += word.count;
  }
  for (const auto& [index, count] : restored_) {
    if (index >= plan_->guarded.size()) continue;
    const Guarded& guarded = plan_->guarded[index];
    end_.restored.push_back({guarded.path, guarded.guard, count});
  }
}

}  // namespace

Result<std::optional<SessionEnd>> RunSession(const SessionRequest& request,
                                             const PlanMaker& make_plan) {
  return Supervisor(request).Run(make_plan);
}

}  // namespace asb
