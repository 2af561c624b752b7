#include "session/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "engine/failure.h"
#include "engine/launch.h"
#include "host/hints.h"
#include "session/host_terminal.h"
#include "session/relay.h"
#include "session/streams.h"
#include "session/vt_filter.h"
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
constexpr std::int64_t kAnswerTime = 200;         // ms for the terminal to answer what was asked
constexpr std::int64_t kBusyTime = 500;           // ms for the terminal to take what was read
constexpr std::size_t kMostComplaints = 4096;
// ^D as a terminal's line takes it: the first may only end what was begun of a line.
constexpr std::string_view kEndOfInput = "\004\004";

/// Without questions: as long as the keyboard is not the command's, a shell would get the answers.
void FeedUnasked(VtFilter& filter, std::string_view in, std::string& out) {
  for (const char& c : in) {
    const std::size_t before = out.size();
    const int asked = filter.open_questions();
    filter.Feed(std::string_view(&c, 1), out);
    if (filter.open_questions() > asked) out.resize(before);  // a sequence passes as a whole
  }
}

class Supervisor {
 public:
  explicit Supervisor(const SessionRequest& request) : request_(request) {}

  Result<std::optional<SessionEnd>> Run(const PlanMaker& make_plan);

 private:
  Result<void> Begin();
  Result<void> Start();
  Result<void> OpenStreams(asb::Run& run, std::vector<Fd>& handed_in);
  Result<void> OpenTerminal();
  std::vector<std::string> Environment() const;
  void Send(MessageKind kind, int number, std::span<const int> fds = {});

  void Round();
  void TakeControl();
  void TakeMessage(const Message& message, std::vector<Fd> fds);
  void TakeComplaints();
  void TakeSignals();
  void TakeSignal(int signal);
  struct Behind {
    int fd = -1;
    DescriptorKind kind = DescriptorKind::kNull;
  };
  [[nodiscard]] Behind BehindTerminal(int stream) const;
  [[nodiscard]] bool KeyboardIsTerminal() const;
  [[nodiscard]] bool TerminalIsGone() const;
  void ConnectTerminal(Fd master);
  void UseKeyboard();
  void CommandStopped(int signal);
  void StopJob(int signal, bool others_too);
  void FinishPiece();
  void Resume();
  void LoseTerminal();

  void End(int code);
  void Refuse(const Message& message);
  void EngineGone();
  void TooLate();
  void CollectEngine();
  void Drain();
  void LeaveTerminal();

  const SessionRequest& request_;
  const Plan* plan_ = nullptr;
  Launched launched_;
  Fd signals_;
  std::string complaints_;

  Streams streams_;
  std::vector<std::unique_ptr<Relay>> relays_;  ///< streams that pipes stand for
  std::unique_ptr<HostTerminal> terminal_;      ///< the person's, if one of the streams is
  Fd master_;                                   ///< of the sandbox's terminal
  std::unique_ptr<Relay> screen_;               ///< master → terminal
  std::unique_ptr<Relay> keyboard_;             ///< terminal → master
  VtFilter filter_;
  bool wants_keyboard_ = false;  ///< the command is interactive, or has asked for the terminal
  bool is_set_up_ = false;       ///< the sandbox's terminal has the settings of the person's

  bool ready_ = false;           ///< every wall stands
  bool stop_requested_ = false;  ///< somebody outside asked the command to stop
  bool is_left_behind_ = false;  ///< the command has stopped, and this job has not
  std::int64_t deadline_ = 0;    ///< 0: none
  bool ended_ = false;
  SessionEnd end_;
  std::optional<LaunchFailure> failure_;
};

Result<std::optional<SessionEnd>> Supervisor::Run(const PlanMaker& make_plan) {
  if (auto begun = Begin(); !begun) {
    return tl::make_unexpected(DescribeFailure(begun.error(), GatherHints("")));
  }
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
  Drain();
  LeaveTerminal();
  if (failure_)
    return tl::make_unexpected(DescribeFailure(*failure_, GatherHints(plan_->engine_path)));
  return end_;
}

/// Everything that needs no plan; the launcher works while the plan is made.
Result<void> Supervisor::Begin() {
  UseUsualDispositions();
  auto launched = StartLauncher(request_.network, request_.init_path);
  if (launched) {
    launched_ = std::move(*launched);
  } else {
    failure_ = std::move(launched.error());
    ended_ = true;
  }
  return {};
}

