"""What is not in the view cannot be reached, whatever the way: FS-09 to FS-12, FS-21, FS-22, FS-26 to
FS-29, FS-41, FS-42."""

import os
import random
import shutil
import socket
import subprocess

from attack_frame import (BWRAP, HOME, SHOP, Refused, answer, check, in_userns, outside, run, stock, usual_home,
                          write)

SCRATCH_ETC = ("shadow", "gshadow", "ssh/ssh_host_ed25519_key", "krb5.keytab", "sudoers.d/site",
               "NetworkManager/system-connections/wifi", "slurm/slurmdbd.conf", "machine-id", "site-secret")


def by_processes(attacks, program):
    probe = """
for way in ("self", "thread-self", "1", "self/task/own"):
    at = f"/proc/{way}/root".replace("own", str(os.getpid()))
    t(way + "/root", lambda: read(at + H + "/.ssh/id"))
t("1/cwd", lambda: read("/proc/1/cwd/../.ssh/id"))
def others():
    found = {"ENOENT"}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for task in os.listdir(f"/proc/{pid}/task"):
            try: found.add(read(f"/proc/{pid}/task/{task}/root{H}/.ssh/id"))
            except OSError: pass
    return max(found)
t("every visible process", others)
"""
    attacks.hold(
        "FS-09", "credentials by the root and cwd of processes", probe, program(), {
            "self/root": "ENOENT", "thread-self/root": "ENOENT", "1/root": "EACCES", "1/cwd": "EACCES",
            "self/task/own/root": "ENOENT", "every visible process": "ENOENT"
        }, stock(), canaries=[f"{HOME}/.ssh/id"])
    probe = """
t("own mount namespace", lambda: ask(libc.setns, os.open("/proc/self/ns/mnt", os.O_RDONLY), 0))
"""
    attacks.hold("FS-09", "entering a mount namespace", probe, program(), {"own mount namespace": "EPERM"}, in_userns)
    attacks.hold("FS-09", "opening the namespaces of PID 1",
                 't("1", lambda: os.close(os.open("/proc/1/ns/mnt", os.O_RDONLY)))', program(), {"1": "EACCES"},
                 stock())


def by_descriptors(attacks, program):
    probe = """
t("fd of PID 1", lambda: bool(os.listdir("/proc/1/fd")))
t("fdinfo of PID 1", lambda: bool(os.listdir("/proc/1/fdinfo")))
t("fd 0 of PID 1", lambda: os.close(os.open("/proc/1/fd/0", os.O_RDONLY)))
"""
    attacks.hold("FS-10", "the descriptors of PID 1", probe, program(),
                 {"fd of PID 1": "EACCES", "fdinfo of PID 1": "EACCES", "fd 0 of PID 1": "EACCES"}, stock())
    probe = """
def readable():
    seen = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try: names = os.listdir(f"/proc/{pid}/fd")
        except PermissionError: continue
        for name in names:
            try: seen.add(os.readlink(f"/proc/{pid}/fd/{name}"))
            except OSError: pass
    return any(path.startswith(H + "/canary") for path in seen)
t("a descriptor that leads outside", lambda: "found" if readable() else "ENOENT")
"""

    def with_open_canary(launcher):
        def launch(argv):
            with open(f"{HOME}/canary", "r+", encoding="utf-8") as file:
                os.set_inheritable(file.fileno(), True)
                return launcher(["/usr/bin/env", *argv])

        return launch

    def inherited(*command):
        return lambda argv: run([*command, *argv], cwd=SHOP, close_fds=False)

    attacks.hold("FS-10", "no descriptor of any process leads out of the view", probe,
                 with_open_canary(inherited(program.path, "--")), {"a descriptor that leads outside": "ENOENT"},
                 with_open_canary(inherited(BWRAP, "--dev-bind", "/", "/")))


