#include "engine/launch.h"

#include <fmt/format.h>

#include "engine/bwrap_args.h"
#include "engine/order.h"
#include "engine/view.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/namespaces.h"
#include "sys/process.h"
#include "sys/signals.h"
#include "sys/socket.h"
#include "sys/trial.h"
#include "wire/message.h"
#include "wire/run.h"

namespace asb {
namespace {

/// Descriptors of bubblewrap: 0 to 2 are /dev/null and the pipe for complaints, then kControlFd.
constexpr int kInitFd = 4;
constexpr int kArgumentsFd = 5;

constexpr int kMostWatches = 64;

struct PhaseError {
  Phase phase = Phase::kNone;
  Error error;
};
using Built = tl::expected<void, PhaseError>;

Built InPhase(Phase phase, const Result<void>& done) {
  if (done) return {};
  return tl::make_unexpected(PhaseError{phase, done.error()});
}

Built InPhase(Phase phase, std::string_view what, const Result<void>& done) {
  if (done) return {};
  return tl::make_unexpected(PhaseError{phase, During(what, done.error()).value()});
}

/// In the launcher's own namespaces. All of them stay out of the command's reach, because the
/// command lives in a user namespace further in.
Built SetUpNamespaces(Network network, const Ids& user) {
  Built built = InPhase(Phase::kIdentity, "mapping the user", MapOnlyMyself(user.uid, user.gid));
  if (built) {
    // One is bubblewrap's; the command gets none, however it asks.
    built = InPhase(Phase::kIdentity, "forbidding further user namespaces", AllowUserNamespaces(1));
  }
  if (built) built = InPhase(Phase::kIdentity, "limiting watches", AllowWatches(kMostWatches));
  if (built && network == Network::kLoopback) {
    built = InPhase(Phase::kNetwork, "bringing loopback up", BringLoopbackUp());
  }
  return built;
}

/// The plan, once it is made; without a supervisor there is none.
Result<Order> WaitForOrder(int control) {
  auto packet = ReceivePacket(control, kMostMessage, 1);
  if (!packet || !*packet) EndNow(1);
  const auto message = DecodeMessage((*packet)->bytes);
  if (!message || message->kind != MessageKind::kBuild || (*packet)->fds.size() != 1) {
    return SysError(EPROTO);
  }
  const auto bytes = ReadMemory((*packet)->fds[0].get(), kMostRun);
  if (!bytes) return tl::make_unexpected(bytes.error());
  auto order = DecodeOrder(*bytes);
  if (!order) return SysError(EPROTO);
  return std::move(*order);
}

/// bubblewrap looks its child up in /proc by its number here. In the caller's /proc that number is
/// somebody else's, or in a container nobody's. Where this mount is refused, so is the one that
/// bubblewrap makes for the command, and it says why.
void ShowOwnProcesses() {
  const auto processes = NewProcessList();
  const auto root = OpenRoot();
  if (!processes || !root) return;
  if (const auto place = OpenPlace(root->get(), "/proc")) {
    (void)Attach(processes->get(), place->get());
  }
}

/// Becomes bubblewrap; returns only with what went wrong. `control` then holds the socket's number.
PhaseError BecomeBubblewrap(const Order& order, const Ids& user, int& control, const Fd& complaints,
                            const Fd& init) {
  const auto failed = [](std::string_view what, Error error) {
    return PhaseError{Phase::kEngine, During(what, std::move(error)).value()};
  };
  auto arguments = SealedMemory("bwrap-arguments", BwrapArguments(order, user.uid));
  if (!arguments) return failed("writing bubblewrap's arguments", arguments.error());
  ShowOwnProcesses();
  auto null = OpenNull();
  if (!null) return failed("opening /dev/null", null.error());
  auto kept = KeepOnly(
      {null->get(), complaints.get(), complaints.get(), control, init.get(), arguments->get()});
  if (!kept) return failed("handing over descriptors", kept.error());
  control = kControlFd;
  ResetSignals();
  return failed(fmt::format("executing {}", order.engine_path),
                Execute(order.engine_path,
                        {"bwrap", "--args", fmt::to_string(kArgumentsFd),
                         fmt::format("/proc/self/fd/{}", kInitFd)},
                        {}));
}

/// The launcher: everything up to bubblewrap.
PhaseError Build(Network network, const Ids& user, int& control, const Fd& complaints,
                 const Fd& init) {
  const mode_t callers = SetUmask(022);
  if (auto done = SetUpNamespaces(network, user); !done) return done.error();
  ViewBuilder view;
  if (auto done = InPhase(Phase::kMounts, view.OpenWorkshop()); !done) return done.error();
  const auto order = WaitForOrder(control);
  if (!order) return {Phase::kNone, During("reading the plan", order.error()).value()};
  if (auto done = InPhase(Phase::kView, view.Build(*order)); !done) return done.error();
  SetUmask(callers);
  return BecomeBubblewrap(*order, user, control, complaints, init);
}

}  // namespace

tl::expected<Launched, LaunchFailure> StartLauncher(Network network, const std::string& init_path) {
  const auto failed = [](Phase phase, std::string_view what, const Error& error) {
    return tl::make_unexpected(
        LaunchFailure{phase, error.sys_errno, During(what, error).value().what, ""});
  };
  const Ids user = CurrentIds();
  auto init = OpenForReading(init_path);
  if (!init) return failed(Phase::kInit, fmt::format("opening {}", init_path), init.error());
  auto sockets = PacketPair();
  if (!sockets) return failed(Phase::kNone, "making a socket", sockets.error());
  auto pipe = MakePipe();
  if (!pipe) return failed(Phase::kNone, "making a pipe", pipe.error());
  auto child = Child::ForkIntoNamespaces(network != Network::kOpen);
  if (!child) return failed(Phase::kNamespaces, "creating a user namespace", child.error());
  if (!child->IsChild()) {
    NeverWait(pipe->first.get());
    return Launched{std::move(*child), std::move(sockets->first), std::move(pipe->first)};
  }
  // Only the supervisor may hold its end: when it dies, launcher and init have to see that.
  sockets->first = Fd();
  DieWithParent();
  int control = sockets->second.get();
  if (IsPeerGone(control)) EndNow(1);
  const PhaseError error = Build(network, user, control, pipe->second, *init);
  (void)SendPacket(control, Encode(Message{MessageKind::kFailed, error.error.sys_errno, error.phase,
                                           error.error.what}));
  EndNow(1);
}

Result<void> OrderView(const Launched& launched, const Plan& plan) {
  auto memory = SealedMemory("plan", EncodeOrder(plan));
  if (!memory) return During("writing the plan", memory.error());
  const int fd = memory->get();
  auto sent =
      SendPacket(launched.control.get(), Encode(Message{MessageKind::kBuild, 0, Phase::kNone, ""}),
                 std::span(&fd, 1));
  if (sent || sent.error().sys_errno == EPIPE) return {};  // it failed, and has said why
  return During("handing over the plan", sent.error());
}

}  // namespace asb