Result<void> Supervisor::Start() {
  if (ended_) return {};
  // Not before: while the plan is made, an interrupt simply ends this program.
  auto signals = BlockAndRead(
      {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH, SIGTTOU});
  if (!signals) return During("reading signals", signals.error());
  signals_ = std::move(*signals);
  auto ways = ChooseWays(plan_->tty.value, {KindOf(0), KindOf(1), KindOf(2)});
  if (!ways) return tl::make_unexpected(ways.error());
  streams_ = *ways;

  asb::Run run;
  run.version = request_.version;
  run.argv = plan_->command;
  run.environment = Environment();
  run.folder = plan_->workspace.text();
  std::vector<Fd> handed_in;
  if (auto opened = OpenStreams(run, handed_in); !opened) return opened;
  auto memory = SealedMemory("run", Encode(run));
  if (!memory) return During("writing the run", memory.error());

  if (auto ordered = OrderView(launched_, *plan_); !ordered) return ordered;
  deadline_ = Milliseconds() + kTimeToStart;
  // Init finds it waiting: no round trip while the walls are built.
  std::vector<int> fds{memory->get()};
  for (const Fd& fd : handed_in) fds.push_back(fd.get());
  Send(MessageKind::kStart, 0, fds);
  if (!run.terminal) Send(MessageKind::kGo, 0);
  return {};
}

/// What the command gets as 0, 1 and 2, and the relays behind it.
Result<void> Supervisor::OpenStreams(asb::Run& run, std::vector<Fd>& handed_in) {
  for (int i = 0; i < 3; ++i) {
    const Stream& stream = streams_[static_cast<std::size_t>(i)];
    if (stream.way == StreamWay::kTerminal) {
      run.terminal = run.on_terminal[static_cast<std::size_t>(i)] = true;
      continue;
    }
    auto own = Duplicate(i);
    if (!own) return During("duplicating a stream", own.error());
    if (stream.way == StreamWay::kAsIs) {
      handed_in.push_back(std::move(*own));
      continue;
    }
    auto pipe = MakePipe();
    if (!pipe) return During("making a pipe", pipe.error());
    const bool input = i == 0;
    Fd& ours = input ? pipe->second : pipe->first;
    Fd& theirs = input ? pipe->first : pipe->second;
    NeverWait(ours.get());
    handed_in.push_back(std::move(theirs));
    Relay::Change change;
    if (stream.kind == DescriptorKind::kTerminal && !input) {
      change = [this](std::string_view in, std::string& out) { FeedUnasked(filter_, in, out); };
    }
    relays_.push_back(input ? std::make_unique<Relay>(std::move(*own), stream.kind, std::move(ours),
                                                      DescriptorKind::kPipe)
                            : std::make_unique<Relay>(std::move(ours), DescriptorKind::kPipe,
                                                      std::move(*own), stream.kind, change));
  }
  if (!run.terminal) return {};
  if (auto opened = OpenTerminal(); !opened) return opened;
  // Half of a pipeline leaves the keyboard to the other half until it asks for it.
  wants_keyboard_ =
      streams_[0].way == StreamWay::kTerminal && streams_[1].way == StreamWay::kTerminal;
  run.foreground = wants_keyboard_ && (!KeyboardIsTerminal() || InForeground(terminal_->fd()));
  return {};
}

Result<void> Supervisor::OpenTerminal() {
  for (int i = 0; i < 3; ++i) {
    if (streams_[static_cast<std::size_t>(i)].kind != DescriptorKind::kTerminal) continue;
    auto terminal = HostTerminal::Open(i);
    if (!terminal) return tl::make_unexpected(terminal.error());
    terminal_ = std::make_unique<HostTerminal>(std::move(*terminal));
    break;
  }
  return {};
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
                               {launched_.complaints.get(), true, false, false}};
  for (const auto& relay : relays_) relay->Watch(watched);
  if (screen_) screen_->Watch(watched);
  if (keyboard_) keyboard_->Watch(watched);
  int wait = -1;
  if (deadline_ != 0)
    wait = static_cast<int>(std::max<std::int64_t>(0, deadline_ - Milliseconds()));
  const bool in_time = WaitForAny(watched, wait);
  if (!in_time && deadline_ != 0) return ready_ ? End(128 + SIGHUP) : TooLate();

  for (const auto& relay : relays_) relay->Step(watched);
  if (screen_) screen_->Step(watched);
  if (keyboard_) keyboard_->Step(watched);
  if (watched[1].read) TakeSignals();
  if (watched[3].read || watched[3].gone) TakeComplaints();
  // What init still had to say comes before the news that it is gone.
  if (watched[0].read || watched[0].gone) {
    TakeControl();
  } else if (watched[2].read) {
    EngineGone();
  }
  const bool no_keys = keyboard_ && KeyboardIsTerminal() && keyboard_->HasEnded();
  if (no_keys || (screen_ && screen_->IsOver())) LoseTerminal();
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
      if (fds.size() == 1) ConnectTerminal(std::move(fds[0]));
      return Send(MessageKind::kGo, 0);
    case MessageKind::kReady:
      ready_ = true;
      deadline_ = 0;
      launched_.complaints = Fd();
      if (wants_keyboard_) UseKeyboard();
      return;
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

