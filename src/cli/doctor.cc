// doctor: what this host can enforce, tried for real. Ends with 0 when the default policy can be
// run here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "host/doctor.h"
#include "host/tools.h"
#include "plan/checks.h"
#include "session/supervisor.h"
#include "sys/child.h"
#include "sys/descriptors.h"

namespace asb {
namespace {

constexpr int kMostRunTime = 5000;  // ms

/// The default policy with a command that does nothing. Where the current directory cannot be a
/// workspace, which says nothing about the host, another stands for it.
Outcome<Prepared> PrepareTrial() {
  constexpr std::array<const char*, 3> kHere{"--no-config", "--", "true"};
  constexpr std::array<const char*, 6> kElsewhere{"--no-config", "--read-only", "--workspace",
                                                  "/usr",        "--",          "true"};
  auto here = Prepare(ParseInvocation(kHere).invocation);
  if (here || (here.error().error && here.error().error->kind == ErrorKind::kHost)) return here;
  return Prepare(ParseInvocation(kElsewhere).invocation);
}

/// In a child: the run, and then what became of it as "WHAT\0CAUSE\0FIX", or nothing.
[[noreturn]] void RunTrial(const Plan& plan, const std::string& init, const Fd& report) {
  auto null = OpenNull();
  if (!null || !KeepOnly({null->get(), null->get(), null->get(), report.get()})) EndNow(1);
  CloseOnExec(3);
  const auto end =
      RunSession({init, std::string(Version()), plan.network.value}, [&plan] { return &plan; });
  if (!end) {
    const Error& error = end.error();
    (void)WriteSome(3, error.what + '\0' + error.cause + '\0' + error.hint, DescriptorKind::kPipe);
  }
  EndNow(0);
}

Check CheckSandbox(const Plan& plan) {
  constexpr CheckId kId = CheckId::kSandbox;
  const Result<std::string> init = FindInit();
  if (!init) return CheckMissing(kId, init.error());
  auto pipe = MakePipe();
  if (!pipe) return CheckMissing(kId, pipe.error());
  auto child = Child::Fork();
  if (!child) return CheckMissing(kId, child.error());
  if (child->IsChild()) RunTrial(plan, *init, pipe->second);
  pipe->second = Fd();
  std::vector<Watched> watched{{child->pidfd(), true, false, false}};
  const bool in_time = WaitForAny(watched, kMostRunTime);
  if (!in_time) child->Kill();
  const Ending ending = child->Wait();
  std::array<char, 8192> text{};
  const Moved moved = ReadSome(pipe->first.get(), text.data(), text.size(), DescriptorKind::kPipe);
  if (in_time && moved.bytes == 0 && ending.code == 0 && ending.signal == 0) {
    return CheckOk(kId);
  }
  if (moved.bytes == 0) return CheckMissing(kId, Cause{CauseId::kTooSlow, "within 5 s"});
  std::array<std::string, 3> parts;
  std::string_view rest(text.data(), moved.bytes);
  for (std::string& part : parts) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return CheckMissing(kId, Error{ErrorKind::kHost, 0, parts[0], parts[2], parts[1]});
}

/// A program that is not there or does not work: trying the whole would only take time.
const Check* BrokenProgram(std::span<const Check> checks) {
  for (const Check& check : checks) {
    if (check.state != CheckState::kMissing) continue;
    if (check.id == CheckId::kInit) return &check;
    if (check.id != CheckId::kBubblewrap) continue;
    for (const CauseId id :
         {CauseId::kNotInstalled, CauseId::kOnlyInWritablePlace, CauseId::kBinaryBroken}) {
      if (check.cause.starts_with(SpecOf(id).name)) return &check;
    }
  }
  return nullptr;
}

/// The user's policy: a mistake there says nothing about the host, and stops every run.
Check CheckConfig(const Invocation& invocation, const HostFacts& facts) {
  constexpr CheckId kId = CheckId::kConfig;
  constexpr const char* kFix = "agent-sandbox validate says what is wrong, and where";
  const auto file = LoadFile(invocation, facts);
  if (!file) {
    const auto& error = file.error().error;
    return CheckMissing(kId, error ? error->what : "it cannot be read", kFix);
  }
  if (!file->parsed) return CheckNone(kId, file->place + ": not there");
  const Diagnostics& mistakes = file->parsed->diagnostics;
  if (mistakes.empty()) return CheckOk(kId, file->place);
  return CheckMissing(kId, fmt::format("{} in {}", Count(mistakes.size(), "mistake"), file->place),
                      kFix);
}

}  // namespace

int DoctorCommand(const Invocation& invocation) {
  const auto facts = LoadFacts(invocation);
  if (!facts) return Report(facts.error());
  std::vector<Check> checks = CheckHost(*facts, std::string(Version()));
  checks.push_back(CheckConfig(invocation, *facts));
  std::vector<Gap> gaps;
  if (const auto prepared = PrepareTrial()) {
    const Check* broken = BrokenProgram(checks);
    checks.push_back(broken == nullptr
                         ? CheckSandbox(prepared->plan)
                         : CheckMissing(CheckId::kSandbox, broken->cause, broken->fix));
    gaps = prepared->plan.gaps;
  } else {
    const Failure& failure = prepared.error();
    checks.push_back(CheckMissing(
        CheckId::kSandbox, failure.error
                               ? *failure.error
                               : Error{ErrorKind::kPolicy, 0, failure.diagnostics.front().message,
                                       "agent-sandbox plan --no-config says more"}));
  }
  std::sort(checks.begin(), checks.end(),
            [](const Check& a, const Check& b) { return a.id < b.id; });
  const bool can_run = checks.back().state == CheckState::kOk;
  PrintOut(invocation.json ? ChecksToJson(checks, gaps, can_run)
                           : ChecksToText(checks, gaps, can_run));
  return can_run ? kExitOk : kExitWallNotBuilt;
}

}  // namespace asb