def by_other_calls(attacks, program):
    """FS-11: every form of open, on a mask and on what is absent."""
    probe = """
def openat2(path, flags=0, resolve=0, size=24, tail=0):
    how = struct.pack("QQQ", flags, 0, resolve).ljust(max(size, 24), bytes([tail]))
    return syscall(437, -100, path, how, ctypes.c_size_t(size))
folder = os.open(WS, os.O_PATH)
for name, path in (("mask", ".env"), ("absent", "../.ssh/id")):
    t(name + " openat", lambda: read(path, opener=lambda p, f: os.open(p, f, dir_fd=folder)))
    t(name + " openat2", lambda: os.read(openat2(path), 9).decode())
    t(name + " openat2 long", lambda: os.read(openat2(path, size=4096), 9).decode())
    t(name + " O_PATH, opened anew", lambda: read(f"/proc/self/fd/{os.open(path, os.O_PATH)}"))
    t(name + " openat2 O_PATH, opened anew", lambda: read(f"/proc/self/fd/{openat2(path, os.O_PATH)}"))
t("size 0", lambda: openat2(".env", size=0))
t("nonzero tail", lambda: openat2(".env", size=4096, tail=1))
t("unknown resolve bits", lambda: openat2(".env", resolve=1 << 40))
def execveat():
    fd = os.open("tool", os.O_PATH)
    if os.fork() == 0:
        try: syscall(322, fd, "", (ctypes.c_char_p * 2)(b"tool", None), (ctypes.c_char_p * 1)(None), 0x1000)
        except OSError as problem: os._exit(problem.errno)
    code = os.waitstatus_to_exitcode(os.wait()[1])
    if code: raise OSError(code, "")
t("execveat", execveat)
"""

    def scene():
        write(f"{SHOP}/.env")
        shutil.copy("/usr/bin/true", f"{SHOP}/tool")

    ways = ["openat", "openat2", "openat2 long", "O_PATH, opened anew", "openat2 O_PATH, opened anew"]
    wrong = {"size 0": "EINVAL", "nonzero tail": "E2BIG", "unknown resolve bits": "EINVAL"}
    attacks.hold(
        "FS-11", "every form of open", probe, program("--hide", "./.env", "--hide", "./tool"),
        {f"mask {way}": "EACCES"
         for way in ways} | {f"absent {way}": "ENOENT"
                             for way in ways} | wrong | {"execveat": "EACCES"}, outside,
        control_gives={f"{name} {way}": "canary"
                       for way in ways for name in ("mask", "absent")} | wrong | {"execveat": "ok"}, scene=scene,
        canaries=[f"{SHOP}/.env"])


def by_handles(attacks, program):
    # In a user namespace the handles of a file system mounted there can be opened (Linux 6.11); in the
    # sandbox the capability for it is missing. Its ENOSYS is for the system call filter.
    probe = """
class Handle(ctypes.Structure): _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("f", ctypes.c_char * 128)]
def handle_of(path):
    handle, mount = Handle(128), ctypes.c_int()
    ask(libc.name_to_handle_at, -100, path, ctypes.byref(handle), ctypes.byref(mount), 0)
    return handle
if "mount" in sys.argv: ask(libc.mount, "none", WS, "tmpfs", 0, None)
os.chdir("/")
top = os.open(WS, os.O_RDONLY)
t("a handle of the workspace", lambda: handle_of(WS) and None)
t("opening it", lambda: os.close(ask(libc.open_by_handle_at, top, ctypes.byref(handle_of(WS)), os.O_DIRECTORY)))
for inode in (2, 128):
    guess = Handle(8, 1, struct.pack("II", inode, 0))
    t(f"a guess at inode {inode}", lambda: os.close(ask(libc.open_by_handle_at, top, ctypes.byref(guess), os.O_DIRECTORY)))
"""
    attacks.hold(
        "FS-12", "files by their handles", probe, program(), {
            "a handle of the workspace": "ok", "opening it": "EPERM", "a guess at inode 2": "EPERM",
            "a guess at inode 128": "EPERM"
        }, lambda argv: in_userns([*argv, "mount"]), control_gives={
            "a handle of the workspace": "ok", "opening it": "ok", "a guess at inode 2": "ESTALE",
            "a guess at inode 128": "ESTALE"
        })
    attacks.pending("FS-12", "the calls themselves are there", """
t("name_to_handle_at", lambda: ask(libc.name_to_handle_at, -100, WS, None, None, 0))
""", program(), {"name_to_handle_at": "EFAULT"})