void Supervisor::TakeSignals() {
  while (const int signal = asb::TakeSignal(signals_.get())) TakeSignal(signal);
}

void Supervisor::TakeSignal(int signal) {
  switch (signal) {
    case SIGWINCH:
      if (!terminal_ || !master_.IsOpen()) return;
      CopySize(terminal_->fd(), master_.get());
      if (!ready_ || terminal_->IsRaw()) return;
      break;  // not in front inside, so the kernel does not tell the command
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
      if (signal == SIGHUP && TerminalIsGone()) return LoseTerminal();
  }
  Send(MessageKind::kSignal, signal);
}

/// What the sandbox's terminal shows to and is typed by: the person's, or with --tty a stream that
/// was redirected.
Supervisor::Behind Supervisor::BehindTerminal(int stream) const {
  const Stream& own = streams_[static_cast<std::size_t>(stream)];
  const bool redirected = own.way == StreamWay::kTerminal && own.kind != DescriptorKind::kTerminal;
  if (!terminal_ || redirected) return {stream, own.kind};
  return {terminal_->fd(), DescriptorKind::kTerminal};
}

bool Supervisor::KeyboardIsTerminal() const {
  return terminal_ && BehindTerminal(0).kind == DescriptorKind::kTerminal;
}

bool Supervisor::TerminalIsGone() const {
  std::vector<Watched> watched;
  for (int i = 0; i < 3; ++i) {
    const bool terminal = streams_[static_cast<std::size_t>(i)].kind == DescriptorKind::kTerminal;
    if (terminal) watched.push_back({i, false, false, false});
  }
  WaitForAny(watched, 0);
  return std::any_of(watched.begin(), watched.end(), [](const Watched& one) { return one.gone; });
}

void Supervisor::ConnectTerminal(Fd master) {
  master_ = std::move(master);
  NeverWait(master_.get());
  auto for_screen = Duplicate(master_.get());
  auto for_keyboard = Duplicate(master_.get());
  const Behind shown = BehindTerminal(1);
  const Behind typed = BehindTerminal(0);
  auto output = Duplicate(shown.fd);
  auto input = Duplicate(typed.fd);
  if (!for_screen || !for_keyboard || !output || !input) return EngineGone();
  Relay::Change show;
  Relay::Change type;
  if (terminal_) CopySize(terminal_->fd(), master_.get());
  if (shown.kind == DescriptorKind::kTerminal) {
    show = [this](std::string_view in, std::string& out) {
      if (terminal_->IsRaw()) {
        filter_.Feed(in, out);
      } else {
        FeedUnasked(filter_, in, out);
      }
      terminal_->NoteModes(filter_.modes());
    };
  }
  if (typed.kind == DescriptorKind::kTerminal) {
    type = [this](std::string_view in, std::string& out) {
      filter_.NoteInput(in);
      out += in;
    };
  }
  screen_ = std::make_unique<Relay>(std::move(*for_screen), DescriptorKind::kTerminal,
                                    std::move(*output), shown.kind, show);
  keyboard_ = std::make_unique<Relay>(std::move(*input), typed.kind, std::move(*for_keyboard),
                                      DescriptorKind::kTerminal, type);
  keyboard_->Pause(KeyboardIsTerminal());
  if (!KeyboardIsTerminal()) keyboard_->WriteAtEnd(kEndOfInput);
  if (wants_keyboard_) UseKeyboard();
}

/// Every key to the command, when the person's terminal can be had.
void Supervisor::UseKeyboard() {
  wants_keyboard_ = true;
  if (!KeyboardIsTerminal() || !keyboard_) return;
  const bool raw = terminal_->MakeRaw();
  if (raw && !is_set_up_) {  // in the background it may have been a shell's for editing its line
    ApplySettings(master_.get(), terminal_->settings(), Pending::kKeep);
    is_set_up_ = true;
  }
  // Before the command is in front inside, an interrupt would reach nobody.
  keyboard_->Pause(!raw || !ready_);
}

