"""What a sandbox shares with the host: secrets in the workspace, metadata, temporary names, devices,
mounts, watches, locks. FS-23 to FS-25, FS-30, FS-34, FS-36, FS-38 to FS-40."""

import os
import subprocess

from attack_frame import (BWRAP, HOME, LAST, PREAMBLE, SHOP, Refused, answer, check, in_userns, on_a_host_with, outside,
                          python, run, sh, stock, write)

GIT = "git -c user.name=t -c user.email=t@example.org"


def secrets_by_pattern(attacks, program):
    deep = "/".join(f"d{number}" for number in range(12))
    paths = (".env", "sub/.env.local", f"{deep}/.env", "node_modules/pkg/.env", "key.pem", "[x].pem")

    def scene():
        for path in paths:
            write(f"{SHOP}/{path}")

    probe = f"for path in {paths!r}: t(path, lambda: read(path))"
    attacks.pending("FS-23", "secrets of a project are found without being named", probe, program(),
                    dict.fromkeys(paths, "canary"), scene=scene)
    rules = ("--hide", "./.env*", "--hide", "./sub/.env*", "--hide", "./*/pkg/.env", "--hide", "./*.pem", "--hide",
             f"./{deep}/.e?v")
    attacks.hold("FS-23", "every match of a pattern", probe, program(*rules), dict.fromkeys(paths, "EACCES"),
                 program(), scene=scene, canaries=[f"{SHOP}/{path}" for path in paths])
    one = dict.fromkeys(paths, "canary") | {"[x].pem": "EACCES"}
    attacks.hold("FS-23", "a bracket that is meant as such", probe, program("--hide", "./\\[x\\].pem"), one,
                 program(), scene=scene)

    def many():
        os.makedirs(f"{SHOP}/many")
        for number in range(4097):
            open(f"{SHOP}/many/{number}.key", "w", encoding="ascii").close()

    attacks.hold("FS-23", "more matches than can be hidden one by one", probe, program("--hide", "./many/*.key"),
                 Refused(3, "4096"), None, scene=many)

    def locked():
        scene()
        os.chmod(f"{SHOP}/sub", 0o300)

    attacks.hold("FS-23", "a folder that cannot be searched", probe, program("--hide", "./sub/.env*"),
                 Refused(3, "sub"), None, scene=locked)

    def linked():
        os.symlink(f"{HOME}/data/secret/file", f"{SHOP}/a.key")

    attacks.hold("FS-23", "a match that is a link in the workspace", 't("read", lambda: read("a.key"))',
                 program("--ro", "~/data", "--hide", "./*.key"), Refused(3, "link"), program("--ro", "~/data"),
                 scene=linked)


def second_copies(attacks, program):
    def scene():
        write(f"{SHOP}/x.pem")
        write(f"{SHOP}/.env~")
        done = sh(f"cd {SHOP} && {GIT} init -q && {GIT} add x.pem && {GIT} commit -qm one")
        assert done.returncode == 0, done.stderr

    probe = """
import subprocess
t("by name", lambda: read("x.pem"))
t("from history", lambda: subprocess.run(["git", "show", "HEAD:x.pem"], capture_output=True, text=True).stdout)
t("backup", lambda: read(".env~"))
"""
    rules = ("--hide", "./x.pem", "--hide", "./.env")
    attacks.pending("FS-24", "copies of a hidden file in git and beside it", probe, program(*rules),
                    {"by name": "EACCES", "from history": "canary", "backup": "canary"}, scene=scene)