def mount_order(attacks, program):
    probe = """
for path in ("plain", "secret/file", "secret/public/file", "secret/public/key"):
    t(path, lambda: read(f"{H}/data/{path}"))
t("write", lambda: put(f"{H}/data/new"))
t("write in what is shown again", lambda: put(f"{H}/data/secret/public/new"))
"""

    def scene():
        write(f"{HOME}/data/secret/public/file")
        write(f"{HOME}/data/secret/public/key")

    rules = [("--rw", "~/data"), ("--hide", "~/data/secret"), ("--ro", "~/data/secret/public"),
             ("--hide", "~/data/secret/public/key"), ("--ro", "~"), ("--hide", "~/other"),
             ("--bind", "~/data:/mnt/data:rw")]
    # A hidden folder that something is shown in is a passage, empty but for that: the rest is absent.
    expected = {
        "plain": "canary", "secret/file": "ENOENT", "secret/public/file": "canary", "secret/public/key": "EACCES",
        "write": "ok", "write in what is shown again": "EROFS"
    }
    as_given = stock("--tmpfs", f"{HOME}/data/secret", "--bind", f"{HOME}/data", f"{HOME}/data")
    shuffled, orders = random.Random(21), []
    for _ in range(500 if attacks.long else 100):
        shuffled.shuffle(rules)
        orders.append([word for rule in rules for word in rule])
    for number, order in enumerate(orders[:8]):
        attacks.hold("FS-21", f"a hide below a grant, in order {number}", probe, program(*order), expected,
                     as_given if number == 0 else None, scene=scene)
    attacks.scene()
    scene()
    plans = set()
    for order in orders:  # the plan is what is carried out: one plan, one result
        plans.add(run([program.path, "plan", "--argv", *order, "--", "true"], cwd=SHOP).stdout)
    good = check(f"FS-21 {len(orders)} shuffled orders make one and the same plan",
                 len(plans) == 1 and "--bind" in plans.pop(), len(plans))
    attacks.note("FS-21", "held" if good else "FAILED")


def silent_masks(attacks, program):
    """FS-22: a refusal is a refusal: no empty read, no lost write, no device."""
    probe = """
t("read a file", lambda: read(H + "/data/plain"))
t("write a file", lambda: put(H + "/data/plain"))
t("list a folder", lambda: os.listdir(H + "/data/secret") and None)
t("read in a folder", lambda: read(H + "/data/secret/file"))
t("write in a folder", lambda: put(H + "/data/secret/new"))
t("mkdir in a folder", lambda: os.mkdir(H + "/data/secret/sub"))
t("make it readable", lambda: os.chmod(H + "/data/plain", 0o644))
t("make the folder readable", lambda: os.chmod(H + "/data/secret", 0o755))
t("the kind of the stand-in", lambda: stat.filemode(os.stat(H + "/data/plain").st_mode)[0])
"""
    rules = ("--rw", "~/data", "--hide", "~/data/plain", "--hide", "~/data/secret")
    attacks.hold(
        "FS-22", "masks refuse and do not swallow", probe, program(*rules), {
            "read a file": "EACCES", "write a file": "EACCES", "list a folder": "EACCES",
            "read in a folder": "EACCES", "write in a folder": "EACCES", "mkdir in a folder": "EACCES",
            "make it readable": "EROFS", "make the folder readable": "EROFS", "the kind of the stand-in": "-"
        }, program(*rules[:2]), canaries=[f"{HOME}/data/plain", f"{HOME}/data/secret", f"{HOME}/data/secret/file"])
    swallowing = stock("--tmpfs", f"{HOME}/data/secret", "--dev-bind", "/dev/null", f"{HOME}/data/plain")
    attacks.scene()
    told = answer(
        swallowing([
            "/usr/bin/python3", "-c",
            "import json, os; open(os.environ['HOME'] + '/data/secret/new', 'w').write('x'); "
            "print(json.dumps(open(os.environ['HOME'] + '/data/plain').read()))"
        ]))
    check("FS-22 control: a tmpfs and a device as masks swallow the write and read as empty", told == "" and
          not os.path.exists(f"{HOME}/data/secret/new"), told)