/// The command has stopped: so does this job, as if the command ran in its place.
void Supervisor::CommandStopped(int signal) {
  const bool asks_for_terminal = signal == SIGTTIN || signal == SIGTTOU;
  const bool requested = std::exchange(stop_requested_, false);
  if (asks_for_terminal && terminal_ && !terminal_->IsRaw()) {
    UseKeyboard();
    if (terminal_->IsRaw()) return Send(MessageKind::kContinue, 1);
  }
  if (terminal_ || requested) return StopJob(asks_for_terminal ? signal : SIGTSTP, !requested);
  is_left_behind_ = true;  // whoever stopped the command may continue it; or a later ^Z stops all
}

void Supervisor::StopJob(int signal, bool others_too) {
  FinishPiece();
  if (terminal_) terminal_->PutBack(Pending::kKeep);
  if (keyboard_) keyboard_->Pause(KeyboardIsTerminal());
  if (StopMyself(signal, others_too)) return;  // and SIGCONT, among the signals, goes on from here
  // Nobody could have continued this job, and nobody will give it the terminal.
  if (signal == SIGTTIN || signal == SIGTTOU) return LoseTerminal();
  Resume();
}

/// The rest of what was read may be the rest of a sequence: nothing may come between.
void Supervisor::FinishPiece() {
  const std::int64_t until = Milliseconds() + kBusyTime;
  while (screen_ && screen_->HasPending() && Milliseconds() < until) {
    std::vector<Watched> watched;
    screen_->Watch(watched);
    WaitForAny(watched, static_cast<int>(kBusyTime));
    screen_->Step(watched);
  }
}

void Supervisor::Resume() {
  is_left_behind_ = false;
  if (!ready_) deadline_ = Milliseconds() + kTimeToStart;  // stopped, it had no time
  if (terminal_ && master_.IsOpen()) {
    CopySize(terminal_->fd(), master_.get());
    if (wants_keyboard_) UseKeyboard();
  }
  const bool in_front = !KeyboardIsTerminal() || terminal_->IsRaw();
  if (ready_) Send(MessageKind::kContinue, in_front ? 1 : 0);
}

/// Closed window, lost connection: the command hears of it and has a moment to end.
void Supervisor::LoseTerminal() {
  if (deadline_ != 0) return;
  keyboard_.reset();
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

/// What the command had written before it ended still arrives.
void Supervisor::Drain() {
  if (keyboard_) keyboard_.reset();
  const auto is_output_left = [this] {
    const bool piped = std::any_of(relays_.begin(), relays_.end(),
                                   [](const auto& relay) { return !relay->IsOver(); });
    return piped || (screen_ && !screen_->IsOver());
  };
  while (is_output_left()) {
    std::vector<Watched> watched{{signals_.get(), true, false, false}};
    for (const auto& relay : relays_) relay->Watch(watched);
    if (screen_) screen_->Watch(watched);
    WaitForAny(watched, -1);
    if (watched[0].read) {
      const int signal = asb::TakeSignal(signals_.get());
      if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) return;
    }
    for (const auto& relay : relays_) relay->Step(watched);
    if (screen_) screen_->Step(watched);
  }
}

/// Answers that are still on their way would be typed into the shell.
void Supervisor::LeaveTerminal() {
  for (int i = 1; i < 3 && !terminal_; ++i) {
    const bool shown = streams_[static_cast<std::size_t>(i)].kind == DescriptorKind::kTerminal;
    if (shown) return ResetModes(i, filter_.modes());
  }
  if (!terminal_) return;
  const bool asked = filter_.open_questions() > 0;
  const std::int64_t until = Milliseconds() + kAnswerTime;
  while (terminal_->IsRaw() && filter_.open_questions() > 0 && Milliseconds() < until) {
    std::vector<Watched> watched{{terminal_->fd(), true, false, false}};
    WaitForAny(watched, static_cast<int>(until - Milliseconds()));
    std::array<char, 1024> piece{};
    if (!watched[0].read) continue;
    const Moved moved =
        ReadSome(terminal_->fd(), piece.data(), piece.size(), DescriptorKind::kTerminal);
    if (moved.ended) break;
    filter_.NoteInput(std::string_view(piece.data(), moved.bytes));
  }
  terminal_->PutBack(asked ? Pending::kDiscard : Pending::kKeep);
  terminal_.reset();
}

}  // namespace

Result<std::optional<SessionEnd>> RunSession(const SessionRequest& request,
                                             const PlanMaker& make_plan) {
  return Supervisor(request).Run(make_plan);
}

}  // namespace asb
