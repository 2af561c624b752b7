#include "plan/causes.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "plan/hints.h"

namespace asb {
namespace {

constexpr std::array<CauseSpec, 31> kCauses{{
    {CauseId::kNotInstalled, "not-installed", "there is no bwrap in /usr/bin or /bin",
     "install the package bubblewrap"},
    {CauseId::kOnlyInWritablePlace, "only-in-writable-place",
     "the only bwrap is one that others than root can replace",
     "install the package bubblewrap, which puts it into /usr/bin"},
    {CauseId::kVersionTooOld, "version-too-old", "bubblewrap is older than 0.3.3",
     "install bubblewrap 0.3.3 or newer"},
    {CauseId::kBinaryBroken, "binary-broken", "bubblewrap does not work",
     "install the package bubblewrap again"},

    {CauseId::kKernelTooOld, "kernel-too-old",
     "this kernel lacks system calls that came with Linux 5.12", "use Linux 5.12 or newer"},
    {CauseId::kUsernsDisabled, "userns-disabled", "this host allows no further user namespace",
     "as root: sysctl -w user.max_user_namespaces=15000, and where it exists "
     "kernel.unprivileged_userns_clone=1; inside another sandbox: run it outside"},
    {CauseId::kAppArmorUserns, "apparmor-userns",
     "AppArmor lets ordinary programs make a user namespace but not use it",
     "as root, allow it for these programs only, with the profile in "
     "docs/how-to/when-it-does-not-start.md"},
    {CauseId::kCloneDenied, "clone-denied",
     "this process may not make a user namespace: a container, a chroot or a system call filter",
     "run it outside, or start the container with --security-opt seccomp=unconfined"},
    {CauseId::kMountNamespaceDenied, "mount-namespace-denied",
     "a user namespace can be made, but nothing can be mounted in it",
     "run it outside the container, or start that with --security-opt seccomp=unconfined "
     "--security-opt apparmor=unconfined; elsewhere, as root: sysctl -w "
     "user.max_mnt_namespaces=15000"},
    {CauseId::kNetworkNamespaceDenied, "network-namespace-denied",
     "a user namespace can be made, but no network of its own",
     "as root: sysctl -w user.max_net_namespaces=15000"},
    {CauseId::kPidNamespaceDenied, "pid-namespace-denied",
     "a user namespace can be made, but no process numbers of its own",
     "as root: sysctl -w user.max_pid_namespaces=15000"},
    {CauseId::kNoTerminals, "no-terminals",
     "no terminals of the sandbox's own can be made: the kernel has no devpts for namespaces",
     "use a kernel with CONFIG_UNIX98_PTYS, 4.7 or newer"},
    {CauseId::kNoDevices, "no-devices", "a device is missing that every command needs",
     "as root: mount -t devtmpfs devtmpfs /dev"},
    {CauseId::kNoTmp, "no-tmp", "there is no folder /tmp, on which the view is built",
     "as root: mkdir -m 1777 /tmp"},
    {CauseId::kNoProc, "no-proc", "/proc is not mounted, or only in part",
     "as root: mount -t proc proc /proc"},
    {CauseId::kProcSysReadOnly, "proc-sys-read-only",
     "/proc/sys cannot be written, so user namespaces inside could not be forbidden",
     "run it outside the container, or start that with --security-opt systempaths=unconfined"},
    {CauseId::kProcMasked, "proc-masked",
     "parts of /proc are covered, as containers do, and so the kernel mounts no new one",
     "run it outside the container, or start that with --security-opt systempaths=unconfined "
     "(podman: unmask=ALL)"},

    {CauseId::kStreamIsPlace, "stream-is-place",
     "through it the command could open the host's files, past every wall",
     "redirect it: </dev/null or >/dev/null"},
    {CauseId::kPathChanged, "path-changed",
     "a path of the plan has gone, or become something else, since it was looked at",
     "run it again; agent-sandbox plan says which rule names the path"},
    {CauseId::kPathDenied, "path-denied", "you may not enter a folder that the plan names",
     "chmod u+rx that folder if it is yours, or choose another workspace with -w"},
    {CauseId::kNoMemory, "no-memory", "the kernel has no memory for it",
     "end something that uses memory, or raise the limit of the job or container"},
    {CauseId::kLimits, "limits", "a limit of this process or of the host is used up",
     "raise it: ulimit -n for files, ulimit -u for processes, as root sysctl -w fs.mount-max for "
     "mounts"},
    {CauseId::kState, "state", "agent-sandbox cannot keep a home in its own folder",
     "set XDG_STATE_HOME to a folder of yours on a local disk, or use --home private"},
    {CauseId::kDiskFull, "disk-full", "no room is left on the disk of the kept home",
     "make room (agent-sandbox gc --all removes what is kept), or use --home private"},
    {CauseId::kNoWatches, "no-watches",
     "this user may watch no further folder, so masks that fall off would not be noticed",
     "as root: sysctl -w fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024; or "
     "end a program that watches many folders"},
    {CauseId::kTooSlow, "too-slow", "the walls were not up in time",
     "try again; if it stays, look for a file system that does not answer (df hangs, too)"},

    {CauseId::kInitMissing, "init-missing",
     "agent-sandbox-init cannot be found and opened where it belongs",
     "install agent-sandbox again: both programs belong to one package"},
    {CauseId::kInitWritable, "init-writable",
     "agent-sandbox-init is not a file that only those can write who can write agent-sandbox",
     "install agent-sandbox again, or chmod go-w that file if it is yours"},
    {CauseId::kInitBroken, "init-broken", "agent-sandbox-init does not start",
     "install agent-sandbox again: both programs belong to one package"},
    {CauseId::kInitMismatch, "init-mismatch", "agent-sandbox-init is of another version",
     "install agent-sandbox again: both programs belong to one package"},

    {CauseId::kUnknown, "unknown", "no known cause fits",
     "report it with the output of agent-sandbox doctor --json"},
}};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (static_cast<std::size_t>(kCauses[i].id) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());
static_assert(static_cast<std::size_t>(CauseId::kUnknown) + 1 == kCauses.size());
static_assert(kCauses[static_cast<std::size_t>(CauseId::kVersionTooOld)].sentence.ends_with(
    kOldestBubblewrap));

}  // namespace

std::span<const CauseSpec> AllCauses() { return kCauses; }

const CauseSpec& SpecOf(CauseId id) { return kCauses[static_cast<std::size_t>(id)]; }

std::string CauseLine(const Cause& cause) {
  const CauseSpec& spec = SpecOf(cause.id);
  std::string out = fmt::format("{}: {}", spec.name, spec.sentence);
  if (!cause.detail.empty()) out += fmt::format(" ({})", Printable(cause.detail));
  return out;
}

Error NotBuilt(std::string_view what, const Cause& cause, int sys_errno) {
  return Error{ErrorKind::kHost, sys_errno, fmt::format("walls not built: {}", Printable(what)),
               std::string(SpecOf(cause.id).fix), CauseLine(cause)};
}

CauseId CauseOfSetting(std::string_view setting) {
  return setting.find("apparmor") != std::string_view::npos ? CauseId::kAppArmorUserns
                                                            : CauseId::kUsernsDisabled;
}

}  // namespace asb
