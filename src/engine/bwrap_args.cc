#include "engine/bwrap_args.h"

#include <fmt/format.h>

#include "base/text.h"
#include "engine/view.h"

namespace asb {
namespace {

using std::string_view;

constexpr std::size_t kFirstDataFd = 10;
constexpr std::size_t kMostArguments = 9000;  // bubblewrap's own limit, --args included

/// Collects options, each with its operands quoted: one line of the printed command.
class Options {
 public:
  void Add(std::initializer_list<string_view> words) {
    std::vector<std::string>& line = lines_.emplace_back();
    for (const string_view word : words) line.push_back(ShellQuote(word));
  }
  /// A plan knows no value of the caller's: the shell that runs the command fills it in. Only plain
  /// names enter a plan (plan/environment), so the name is safe to print as it is.
  void AddPassedVariable(string_view name) {
    lines_.push_back({"--setenv", std::string(name), fmt::format("\"${}\"", name)});
  }
  std::vector<std::vector<std::string>> Take() { return std::move(lines_); }

 private:
  std::vector<std::vector<std::string>> lines_;
};

/// One mount. A hidden or made file takes the next descriptor, with what is to be read from it.
void AddMount(const MountStep& step, const AbsolutePath& home, Options& options,
              std::vector<std::string>& contents) {
  const string_view target = step.target.text();
  switch (step.kind) {
    case MountKind::kReadOnly:
      options.Add({"--ro-bind", step.source.text(), target});
      return;
    case MountKind::kPin:
    case MountKind::kKept:
    case MountKind::kWritable:
      options.Add({"--bind", step.source.text(), target});
      return;
    case MountKind::kPrivate:
      options.Add({"--perms", step.target == home ? "0700" : "1777", "--size",
                   fmt::to_string(kPrivateBytes), "--tmpfs", target});
      return;
    case MountKind::kHiddenFile:
    case MountKind::kMade: {
      const std::size_t fd = kFirstDataFd + contents.size();
      contents.push_back(step.content);
      options.Add({"--perms", step.kind == MountKind::kMade ? "0444" : "0000", "--ro-bind-data",
                   fmt::to_string(fd), target});
      return;
    }
    case MountKind::kHiddenFolder:
      // Read-only, or its owner, which the command is, could give it another mode.
      options.Add({"--perms", "0000", "--tmpfs", target, "--remount-ro", target});
      return;
    case MountKind::kPassage:
      options.Add({"--perms", "0555", "--tmpfs", target});
      return;
    case MountKind::kLink:
      options.Add({"--symlink", step.link_target, target});
      return;
    case MountKind::kProc:
      options.Add({"--proc", target});
      return;
    case MountKind::kDevices:
      options.Add({"--dev", target});
      return;
  }
}

struct Lines {
  std::vector<std::vector<std::string>> options;
  std::vector<std::string> contents;  ///< of the descriptors from kFirstDataFd on
};

/// Everything between bwrap and the command.
Lines BuildLines(const Plan& plan) {
  Options options;
  Lines out;
  options.Add({"--die-with-parent", "--new-session"});
  options.Add({"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc",
               "--unshare-uts", "--unshare-cgroup-try"});
  if (plan.network.value != Network::kOpen) options.Add({"--unshare-net"});
  options.Add({"--cap-drop", "ALL", "--hostname", "agent-sandbox"});
  for (const MountStep& step : plan.mounts) AddMount(step, plan.user_home, options, out.contents);
  for (const MountStep& step : plan.mounts) {
    // Only now: the places for what lies below had to be made first.
    if (step.kind == MountKind::kPassage || step.kind == MountKind::kDevices)
      options.Add({"--remount-ro", step.target.text()});
  }
  options.Add({"--remount-ro", "/"});
  options.Add({"--clearenv"});
  for (const EnvStep& step : plan.env) {
    if (step.value) {
      options.Add({"--setenv", step.name, *step.value});
    } else {
      options.AddPassedVariable(step.name);
    }
  }
  options.Add({"--chdir", plan.workspace.text()});
  out.options = options.Take();
  return out;
}

}  // namespace

std::string BwrapArguments(const Order& order, unsigned uid) {
  std::string out;
  const auto add = [&out](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      out += word;
      out += '\0';
    }
  };
  add({"--die-with-parent", "--as-pid-1"});
  add({"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"});
  add({"--cap-drop", "ALL", "--hostname", "agent-sandbox"});
  add({"--dev-bind", kViewPlace, "/"});
  for (const MountStep& step : order.mounts) {
    if (step.kind != MountKind::kProc) continue;
    add({"--proc", step.target.text()});
    // The settings in /proc/sys ask who writes, not with which capability: root could.
    if (uid == 0) add({"--remount-ro", step.target.text()});
  }
  // No --remount-ro /: the view's root is read-only already, and bubblewrap would read the whole
  // mount table once more.
  add({"--chdir", "/"});
  return out;
}

std::string BwrapShellLine(const Plan& plan) {
  const Lines lines = BuildLines(plan);
  // Another shell would read $'…' and descriptors above 9 as something else, and open what is
  // hidden.
  std::string out =
      "#!/bin/bash\n"
      "[ -n \"$BASH_VERSION\" ] || { echo 'this command needs bash' >&2; exit 125; }\n";
  std::size_t count = 0;
  for (const auto& line : lines.options) count += line.size();
  if (count > kMostArguments) {
    out += fmt::format("# {} arguments: bubblewrap takes at most {}\n", count, kMostArguments);
  }
  out += ShellQuote(plan.engine_path.empty() ? "bwrap" : plan.engine_path);
  for (const auto& line : lines.options) {
    out += " \\\n ";
    for (const std::string& word : line) out += " " + word;
  }
  out += " \\\n  --";
  for (const std::string& word : plan.command) out += " " + ShellQuote(word);
  for (std::size_t i = 0; i < lines.contents.size(); ++i) {
    const std::string& content = lines.contents[i];
    out += content.empty()
               ? fmt::format(" {}</dev/null", kFirstDataFd + i)
               : fmt::format(" {}< <(printf %s {})", kFirstDataFd + i, ShellQuote(content));
  }
  return out + "\n";
}

}  // namespace asb
