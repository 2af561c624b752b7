#include "host/hints.h"

#include <string_view>
#include <utility>

#include "host/trial.h"
#include "sys/files.h"
#include "sys/process.h"

namespace asb {
namespace {

constexpr int kMostVersionTime = 1000;  // ms

/// "bubblewrap 0.8.0" → "0.8.0"
std::string VersionIn(std::string_view output) {
  constexpr std::string_view kName = "bubblewrap ";
  if (!output.starts_with(kName)) return {};
  output.remove_prefix(kName.size());
  return std::string(output.substr(0, output.find('\n')));
}

void AskEngine(const std::string& path, HostHints& hints) {
  hints.engine_path = path;
  if (path.empty()) return;
  auto end = RunBriefly(path, {"bwrap", "--version"}, kMostVersionTime);
  if (!end) return;  // a shortage of ours: nothing is known about bubblewrap
  hints.engine_problem = ProblemOf(*end);
  if (!hints.engine_problem.empty()) return;
  hints.engine_version = VersionIn(end->output);
  if (hints.engine_version.empty()) hints.engine_problem = "bwrap --version names no version";
}

}  // namespace

std::string ReadSetting(const std::string& path) {
  Result<std::string> text = ReadRegularFile(path, 64);
  if (!text) return {};
  while (text->ends_with('\n')) text->pop_back();
  return std::move(*text);
}

HostHints GatherHints(const std::string& engine_path) {
  HostHints hints;
  hints.kernel = Kernel().release;
  hints.proc = LookAt("/proc/self/status").has_value();
  hints.max_user_namespaces = ReadSetting("/proc/sys/user/max_user_namespaces");
  hints.unprivileged_userns_clone = ReadSetting("/proc/sys/kernel/unprivileged_userns_clone");
  hints.apparmor_restricts = ReadSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  hints.trial = TryWalls();
  AskEngine(engine_path, hints);
  return hints;
}

}  // namespace asb
