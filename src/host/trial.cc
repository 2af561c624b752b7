#include "host/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/mount.h"
#include "sys/namespaces.h"
#include "sys/process.h"
#include "sys/signals.h"
#include "sys/trial.h"

namespace asb {
namespace {

constexpr int kMostTrialTime = 2000;  // ms; a mount on a file system that is gone can hang
constexpr std::size_t kMostOutput = 4096;
constexpr const char* kPlace = "/tmp";

using Answers = std::array<int, kTrialSteps>;

/// A file system in memory on /tmp, and a copied device with flags of its own in it: every call of
/// sys/mount that a launch needs.
Result<Fd> TryMount() {
  if (auto done = MakeMountsPrivate(); !done) return tl::make_unexpected(done.error());
  auto root = OpenRoot();
  if (!root) return root;
  auto device = OpenPlace(root->get(), "/dev/null");
  if (!device && device.error().sys_errno == ENOENT) return SysError(ENODEV);
  auto tree = device ? CopyTree(device->get(), TreeFlags::kDevice) : std::move(device);
  if (!tree) return tree;
  auto memory = NewMemoryFolder(0755, 65536);
  if (!memory) return memory;
  auto place = OpenPlace(root->get(), kPlace);
  if (!place) return place;
  if (auto done = Attach(memory->get(), place->get()); !done) {
    return tl::make_unexpected(done.error());
  }
  if (auto done = MakeFile(memory->get(), "null", 0); !done) {
    return tl::make_unexpected(done.error());
  }
  auto target = OpenPlace(memory->get(), "null");
  if (!target) return target;
  if (auto done = Attach(tree->get(), target->get()); !done) {
    return tl::make_unexpected(done.error());
  }
  return memory;
}

Result<void> TryTerminals(const Fd& memory) {
  auto terminals = NewTerminals();
  if (!terminals) return tl::make_unexpected(terminals.error());
  if (auto done = MakeFolder(memory.get(), "pts", 0755); !done) return done;
  auto place = OpenPlace(memory.get(), "pts");
  if (!place) return tl::make_unexpected(place.error());
  if (auto done = Attach(terminals->get(), place->get()); !done) return done;
  return TryTerminal(terminals->get());
}

Result<void> TryNetwork() {
  if (auto done = EnterNamespace(NamespaceKind::kNetwork); !done) return done;
  return BringLoopbackUp();
}

/// In the first process of the new namespace: only there is a /proc of its own to be had.
Result<void> TryProc() {
  auto child = Child::Fork();
  if (!child) return tl::make_unexpected(child.error());
  if (child->IsChild()) {
    auto list = NewProcessList();
    EndNow(list ? 0 : list.error().sys_errno);
  }
  const Ending ending = child->Wait();
  if (ending.code != 0) return SysError(ending.code);
  return {};
}

/// In a child of its own.
Answers TryAll(const Ids& user) {
  Answers answers{};
  answers.fill(kNotTried);
  const auto note = [&answers](TrialStep step, const auto& done) {
    answers[static_cast<std::size_t>(step)] = done ? 0 : done.error().sys_errno;
    return done.has_value();
  };
  if (!note(TrialStep::kUserNamespace, EnterNamespace(NamespaceKind::kUser))) return answers;
  if (!note(TrialStep::kIdentity, MapOnlyMyself(user.uid, user.gid))) return answers;
  note(TrialStep::kLimit, AllowUserNamespaces(1));
  note(TrialStep::kNetwork, TryNetwork());
  if (!note(TrialStep::kMountNamespace, EnterNamespace(NamespaceKind::kMount))) return answers;
  // Before anything is mounted on top of it, /proc is as the host shows it.
  if (note(TrialStep::kProcesses, EnterNamespace(NamespaceKind::kProcesses))) {
    note(TrialStep::kProc, TryProc());
  }
  auto memory = TryMount();
  if (note(TrialStep::kMount, memory)) note(TrialStep::kTerminals, TryTerminals(*memory));
  return answers;
}

/// Waits until there is something to read, or nobody who could write. False: the time is over.
bool WaitInTime(int fd, std::int64_t until) {
  for (;;) {
    std::vector<Watched> watched{{fd, true, false, false}};
    // What is there already is taken, however late it is.
    const std::int64_t left = std::max<std::int64_t>(0, until - Milliseconds());
    const bool any = WaitForAny(watched, static_cast<int>(left));
    if (watched[0].read || watched[0].gone) return true;
    if (!any || left == 0) return false;
  }
}

/// Reads until the other side is gone or the time is over. False: it is over.
bool ReadInTime(int fd, std::int64_t until, std::size_t most, std::string& out) {
  while (WaitInTime(fd, until)) {
    std::array<char, 1024> piece{};
    const Moved moved = ReadSome(fd, piece.data(), piece.size(), DescriptorKind::kPipe);
    out.append(piece.data(), std::min(moved.bytes, most - out.size()));
    if (moved.ended) return true;
  }
  return false;
}

[[noreturn]] void BecomeProgram(const std::string& path, const std::vector<std::string>& argv,
                                const Fd& input, const Fd& output, const Fd& refusal) {
  if (!ChangeFolder("/")) EndNow(1);
  if (!KeepOnly({input.get(), output.get(), output.get(), refusal.get()})) EndNow(1);
  CloseOnExec(3);
  ResetSignals();
  const Error error = Execute(path, argv, {});
  const char byte = static_cast<char>(error.sys_errno);
  (void)WriteSome(3, std::string_view(&byte, 1), DescriptorKind::kPipe);
  EndNow(1);
}

}  // namespace

Answers TryWalls() {
  Answers answers{};
  answers.fill(kNotTried);
  auto pipe = MakePipe();
  if (!pipe) return answers;
  const Ids user = CurrentIds();
  const pid_t parent = MyPid();
  auto child = Child::Fork();
  if (!child) return answers;
  if (child->IsChild()) {
    if (!DieWithParent(parent)) EndNow(1);
    const Answers tried = TryAll(user);
    std::string bytes(sizeof tried, '\0');
    std::memcpy(bytes.data(), tried.data(), sizeof tried);
    (void)WriteSome(pipe->second.get(), bytes, DescriptorKind::kPipe);
    EndNow(0);
  }
  pipe->second = Fd();
  std::string bytes;
  if (!ReadInTime(pipe->first.get(), Milliseconds() + kMostTrialTime, sizeof answers, bytes)) {
    child->Kill();
  }
  child->Wait();
  if (bytes.size() == sizeof answers) std::memcpy(answers.data(), bytes.data(), sizeof answers);
  return answers;
}

Result<ProgramEnd> RunBriefly(const std::string& path, const std::vector<std::string>& argv,
                              int milliseconds) {
  auto input = OpenNull();
  if (!input) return During("opening /dev/null", input.error());
  auto output = MakePipe();
  if (!output) return tl::make_unexpected(output.error());
  auto refusal = MakePipe();
  if (!refusal) return tl::make_unexpected(refusal.error());
  const pid_t parent = MyPid();
  auto child = Child::Fork();
  if (!child) return tl::make_unexpected(child.error());
  if (child->IsChild()) {
    if (!DieWithParent(parent)) EndNow(1);
    BecomeProgram(path, argv, *input, output->second, refusal->second);
  }
  output->second = Fd();
  refusal->second = Fd();
  ProgramEnd end;
  const std::int64_t until = Milliseconds() + milliseconds;
  std::string error;
  bool in_time = ReadInTime(refusal->first.get(), until, 1, error);
  if (!error.empty()) end.exec_errno = static_cast<unsigned char>(error[0]);
  // The process and not its output decides: what it started may hold the pipe for ever.
  in_time = in_time && WaitInTime(child->pidfd(), until);
  if (!in_time) child->Kill();
  const Ending ending = child->Wait();
  if (in_time) end.ending = ending;
  ReadInTime(output->first.get(), Milliseconds(), kMostOutput, end.output);
  return end;
}

std::string ProblemOf(const ProgramEnd& end) {
  if (end.exec_errno != 0) return std::strerror(end.exec_errno);
  if (!end.ending) return "it gives no answer";
  if (end.ending->signal != 0) return fmt::format("killed by signal {}", end.ending->signal);
  if (end.ending->code == 0) return {};
  const std::string first = end.output.substr(0, end.output.find('\n'));
  return fmt::format("exit code {}{}{}", end.ending->code, first.empty() ? "" : ": ",
                     Printable(first));
}

}  // namespace asb