def metadata(attacks, program):
    probe = """
def flags(path):
    fd = os.open(path, os.O_RDONLY)
    now = struct.unpack("l", fcntl.ioctl(fd, 0x80086601, bytes(8)))[0]  # FS_IOC_GETFLAGS
    fcntl.ioctl(fd, 0x40086602, struct.pack("l", now | 0x40))  # FS_IOC_SETFLAGS, nodump
for name, path in (("canary", H + "/canary"), ("mask", H + "/data/plain"), ("granted", H + "/data/secret/file")):
    t(name + " removexattr", lambda: os.removexattr(path, "user.mark"))
    t(name + " chmod", lambda: os.chmod(path, 0o666))
    t(name + " fchmodat2", lambda: syscall(452, -100, path, 0o640, 0))
    t(name + " chown", lambda: os.chown(path, os.getuid(), os.getgid()))
    t(name + " utime", lambda: os.utime(path, (1, 1)))
    t(name + " setxattr", lambda: os.setxattr(path, "user.planted", b"x"))
    t(name + " ioctl", lambda: flags(path))
"""
    paths = [f"{HOME}/{name}" for name in ("canary", "data/plain", "data/secret/file")]

    def scene():
        for path in paths:
            os.setxattr(path, "user.mark", b"x")

    steps = ("removexattr", "chmod", "fchmodat2", "chown", "utime", "setxattr", "ioctl")
    expected = {f"canary {step}": "ENOENT"
                for step in steps} | {f"{name} {step}": "EROFS"
                                      for name in ("mask", "granted") for step in steps}
    # To be asked for its flags a file has to be opened first: the mask refuses that, and a read-only mount the change.
    attacks.hold("FS-25", "mode, owner, times, attributes and flags", probe,
                 program("--ro", "~/data", "--hide", "~/data/plain"), expected | {"mask ioctl": "EACCES"}, outside,
                 scene=scene, canaries=paths)
    probe = "t('chmod', lambda: os.chmod('/dev/null', 0o666))"
    # Nobody but its owner may do it anyway; but where the owner calls, the read-only mount is the wall.
    attacks.hold("FS-25", "the mode of the host's /dev/null", probe, program(), {"chmod": "EROFS"}, stock(),
                 control_gives={"chmod": "EPERM"})


WATCH = r"""
import ctypes, os, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(os.O_NONBLOCK)
places = {}
for top in ("/tmp", "/var/tmp", "/dev/shm", "/run", os.environ["HOME"]):
    for at, _, _ in os.walk(top):
        places[libc.inotify_add_watch(fd, at.encode(), 0x100 | 0x80)] = at  # created, moved to
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
try: events = os.read(fd, 1 << 20)
except BlockingIOError: events = b""
while events:
    watch, _, _, length = struct.unpack_from("iIII", events)
    print(places[watch] + "/" + events[16:16 + length].rstrip(b"\0").decode())
    events = events[16 + length:]
"""


def temporary_names(attacks, program):
    """FS-30: what is not made cannot be made before us. On a host of its own, so that nobody else makes anything."""
    attacks.scene()
    top = os.environ["ASB_ATTACK_SCRATCH"]
    fresh = [
        BWRAP, "--dev-bind", "/", "/", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", "/dev/shm", "--tmpfs",
        "/run", "--bind", top, top, "--chdir", SHOP
    ]
    state = f"{HOME}/.local/state/agent-sandbox/"

    def made_by(*command):
        done = run([*fresh, *python(WATCH, *command)])
        return [name for name in done.stdout.splitlines()
                if not name.startswith(state)] if done.returncode == 0 else [done.stderr]

    check("FS-30 control: a program that makes a temporary file is seen", len(made_by("mktemp")) == 1)
    for options in ([], ["--hide", "./.env", "--rw", "~/data", "--home",
                         "read"], ["--tty"], ["--blacklist", "--network", "loopback"]):
        write(f"{SHOP}/.env")
        made = made_by(program.path, *options, "--", "/bin/true")
        good = check(f"FS-30 nothing is made outside the own state by a run ({' '.join(options) or 'plain'})",
                     made == [], made)
        attacks.note("FS-30", "held" if good else "FAILED")


