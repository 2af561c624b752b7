"""What the attack tests share: a home to be attacked, launchers, and attempts with their controls.

An attempt is a probe, a piece of Python that prints what each of its steps came to, run twice: as
the control, with that one wall down, where every step must succeed; and with the wall up, where
every step must end exactly as written down. Between them the home is made anew, and canaries on the
host must come out of the second run as they went in.
"""

import errno
import hashlib
import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import tempfile

BWRAP = "/usr/bin/bwrap"
HOME = pwd.getpwuid(os.getuid()).pw_dir
SHOP = f"{HOME}/shop"  # the workspace
SCRATCH = "ASB_ATTACK_SCRATCH"

failures = 0


def need_ordinary_user():
    if os.getuid() == 0:
        sys.exit("this test needs an ordinary user: root hides mistakes")


def check(what, good, detail=""):
    global failures
    if not good:
        failures += 1
    print(("ok: " if good else "not ok: ") + what + ("" if good else f": {detail!r}"), flush=True)
    return good


def finish():
    print(f"{failures} failed" if failures else "all held")
    sys.exit(1 if failures else 0)


def run(argv, **more):
    more = {"capture_output": True, "text": True, "errors": "replace", "timeout": 60, "stdin": subprocess.DEVNULL
            } | more
    return subprocess.run(argv, **more)


def sh(script, **more):
    return run(["/bin/bash", "-c", script], **more)


def python(text, *arguments):
    return ["/usr/bin/python3", "-I", "-c", text, *arguments]


# --- a home of its own -----------------------------------------------------------------------------


def in_a_scratch_home(prepare=None):
    """Goes on in a bubblewrap in which an empty folder lies over the home: the password database stays
    true, and no real file is touched. The programs and scripts go along, as they may live below the
    home. prepare(top, argv) may put more beside them and change the arguments."""
    need_ordinary_user()
    if SCRATCH in os.environ:
        return os.environ[SCRATCH]
    top = tempfile.mkdtemp(prefix="asb-attack-")
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        os.makedirs(f"{top}/home")
        os.makedirs(f"{top}/programs")
        shutil.copytree(here, f"{top}/scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("agent-sandbox", "agent-sandbox-init"):
            shutil.copy2(os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), name), f"{top}/programs")
        argv = [f"{top}/programs/agent-sandbox", *sys.argv[2:]]
        if prepare:
            prepare(top, argv)
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "LANG": "C.UTF-8", SCRATCH: top,
            "PYTHONDONTWRITEBYTECODE": "1"
        }
        script = f"{top}/scripts/{os.path.basename(sys.argv[0])}"
        outer = [BWRAP, "--die-with-parent", "--dev-bind", "/", "/", "--bind", f"{top}/home", HOME, "--chdir", HOME]
        sys.exit(subprocess.run([*outer, "/usr/bin/python3", script, *argv], env=environment).returncode)
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", top], check=False)
        shutil.rmtree(top, ignore_errors=True)