def truncation(attacks, program):
    probe = """
def punch(fd):
    ask(libc.fallocate, fd, 3, ctypes.c_long(0), ctypes.c_long(3))
for name in ("canary", "data/plain"):
    path = H + "/" + name
    t(name + " fallocate", lambda: punch(os.open(path, os.O_RDWR)))
    t(name + " truncate", lambda: os.truncate(path, 0))
    t(name + " O_TRUNC", lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)))
t("inherited descriptor", lambda: os.ftruncate(5, 0))
"""
    redirected = 'exec "$@" 5<>' + f"{HOME}/other/notes"

    def inheriting(*command):
        return lambda argv: run(["/bin/bash", "-c", redirected, "-", *command, *argv], cwd=SHOP)

    ways = ("fallocate", "truncate", "O_TRUNC")
    attacks.hold("FS-26", "cutting files short", probe, inheriting(program.path, "--ro", "~/data", "--"),
                 {f"canary {way}": "ENOENT"
                  for way in ways} | {f"data/plain {way}": "EROFS"
                                      for way in ways} | {"inherited descriptor": "EBADF"},
                 inheriting(BWRAP, "--dev-bind", "/",
                            "/"), canaries=[f"{HOME}/canary", f"{HOME}/data/plain", f"{HOME}/other/notes"])


def between_trees(attacks, program):
    probe = """
put(WS + "/a", "mine")
t("rename out of the home", lambda: os.rename(H + "/canary", WS + "/stolen"))
t("rename into it", lambda: os.rename(WS + "/a", H + "/other/a"))
t("link out of it", lambda: os.link(H + "/.netrc", WS + "/netrc"))
t("unlink", lambda: os.unlink(H + "/.netrc"))
t("rmdir", lambda: os.rmdir(H + "/empty"))
t("symlink", lambda: os.symlink("/etc", H + "/other/etc"))
t("mkdir", lambda: os.mkdir(H + "/other/new"))
"""

    def scene():
        os.makedirs(f"{HOME}/empty")

    canaries = [f"{HOME}/{name}" for name in ("canary", ".netrc", "empty", "other", "")]
    steps = ("rename out of the home", "rename into it", "link out of it", "unlink", "rmdir", "symlink", "mkdir")
    # That two names lie on different mounts is found out before either is looked up.
    attacks.hold("FS-27", "moving in and out, private home", probe, program(),
                 dict.fromkeys(steps, "ENOENT") | {"rename out of the home": "EXDEV"}, outside, scene=scene,
                 canaries=canaries)
    expected = dict.fromkeys(
        steps, "EROFS") | {"rename out of the home": "EXDEV", "rename into it": "EXDEV", "link out of it": "EXDEV"}
    attacks.hold("FS-27", "moving in and out, home = read", probe, program("--home", "read"), expected, None,
                 scene=scene, canaries=canaries)
    probe = """
put(WS + "/a", "mine")
t("rename between grants", lambda: os.rename(H + "/data/plain", WS + "/stolen"))
t("link between grants", lambda: os.link(H + "/data/secret/file", WS + "/linked"))
t("rename back", lambda: os.rename(WS + "/a", H + "/data/a"))
"""
    attacks.hold("FS-27", "moving between two granted trees", probe, program("--rw", "~/data"),
                 dict.fromkeys(("rename between grants", "link between grants", "rename back"), "EXDEV"), outside)


def creation(attacks, program):
    places = ["/", "/etc", "/var", "/home", "/usr/local/bin", "/opt", "/dev", "/sys", "/srv/none"]
    probe = """
for place in %r:
    t(place, lambda: put(place + "/asb-new"))
t("a PATH folder that is not there yet", lambda: os.makedirs("/snap/bin"))
""" % places
    names = [*places, "a PATH folder that is not there yet"]
    bare_root = [
        BWRAP, "--unshare-user", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
        "usr/lib64", "/lib64", "--dir", "/etc", "--dir", "/var", "--dir", "/home", "--bind", "/opt", "/opt", "--dir",
        "/dev", "--dir", "/sys", "--dir", "/srv/none"
    ]
    # Of these only /usr is read-only in a stock sandbox, and /opt belongs to root.
    attacks.hold("FS-28", "making files outside everything granted", probe, program(),
                 dict.fromkeys(names, "EROFS") | {"/srv/none": "ENOENT"}, lambda argv: run([*bare_root, *argv]),
                 control_gives=dict.fromkeys(names, "ok") | {"/usr/local/bin": "EROFS", "/opt": "EACCES"})