def devices(attacks, program):
    nodes = [
        "mem", "kmem", "port", "kmsg", "sda", "nvme0n1", "dm-0", "vda", "loop-control", "loop0", "fuse", "kvm",
        "net/tun", "uinput", "input/event0", "uhid", "vhost-net", "vhost-vsock", "userfaultfd", "dri/card0",
        "dri/renderD128", "console", "tty0", "tty1", "hwrng", "rtc0", "snapshot", "autofs", "btrfs-control", "ptp0",
        "watchdog", "vsock"
    ]
    probe = f"for node in {nodes!r}: t(node, lambda: os.close(os.open('/dev/' + node, os.O_RDONLY | os.O_NONBLOCK)))"
    present = [node for node in nodes if os.path.lexists(f"/dev/{node}")]
    check("FS-34 control: this host has some of the devices", len(present) >= 3, present)
    attacks.hold("FS-34", "devices of the host", probe, program(), dict.fromkeys(nodes, "ENOENT"), None)
    attacks.scene()
    told = stock("--dev-bind", "/dev",
                 "/dev")(python("import os; print(*[n for n in %r if os.path.lexists('/dev/' + n)])" % nodes))
    check("FS-34 control: with the host's /dev they are there", told.stdout.split() == present, told)
    for node in ("/dev/null", "/dev/kmsg", "/dev/pts"):
        for option in ("--ro", "--rw"):
            attacks.hold("FS-34", f"{option} {node} is refused", "", program(option, node),
                         Refused(2, "/dev inside is the sandbox's own"), None)
    attacks.hold("FS-34", "so is a link to a device", "", program("--ro", "~/node"), Refused(3, "/proc or /dev"),
                 None, scene=lambda: os.symlink("/dev/null", f"{HOME}/node"))
    attacks.pending("FS-34", "devices that a policy may name, checked by their number",
                    "t('null', lambda: os.close(os.open('/dev/null', os.O_RDWR)))", program(), {"null": "ok"})
    done = run([program.path, "--device", "/dev/kvm", "--", "true"], cwd=SHOP)
    check("FS-34 there is no --device yet", done.returncode == 2, done)


LATE = "while [ ! -e {shop}/go ]; do sleep 0.05; done; touch {tree}/late/written 2>/dev/null; ls {tree}/late"