def write(path, text="canary"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def empty_home(keep=()):
    paths = [f"{HOME}/{name}" for name in os.listdir(HOME) if name not in keep]
    if paths and run(["rm", "-rf", *paths]).returncode != 0:
        run(["chmod", "-R", "u+rwx", *paths])
        run(["rm", "-rf", *paths])


def usual_home():
    """What most attempts are about."""
    empty_home()
    for path in (".ssh/id", ".netrc", "canary", "data/plain", "data/secret/file", "other/notes"):
        write(f"{HOME}/{path}")
    for folder in (".config/agent-sandbox", ".local/state/agent-sandbox", "shop"):
        os.makedirs(f"{HOME}/{folder}")
    write(f"{HOME}/.bashrc", "# settings\n")


def fingerprint(path):
    """Everything about a canary that an attempt could change."""
    try:
        facts = os.lstat(path)
    except OSError as problem:
        return errno.errorcode[problem.errno]
    told = [
        facts.st_ino,
        oct(facts.st_mode), facts.st_mtime_ns, facts.st_uid,
        sorted(os.listxattr(path, follow_symlinks=False))
    ]
    if os.path.islink(path):
        return [*told, os.readlink(path)]
    if os.path.isdir(path):
        return [*told, sorted(os.listdir(path))]
    if os.path.isfile(path):
        with open(path, "rb") as file:
            told.append(hashlib.sha256(file.read()).hexdigest())
    return told


# --- probes ----------------------------------------------------------------------------------------

# t(NAME, STEP) notes what STEP came to: its value, "ok" for none, or the name of the errno.
PREAMBLE = r"""
import ctypes, errno, fcntl, json, os, signal, socket, stat, struct, sys, time
H, WS = os.environ["HOME"], os.getcwd()
libc = ctypes.CDLL(None, use_errno=True)
notes = {}
def t(name, step):
    try: value = step()
    except OSError as problem: value = errno.errorcode[problem.errno]
    notes[name] = "ok" if value in (None, 0) else value
def ask(function, *arguments):
    ctypes.set_errno(0)
    given = function(*[a.encode() if isinstance(a, str) else a for a in arguments])
    if given < 0: raise OSError(ctypes.get_errno(), "")
    return given
def syscall(number, *arguments):
    libc.syscall.restype = ctypes.c_long
    return ask(libc.syscall, ctypes.c_long(number), *arguments)
def read(path, **more):
    with open(path, **more) as file: return file.read().strip()
def put(path, text="planted", how=os.O_WRONLY | os.O_CREAT):
    fd = os.open(path, how, 0o644)
    os.write(fd, text.encode())
    os.close(fd)
def exchange(one, other, flags=2):
    ask(libc.renameat2, -100, one, -100, other, flags)
def connect(path):
    with socket.socket(socket.AF_UNIX) as s: s.connect(path)
"""
LAST = "\nprint(json.dumps(notes))\n"


class Refused:
    """A start that is refused: nothing ran, and standard error says why."""
    def __init__(self, code, *words):
        self.code, self.words = code, words

    def matches(self, done):
        return done.returncode == self.code and not done.stdout and all(word in done.stderr for word in self.words)

    def __repr__(self):
        return f"refused with {self.code}, saying {self.words}"


def answer(done):
    """What a probe noted; None when it did not run to its end."""
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return None


def succeeded(value):
    return not (isinstance(value, str) and value in errno.errorcode.values())


# --- launchers: each takes the command and gives what became of it ----------------------------------


def outside(argv):
    return run(argv, cwd=SHOP)


def stock(*options):
    """bubblewrap as it comes: the host read-only, the workspace writable."""
    bare = [
        BWRAP, "--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
        "--proc", "/proc", "--bind", SHOP, SHOP
    ]
    return lambda argv: run([*bare, *options, "--chdir", SHOP, *argv])


def in_userns(argv):
    """A user and mount namespace of its own, with every capability in it."""
    return run(["unshare", "-U", "--map-current-user", "--keep-caps", "-m", *argv], cwd=SHOP)


def on_a_host_with(mounts, *command, cwd=SHOP):
    """On a host on which `mounts`, a piece of shell, has been run; by a user without capabilities."""
    script = f"{mounts} && cd {cwd} && exec setpriv --ambient-caps=-all --inh-caps=-all \"$@\""
    rig = ["unshare", "-U", "--map-current-user", "--keep-caps", "-m", "/bin/bash", "-c", script, "-"]
    return lambda argv: run([*rig, *command, *argv])


class Program:
    """The program under test."""
    def __init__(self, path):
        self.path = path

    def __call__(self, *options, cwd=SHOP, env=None, **more):
        environment = None if env is None else {**os.environ, **env}
        return lambda argv: run([self.path, *options, "--", *argv], cwd=cwd, env=environment, **more)

    def plan(self, *options, cwd=SHOP, env=None):
        environment = None if env is None else {**os.environ, **env}
        done = run([self.path, "plan", "--json", *options, "--", "true"], cwd=cwd, env=environment)
        return json.loads(done.stdout) if done.returncode == 0 else {"mounts": [], "gaps": [], "said": done.stderr}

    def gaps(self, *options, **more):
        return [gap["name"] for gap in self.plan(*options, **more)["gaps"]]

    def printed(self, *options, drop, cwd=SHOP, env=None):
        """The bubblewrap command that plan prints, less the mounts for which drop(mount) says so."""
        environment = None if env is None else {**os.environ, **env}

        def launch(argv):
            mounts = self.plan(*options, cwd=cwd, env=env)["mounts"]
            dropped = {mount["target"] for mount in mounts if drop(mount)}
            if not dropped:
                return subprocess.CompletedProcess(argv, -1, "", "no mount to take out of the plan")
            done = run([self.path, "plan", "--argv", *options, "--", *argv], cwd=cwd, env=environment)
            lines = done.stdout.split(" \\\n")
            kept = [line for line in lines if mounted_at(line) not in dropped]
            return run(["/bin/bash", "-c", " \\\n".join(kept)], cwd=cwd, env=environment)

        return launch


def mounted_at(line):
    """Where a line of the printed command mounts something; None for other lines."""
    if line.lstrip().startswith(("-- ", "#")):
        return None
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    for option, operands in (("--bind", 2), ("--ro-bind", 2), ("--tmpfs", 1), ("--ro-bind-data", 2), ("--symlink",
                                                                                                      2)):
        if option in words:
            return words[words.index(option) + operands]
    return None


# --- attempts --------------------------------------------------------------------------------------


class Attacks:
    """Runs attempts and keeps what became of each id.

    pending: id -> the capability that is not built yet and would be its wall. Such an attempt still
    runs, and must succeed: the day it does not, the row has to leave the list.
    rigs: id -> what some hosts cannot be given."""
    def __init__(self, pending=None, rigs=None, scene=usual_home, long=False):
        self.expected_pending = pending or {}
        self.rigs = rigs or {}
        self.scene, self.long = scene, long
        self.told = {}

    def note(self, key, what):
        self.told.setdefault(key, [])
        if what not in self.told[key]:
            self.told[key].append(what)

    def one(self, launcher, probe, more, arguments):
        self.scene()
        if more:
            more()
        return launcher(python(PREAMBLE + probe + LAST, *arguments))

    def hold(self, key, title, probe, up, expected, control, *, control_gives=None, scene=None, canaries=(),
             arguments=()):
        """The attempt succeeds with the control and ends as expected with the wall up."""
        if control is not None:
            done = self.one(control, probe, scene, arguments)
            got = answer(done)
            good = bool(got) and (got == control_gives if control_gives is not None else all(
                map(succeeded, got.values())))
            check(f"{key} control: {title}", good, (got, done.returncode, done.stderr[-600:], control_gives))
        before = {}

        def prepared():
            if scene:
                scene()
            before.update({path: fingerprint(path) for path in canaries})

        done = self.one(up, probe, prepared, arguments)
        if isinstance(expected, Refused):
            good = expected.matches(done)
            detail = (expected, done.returncode, done.stdout, done.stderr[-600:])
        else:
            good = answer(done) == expected
            detail = (difference(answer(done), expected), done.returncode, done.stderr[-600:])
        after = {path: fingerprint(path) for path in canaries}
        good = check(f"{key} {title}", good, detail)
        if canaries:
            good = check(f"{key} canaries: {title}", before == after, difference(after, before)) and good
        self.note(key, "held" if good else "FAILED")
        return done

    def gap(self, key, title, name, probe, up, expected, gaps, *, scene=None, arguments=()):
        """The attempt succeeds, and the plan of that very run names the gap."""
        done = self.one(up, probe, scene, arguments)
        good = answer(done) == expected and name in gaps
        check(f"{key} gap {name}: {title}", good, (difference(answer(done), expected), gaps, done.stderr[-600:]))
        self.note(key, f"gap {name}" if good else "FAILED")

    def pending(self, key, title, probe, up, today, *, scene=None, arguments=()):
        """The attempt succeeds because its wall is not built yet."""
        capability = self.expected_pending.get(key, "a capability that nobody named")
        done = self.one(up, probe, scene, arguments)
        got = answer(done)
        good = check(f"{key} pending {capability}: {title}", got == today,
                     ("no longer so: write the attempt with its wall", difference(got, today), done.stderr[-600:]))
        self.note(key, f"pending {capability}" if good else "FAILED")

    def no_rig(self, key, what, problem):
        """This host cannot be made to have what the attempt is about. Said aloud, and only for what is listed."""
        problem = " ".join(problem.split())
        good = check(f"{key} no rig: {what}: {problem}", self.rigs.get(key) == what, self.rigs)
        self.note(key, f"no rig for {what}" if good else "FAILED")

    def table(self, rows=None):
        ran = {
            key: word.split(" ", 1)[1]
            for key, what in self.told.items() for word in what if word.startswith("pending ")
        }
        self.told = {key: ["FAILED"] if "FAILED" in what else what for key, what in self.told.items()}
        print("\n" + "\n".join(f"{key:6} {'; '.join(what)}" for key, what in sorted(self.told.items())))
        words = [word for what in self.told.values() for word in what]
        count = {
            kind: sum(word.split()[0] == kind for word in words)
            for kind in ("held", "gap", "pending", "no", "FAILED")
        }
        count["no rig"] = count.pop("no")
        print(f"{len(self.told)} ids: " + ", ".join(f"{number} {kind}" for kind, number in count.items()))
        check("pending is exactly what is listed as pending", ran == self.expected_pending,
              difference(ran, self.expected_pending))
        if rows is not None:
            check("every row ran, and no other", set(rows) == set(self.told), set(rows) ^ set(self.told))


def difference(got, wanted):
    if not isinstance(got, dict) or not isinstance(wanted, dict):
        return {"got": got, "wanted": wanted}
    return {
        key: {"got": got.get(key), "wanted": wanted.get(key)}
        for key in {**got, **wanted} if got.get(key) != wanted.get(key)
    }
