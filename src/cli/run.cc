// run and shell: the plan carried out. A command is never started without its walls.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "host/kept.h"
#include "host/tools.h"
#include "plan/wording.h"
#include "session/supervisor.h"
#include "sys/descriptors.h"

namespace asb {
namespace {

int ReportNotExecuted(const std::string& program, int error) {
  const bool missing = error == ENOENT;
  Error shown{ErrorKind::kHost, error,
              fmt::format("'{}' {}", Printable(program),
                          missing ? "was not found inside the sandbox"
                                  : fmt::format("cannot be executed: {}", std::strerror(error))),
              fmt::format("agent-sandbox explain {} says what the sandbox sees",
                          ShellQuote(program.find('/') == std::string::npos ? "PATH" : program))};
  Report(shown);
  return missing ? kExitCommandNotFound : kExitNotExecutable;
}

constexpr std::string_view kFreshHome =
    "agent-sandbox: this project has kept a home for a policy of another reach; this one starts "
    "with a fresh home (agent-sandbox gc --list shows them)\n";

/// What runs where, for a person at a terminal; scripts hear nothing.
void Announce(const Plan& plan) {
  PrintError(fmt::format("agent-sandbox: {} in {} · engine {} · network: {} · home: {}\n",
                         Printable(plan.command.front()), ShortPath(plan.workspace, plan.user_home),
                         plan.engine, WordFor(plan.network.value), WordFor(plan.home.value)));
}

/// Grants that give more than a file does are said in every run, also in scripts and with --quiet.
void Warn(const Plan& plan) {
  for (const Alert& alert : plan.alerts) {
    PrintError(fmt::format("agent-sandbox: {} is granted ({}): {}\n",
                           ShortPath(alert.path, plan.user_home), DescribeOrigin(alert.origin),
                           alert.what));
  }
}

/// "~/shop/.env was replaced outside 3 times; it was hidden again each time (gap mask-race)"
std::string SentenceFor(const Restored& restored, const AbsolutePath& home) {
  const std::string path = ShortPath(restored.path, home);
  const std::string times = restored.count == 1 ? "" : fmt::format(" {} times", restored.count);
  const std::string_view each = restored.count == 1 ? "" : " each time";
  if (restored.guard == Guard::kLate) {
    return fmt::format("{} appeared during the run{}; it was hidden{} (gap {})", path, times, each,
                       SpecOf(GapId::kLateHide).name);
  }
  const bool is_lost = restored.guard == Guard::kPassage || restored.guard == Guard::kPrivate;
  return fmt::format("{} was replaced outside{}; it was {}{} (gap {})", path, times,
                     restored.guard == Guard::kReadOnly ? "made read-only again"
                     : restored.guard == Guard::kPinned ? "pinned again"
                     : is_lost                          ? "hidden, with what the sandbox had in it,"
                                                        : "hidden again",
                     each, SpecOf(GapId::kMaskRace).name);
}

/// What fell off and was put back; a path that fails all the time must not fill the screen.
void ReportRestored(const std::vector<Restored>& restored, const AbsolutePath& home) {
  constexpr std::size_t kMostLines = 20;
  for (std::size_t i = 0; i < std::min(restored.size(), kMostLines); ++i) {
    PrintError(fmt::format("agent-sandbox: {}\n", SentenceFor(restored[i], home)));
  }
  if (restored.size() > kMostLines) {
    PrintError(fmt::format("agent-sandbox: and {} more protected paths were replaced outside\n",
                           restored.size() - kMostLines));
  }
}

}  // namespace

int RunCommand(const Invocation& invocation) {
  auto prepared = PreparePolicy(invocation);
  if (!prepared) return Report(prepared.error());
  if (prepared->command.empty()) {
    return Report(Error{ErrorKind::kUsage, 0, "no command to run, and no policy names one",
                        "agent-sandbox CMD…, or agent-sandbox --help"});
  }
  const Result<std::string> init = FindInit();
  if (!init) return Report(init.error());
  int refused = kExitOk;
  std::optional<HeldHome> held;
  const auto make_plan = [&]() -> const Plan* {
    if (const auto failure = PreparePlan(invocation, *prepared)) {
      refused = Report(*failure);
      return nullptr;
    }
    const Plan& plan = prepared->plan;
    if (plan.engine_path.empty()) {
      const Blocker& blocker = plan.blockers.front();
      refused = Report(Error{ErrorKind::kHost, 0, fmt::format("walls not built: {}", blocker.what),
                             blocker.fix, blocker.cause});
      return nullptr;
    }
    const bool to_person = !invocation.quiet && KindOf(2) == DescriptorKind::kTerminal;
    if (plan.kept) {
      auto home = HoldHome(*plan.kept, plan.workspace);
      if (!home) {
        refused = Report(home.error());
        return nullptr;
      }
      held = std::move(*home);
    }
    if (to_person) Announce(plan);
    Warn(plan);
    if (to_person && held && held->has_other) PrintError(kFreshHome);
    return &plan;
  };
  const auto end =
      RunSession({*init, std::string(Version()), prepared->policy.network.value}, make_plan);
  std::string remark;
  if (held) remark = ReleaseHome(std::move(*held));
  if (!end) return Report(end.error());
  if (!*end) return refused;
  if (!remark.empty()) PrintError(fmt::format("agent-sandbox: {}\n", remark));
  ReportRestored((*end)->restored, prepared->plan.user_home);
  if (!(*end)->remark.empty()) PrintError(fmt::format("agent-sandbox: {}\n", (*end)->remark));
  if ((*end)->exec_errno != 0) {
    return ReportNotExecuted(prepared->plan.command.front(), (*end)->exec_errno);
  }
  return (*end)->code;
}

}  // namespace asb