def mounts_below(attacks, program):
    """FS-36: read-only reaches what is mounted below, and what the host mounts later does not appear."""
    tree = f"{HOME}/tree"
    rig = ["unshare", "-U", "--map-current-user", "--keep-caps", "-m", "--propagation", "private", "/bin/bash", "-c"]
    dropped = "setpriv --ambient-caps=-all --inh-caps=-all"

    def late_mount(launcher):
        attacks.scene()
        os.makedirs(tree)
        inside = LATE.format(shop=SHOP, tree=tree)
        # The host: a mount that is shared, as every mount of a systemd host is.
        return run([
            *rig, f"cd {SHOP}; mount -t tmpfs none {tree} && mkdir {tree}/late && mount --make-shared {tree} && "
            f"({dropped} {launcher} /bin/sh -c \"touch {SHOP}/ready; {inside}\" & "
            f"for i in $(seq 600); do [ -e {SHOP}/ready ] && break; sleep 0.05; done; "
            f"mount -t tmpfs none {tree}/late && touch {tree}/late/here {SHOP}/go; wait; ls {tree}/late)"
        ])

    bare = f"{BWRAP} --unshare-user --unshare-pid --ro-bind / / --dev /dev --proc /proc --bind {SHOP} {SHOP}"
    got = late_mount(f"{bare} --ro-bind {tree} {tree}")
    check("FS-36 control: below a bare read-only bind it appears, and can be written", "written" in got.stdout, got)
    got = late_mount(f"{program.path} --ro {tree} --")
    good = check("FS-36 a mount that the host makes later does not appear", got.stdout.split() == ["here"], got)
    attacks.note("FS-36", "held" if good else "FAILED")

    def early_mount(launcher):
        attacks.scene()
        os.makedirs(f"{tree}/below")
        return run([
            *rig, f"cd {SHOP}; mount -t tmpfs none {tree}/below; {launcher} /bin/sh -c "
            f"'touch {tree}/top 2>/dev/null && echo top; touch {tree}/below/file 2>/dev/null && echo below; true'"
        ])

    shallow = f"mount --rbind {tree} {tree} && mount -o remount,bind,ro {tree} && {dropped}"
    got = early_mount(shallow)
    check("FS-36 control: a read-only mount leaves what is mounted below it writable", got.stdout == "below\n", got)
    got = early_mount(f"{dropped} {program.path} --ro {tree} --")
    good = check("FS-36 what is mounted below a read-only folder is read-only", got.stdout == "" and
                 got.returncode == 0, got)
    attacks.note("FS-36", "held" if good else "FAILED")
    # What is hidden can itself be a mount, and hold others.
    mounted = (
        f"mount -t tmpfs none {HOME}/.ssh && mkdir {HOME}/.ssh/sub && mount -t tmpfs none {HOME}/.ssh/sub && "
        f"echo canary >{HOME}/.ssh/sub/id && "
        f"echo canary >{HOME}/.ssh/id")
    probe = 't("mount", lambda: read(H + "/.ssh/id"))\nt("mount below", lambda: read(H + "/.ssh/sub/id"))'
    for options in (["--ro", "~"], ["--home", "write"], ["--blacklist", "--rw", "~"]):
        attacks.hold("FS-36", f"hidden folders that are mounts ({' '.join(options)})", probe,
                     on_a_host_with(mounted, program.path, *options, "--"),
                     {"mount": "EACCES", "mount below": "EACCES"}, on_a_host_with(mounted))
    probe = """
mounts = {line.split()[4]: line.split()[5].split(",") for line in open("/proc/self/mountinfo")}
writable = [at for at, flags in mounts.items() if "ro" not in flags and not at.startswith(("/proc", "/dev/"))]
t("other writable mounts", lambda: " ".join(sorted(set(writable) - {"/tmp", "/run", "/var/tmp", WS, H})) or None)
"""
    attacks.hold("FS-36", "every mount that is not granted is read-only", probe, program("--ro", "~/data"),
                 {"other writable mounts": "ok"}, program("--rw", "~/data"),
                 control_gives={"other writable mounts": f"{HOME}/data"})


def watches(attacks, program):
    probe = """
fd = ask(libc.inotify_init1, os.O_NONBLOCK)
t("the home's folders", lambda: ask(libc.inotify_add_watch, fd, H + "/other", 0x100) and None)
t("the home", lambda: ask(libc.inotify_add_watch, fd, H, 0x100) and None)
put("ready")
while not os.path.exists("go"): time.sleep(0.02)
def events():
    try: return os.read(fd, 4096)[16:].rstrip(b"\\0").decode()
    except BlockingIOError: return "EAGAIN"
t("what the host makes there", events)
"""

    def with_busy_host(launcher):
        def launch(argv):
            host = subprocess.Popen([
                "/bin/sh", "-c",
                f"while [ ! -e {SHOP}/ready ]; do sleep 0.02; done; touch {HOME}/private-name {SHOP}/go"
            ])
            try:
                return launcher(argv)
            finally:
                host.kill() if host.poll() is None and not os.path.exists(f"{SHOP}/ready") else None
                host.wait(timeout=30)

        return launch

    attacks.hold(
        "FS-38", "watching what the host does in the home", probe, with_busy_host(program()),
        {"the home's folders": "ENOENT", "the home": "ok", "what the host makes there": "EAGAIN"},
        with_busy_host(outside),
        control_gives={"the home's folders": "ok", "the home": "ok", "what the host makes there": "private-name"})
    probe = """
if "mount" in sys.argv: ask(libc.mount, "none", "/mnt", "tmpfs", 0, None)
fd = ask(libc.fanotify_init, 0x200, 0)  # FAN_REPORT_FID
t("a folder of the home", lambda: ask(libc.fanotify_mark, fd, 1, ctypes.c_uint64(0x100), -100, H + "/other"))
where = "/mnt" if "mount" in sys.argv else WS
t("a whole file system", lambda: ask(libc.fanotify_mark, fd, 0x101, ctypes.c_uint64(0x100), -100, where))
"""
    # A user may mark a file system that was mounted in a user namespace of theirs (Linux 6.16).
    attacks.hold("FS-38", "fanotify", probe, program(),
                 {"a folder of the home": "ENOENT", "a whole file system": "EPERM"},
                 lambda argv: in_userns([*argv, "mount"]))