def shared_places(attacks, program):
    mark = f"asb-attack-{os.getpid()}"
    places = ["/tmp", "/var/tmp", "/dev/shm"]
    probe = """
for place in ("/tmp", "/var/tmp", "/dev/shm"):
    at = f"{place}/{sys.argv[1]}"
    t(place + " read", lambda: read(at + "/response.md"))
    t(place + " replace", lambda: put(at + "/response.md"))
    t(place + " leave", lambda: put(place + "/" + sys.argv[1] + "-left"))
t("agent socket", lambda: connect(f"/tmp/{sys.argv[1]}/agent"))
"""
    try:
        with socket.socket(socket.AF_UNIX) as agent:

            def scene():
                for place in places:
                    write(f"{place}/{mark}/response.md")
                    if os.path.exists(f"{place}/{mark}-left"):
                        os.unlink(f"{place}/{mark}-left")

            scene()
            agent.bind(f"/tmp/{mark}/agent")
            agent.listen()
            canaries = [f"{place}/{mark}/response.md" for place in places]
            expected = {"agent socket": "ENOENT"}
            for place in places:
                expected |= {f"{place} read": "ENOENT", f"{place} replace": "ENOENT", f"{place} leave": "ok"}
            control = lambda argv: run([BWRAP, "--dev-bind", "/", "/", *argv], cwd=SHOP)
            attacks.hold("FS-29", "files and sockets of others in /tmp, /var/tmp, /dev/shm", probe, program(),
                         expected, control, scene=scene, canaries=canaries, arguments=[mark])
            left = [place for place in places if os.path.exists(f"{place}/{mark}-left")]
            check("FS-29 what is left there stays in the sandbox", not left, left)
            attacks.hold(
                "FS-29", "nor does the next run find it",
                "for place in ('/tmp', '/var/tmp', '/dev/shm'): t(place, lambda: read(f'{place}/{sys.argv[1]}-left'))",
                program(), dict.fromkeys(places, "ENOENT"), outside,
                scene=lambda: [write(f"{place}/{mark}-left") for place in places], arguments=[mark])
    finally:
        for place in places:
            shutil.rmtree(f"{place}/{mark}", ignore_errors=True)
            if os.path.exists(f"{place}/{mark}-left"):
                os.unlink(f"{place}/{mark}-left")


def system_settings(attacks, program):
    """FS-41: a copy of /etc in which every secret belongs to the caller and can be read."""
    top = f"{os.environ['ASB_ATTACK_SCRATCH']}/etc"
    subprocess.run(["cp", "-a", "/etc", top], stderr=subprocess.DEVNULL, check=False)
    for name in SCRATCH_ETC:
        subprocess.run(["rm", "-rf", f"{top}/{name}"], check=False)
        write(f"{top}/{name}")
    on_such_a_host = [BWRAP, "--dev-bind", "/", "/", "--bind", top, "/etc"]
    probe = f"for name in {SCRATCH_ETC!r}: t(name, lambda: read('/etc/' + name))"
    control = lambda argv: run([*on_such_a_host, *argv], cwd=SHOP)
    attacks.hold("FS-41", "secrets of the machine in /etc", probe, lambda argv: control([program.path, "--", *argv]),
                 dict.fromkeys(SCRATCH_ETC, "ENOENT"), control)
    # In the other view everything that is not listed is shown, as documented.
    shown = dict.fromkeys(SCRATCH_ETC, "EACCES") | dict.fromkeys(
        ("slurm/slurmdbd.conf", "machine-id", "site-secret"), "canary")
    shown["ssh/ssh_host_ed25519_key"] = "ENOENT"  # that folder is the sandbox's own
    attacks.hold("FS-41", "secrets of the machine in /etc, blacklist", probe,
                 lambda argv: control([program.path, "--blacklist", "--", *argv]), shown, None)