def locks(attacks, program):
    def scene():
        for name in ("go", "held"):
            if os.path.exists(f"{SHOP}/{name}"):
                os.unlink(f"{SHOP}/{name}")

    probe = """
fd = os.open(H + "/data/plain", os.O_RDONLY)
t("flock", lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB))
put("held")
while not os.path.exists("go"): time.sleep(0.02)
"""

    def with_other_holder(launcher):
        def launch(argv):
            host = subprocess.Popen([
                "/bin/sh", "-c", f"while [ ! -e {SHOP}/held ]; do sleep 0.02; done; flock -n {HOME}/data/plain true; "
                f"echo $? >{SHOP}/answer; touch {SHOP}/go"
            ])
            try:
                return launcher(argv)
            finally:
                host.wait(timeout=30)

        return launch

    attacks.pending("FS-39", "a lock on a file that is granted read-only", probe,
                    with_other_holder(program("--ro", "~/data")), {"flock": "ok"}, scene=scene)
    with open(f"{SHOP}/answer", encoding="ascii") as file:
        check("FS-39 the host cannot lock it meanwhile", file.read() == "1\n")
    attacks.hold("FS-39", "a lock on a file that is not granted",
                 't("open", lambda: os.close(os.open(H + "/data/plain", os.O_RDONLY)))', program(),
                 {"open": "ENOENT"}, program("--ro", "~/data"))


def automounts(attacks, program):
    """FS-40: mounts of others that act when they are looked at are not in the view at all."""
    # What stands for an automount: a mount in the home of the host that the run starts on.
    automount = f"mount -t tmpfs none {HOME}/net && mkdir {HOME}/net/evil.example"
    probe = """
t("look", lambda: os.stat(H + "/net/evil.example") and None)
t("mounted", lambda: None if H + "/net" in open("/proc/self/mountinfo").read() else "ENOENT")
types = {line.split(" - ")[1].split()[0] for line in open("/proc/self/mountinfo")}
t("kinds that act", lambda: " ".join(k for k in sorted(types) if k.startswith(("autofs", "fuse", "nfs"))) or None)
"""
    attacks.hold("FS-40", "a mount of the host that is not granted", probe,
                 on_a_host_with(automount, program.path,
                                "--"), {"look": "ENOENT", "mounted": "ENOENT", "kinds that act": "ok"},
                 on_a_host_with(automount), scene=lambda: os.makedirs(f"{HOME}/net"))
    done = in_userns(python(PREAMBLE + RIGS + LAST))
    told = answer(done) or {"start": done.stderr}
    if "ok" in told.values():
        attacks.note("FS-40", f"not tried with a server that this host allows: {told}")
    else:
        attacks.no_rig("FS-40", "a file system of a program",
                       ", ".join(f"{kind}: {problem}" for kind, problem in told.items()))


# Whether a user can mount, in a namespace of their own, what asks a program at every look.
RIGS = """
os.mkdir(H + "/net2")
reading, writing = os.pipe()
os.setpgid(0, 0)
def mount(kind, options):
    ask(libc.mount, "none", H + "/net2", kind, 0, options)
owner = f"user_id={os.getuid()},group_id={os.getgid()}"
t("autofs", lambda: mount("autofs", f"fd={writing},pgrp={os.getpgrp()},minproto=5,maxproto=5,indirect"))
t("fuse", lambda: mount("fuse", f"fd={os.open('/dev/fuse', os.O_RDWR)},rootmode=40000,{owner}"))
"""


def run_all(attacks, program):
    for part in (secrets_by_pattern, second_copies, metadata, temporary_names, devices, mounts_below, watches, locks,
                 automounts):
        part(attacks, program)