STARTER = "#!/bin/sh\nexec \"$@\"\n"
OTHERS = (".claude/projects/other/history", "shop2/notes", "tools/other", "bin/other", ".local/share/notes",
          ".codex/auth.json", ".netrc", ".ssh/id")


def home_of_programs():
    for path in OTHERS:
        write(f"{HOME}/{path}")
    for path in ("program", "tools/program", "bin/program", ".local/bin/program", ".ssh/program"):
        write(f"{HOME}/{path}", STARTER)
        os.chmod(f"{HOME}/{path}", 0o755)


def other_projects(attacks, program):
    probe = f"for path in {OTHERS!r}: t(path, lambda: read(H + '/' + path))"
    absent = dict.fromkeys(OTHERS, "ENOENT")
    attacks.hold("FS-42", "other projects and other agents", probe, program(), absent, outside,
                 scene=home_of_programs)
    attacks.hold("FS-42", "what lies beside a granted file", probe, program("--ro", "~/tools/program"), absent,
                 program("--ro", "~/tools"), control_gives=absent | {"tools/other": "canary"}, scene=home_of_programs)

    def as_command(name, *options, **more):
        return lambda argv: run([program.path, *options, "--", name, *argv], cwd=SHOP, **more)

    # The program that is run is shown; what happens to lie around it is not, wherever it lies.
    for name in ("tools/program", "bin/program", ".local/bin/program", "program"):
        at = f"{HOME}/{name}"
        tried = probe + f'\nt("write it", lambda: put({at!r}, how=os.O_WRONLY | os.O_TRUNC))\nt("chmod it", lambda: os.chmod({at!r}, 0o777))'
        readable = {
            path: "canary"
            for path in OTHERS if name != "program" and path.startswith(os.path.dirname(name) + "/")
        }
        folder = os.path.dirname(at)
        attacks.hold("FS-42", f"what lies beside ~/{name} while it is run", tried, as_command(at),
                     absent | {"write it": "EROFS", "chmod it": "EROFS"},
                     as_command(at, "--rw", at if folder == HOME else folder),
                     control_gives=absent | readable | {"write it": "ok", "chmod it": "ok"}, scene=home_of_programs,
                     canaries=[at])
    # Folders of PATH are shown when they lie below the home: neither the home itself nor what is hidden.
    path = ":".join(
        [HOME, f"{HOME}/", f"{HOME}/.ssh", f"{HOME}/.config/agent-sandbox", "/", "..", "/usr/bin", "/bin"])
    probe += '\nt("configuration", lambda: read(H + "/.config/agent-sandbox/config.toml"))'

    def configured():
        home_of_programs()
        write(f"{HOME}/.config/agent-sandbox/config.toml", "# canary")

    attacks.hold("FS-42", "PATH that names the home, credentials and the own configuration", probe,
                 program(env={"PATH": path}), absent | {"configuration": "ENOENT"}, outside, scene=configured)

    def planted():
        home_of_programs()
        os.symlink(f"{HOME}/tools/program", f"{SHOP}/run")

    def trusted():
        home_of_programs()
        os.makedirs(f"{HOME}/.links")
        os.symlink(f"{HOME}/tools/program", f"{HOME}/.links/run")

    attacks.hold("FS-42", "a link in the workspace shows no program", 't("ran", lambda: None)', as_command("./run"),
                 Refused(127), None, scene=planted)
    attacks.hold("FS-42", "a link elsewhere does", 't("ran", lambda: None)', as_command(f"{HOME}/.links/run"),
                 {"ran": "ok"}, None, scene=trusted)


def run_all(attacks, program):
    usual_home()
    for part in (by_processes, by_descriptors, by_other_calls, by_handles, mount_order, silent_masks, truncation,
                 between_trees, creation, shared_places, system_settings, other_projects):
        part(attacks, program)
