#!/usr/bin/python3
"""What no command inside can destroy or read: a home of 2,000 files, and every credential.

Everything happens in a small world of the test's own; the commands that delete are never run outside
of it. `home = write` grants the home: there only what is hidden and what lies elsewhere must survive.

Usage: survives_test.py AGENT_SANDBOX
"""
import sys

sys.dont_write_bytecode = True
import json, os, re, subprocess, tomllib

import small_world
from every_kind import account, difference, fill
from small_world import HOME, STATE, TREE

small_world.enter(__file__, sys.argv[1])
sandbox = sys.argv[1]
WORKSPACE = f"{HOME}/projects/shop"
CANARY = "canary"
GRANTED = {"write"}  # home modes that give the real home away
REAL = {"read", "write"}  # and those that show it
FILES = 2000

HOMES, VIEWS = small_world.words_of("home"), small_world.words_of("view")
MODES = [(view, home) for view in VIEWS for home in sorted(HOMES, key=lambda home: home in GRANTED)]

failures = 0


def check(what, good, detail=""):
    global failures
    if not good:
        failures += 1
    print(("ok: " if good else "not ok: ") + what + ("" if good else f": {detail!r:.2000}"), flush=True)


def rows():
    """Paths that are to be hidden: credentials in every view, the rest in the blacklist."""
    with open(f"{TREE}/data/secrets.toml", "rb") as file:
        credentials = [row["hide"] for row in tomllib.load(file)["secrets"]]
    with open(f"{TREE}/data/view.toml", "rb") as file:
        view = tomllib.load(file)["blacklist"]
    shown = [row[key] for row in view for key in ("ro", "made") if key in row]
    hides = [row["hide"] for row in view if "hide" in row]
    # A hidden folder in which something is shown can be listed; what else the host has in it is gone.
    hides = [f"{path}/other" if any(other.startswith(path + "/") for other in shown) else path for path in hides]
    # Places that this world cannot make.
    return [[sample(path) for path in paths if not path.startswith(("/sys/", "/nix/"))] for paths in (credentials, hides)]


def sample(pattern):
    """A path that the pattern is about."""
    path = re.sub(r"\[(.)[^]]*\]", r"\1", pattern).replace("*", "sample").replace("?", "q")
    return HOME + path[1:] if path.startswith("~") else path


CREDENTIALS, SENSITIVE = rows()
HOLDERS = {os.path.dirname(path) for path in (*CREDENTIALS, *SENSITIVE)}  # folders, whatever the others are


def put(path, as_folder):
    """A canary at this path. Where the path exists, as a copy of the host's, it is replaced."""
    if path in small_world.OWN.values():  # a mount of this world: it stays a folder
        clear(path)
        as_folder = True
    elif os.path.lexists(path):
        small_world.remove(path)
    as_folder = as_folder or path in HOLDERS
    os.makedirs(path if as_folder else os.path.dirname(path), exist_ok=True)
    with open(f"{path}/{CANARY}" if as_folder else path, "w", encoding="ascii") as file:
        file.write(CANARY)


def clear(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
        small_world.remove(entry.path)


def prepare(as_folders):
    """The home as it was on the first day, with a workspace in it and every credential."""
    os.chdir("/")
    clear(HOME)
    small_world.own_folders()
    with open(f"{HOME}/.config/agent-sandbox/config.toml", "w", encoding="ascii"):
        pass
    fill(f"{HOME}/data", FILES)
    for path in sorted([*CREDENTIALS, *SENSITIVE]):
        put(path, as_folders)
    fill_workspace()


def fill_workspace():
    os.makedirs(WORKSPACE, exist_ok=True)
    os.chdir(WORKSPACE)
    subprocess.run(["git", "init", "-q", "--template="], check=True)
    for name in ("tracked", "untracked", ".env", "folder/file"):
        os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
        with open(name, "w", encoding="ascii") as file:
            file.write("work\n")


def run(options, *command):
    return subprocess.run([sandbox, *options, "--", *command], capture_output=True, text=True, errors="replace",
                          cwd=WORKSPACE, stdin=subprocess.DEVNULL, timeout=300)


# --- FS-44: accidents -----------------------------------------------------------------------------

# The folder of the workspace cannot be moved or removed: it is a mount, in a folder that may be read-only.
# Where the home is given away, so is the name of the workspace in it.
HELD = {"read": "EROFS"}
MOVE = """
import errno, os
for call in (lambda: os.rename(os.getcwd(), os.getcwd() + "-moved"), lambda: os.rmdir(os.getcwd())):
    try: call()
    except OSError as problem: print(errno.errorcode[problem.errno])
"""
ACCIDENTS = {
    "git clean -xfd": ("git clean -xfdq", "untracked"),
    "mv of the workspace": ('mv "$PWD" "$PWD-moved"', None),
    'rm -rf ""/* after a failed mktemp': ('cd /; d=$(mktemp -d /no/such/XXXXXX); rm -rf "$d"/*', "tracked"),
    "find / -delete": ("find / -delete", "tracked"),
    "rm -rf --no-preserve-root ~ /": ("rm -rf --no-preserve-root ~ /", "tracked"),
}
ELSEWHERE = ("/etc", "/root", "/var", "/mnt", "/run", "/lost+found")


def all_of_home():
    return account(HOME, *ELSEWHERE, skip=(WORKSPACE, STATE))


def protected():
    """What survives even where the home was given away: the hidden, the floor and everything else."""
    return account(*CREDENTIALS, f"{HOME}/.config/agent-sandbox", *ELSEWHERE)


def accident(view, home, name):
    script, victim = ACCIDENTS[name]
    seen = protected if home in GRANTED else all_of_home
    fill_workspace()
    before = seen()
    run(["--view", view, "--home", home], "/bin/bash", "-c", f"({script}) >/dev/null 2>&1")
    lost = difference(before, seen())
    what = "credentials and own floor are" if home in GRANTED else "the home is"
    check(f"FS-44 {name}, {view}, home {home}: {what} the same, {len(before)} paths", not lost, lost)
    if victim:
        check(f"FS-44 {name}, {view}, home {home}: it did delete in the workspace",
              not os.path.exists(f"{WORKSPACE}/{victim}"))
    elif home not in GRANTED:
        check(f"FS-44 {name}, {view}, home {home}: it is where it was", os.path.exists(f"{WORKSPACE}/tracked"))


def accidents():
    prepare(as_folders=False)
    there = len(account(f"{HOME}/data"))
    check(f"FS-44 the home has {FILES} files of every kind and their folders, {there} paths", there > FILES)
    for view, home in MODES:
        if home in GRANTED:
            prepare(as_folders=False)
        else:
            got = run(["--view", view, "--home", home], "/usr/bin/python3", "-c", MOVE).stdout.split()
            held = HELD.get(home, "EBUSY")
            check(f"FS-44 rename and rmdir of the workspace, {view}, home {home}: {held}", got == [held] * 2, got)
        for name in ACCIDENTS:
            accident(view, home, name)
        if home in GRANTED:  # the same rm, where the home is given away
            gone = not any(os.path.isfile(f"{HOME}/data/file{number}") for number in range(FILES))
            check(f"FS-44 control: {view}, home {home}: what is granted is gone", gone)
            prepare(as_folders=False)
    fill_workspace()
    before = account(HOME, skip=(STATE,))
    run(["--read-only"], "/bin/bash", "-c", "rm -rf --no-preserve-root ~ / >/dev/null 2>&1")
    lost = difference(before, account(HOME, skip=(STATE,)))
    check("FS-44 rm -rf ~ / with --read-only: the workspace is the same, too", not lost, lost)


def control_of_accidents():
    """The same rm behind a wall with a hole: on a copy, in a world in which the copy is the home."""
    copy = "/tmp/copy"
    fill(f"{copy}/data", FILES)
    there = len(account(f"{copy}/data"))
    subprocess.run(["/usr/bin/bwrap", "--ro-bind", "/", "/", "--bind", copy, HOME, "--dev", "/dev", "/bin/bash", "-c",
                    "rm -rf --no-preserve-root ~ / >/dev/null 2>&1"], check=False)
    left = [path for path in account(copy) if not os.path.isdir(path)]
    locked = [path for path in left if b"/mode-" in path]  # rm may not look into these
    check(f"FS-44 control: with the home writable, rm leaves {len(left)} of {there} paths", left == locked, left)
    clear(copy)
    os.rmdir(copy)


# --- FS-01, FS-02: credentials ----------------------------------------------------------------------

# Inside: for each path, how each attempt ends. A read says what it read.
PROBE = r"""
import errno, json, os, sys

def attempt(call):
    try: return call() or "ok"
    except OSError as problem: return errno.errorcode[problem.errno]

def read(path):
    fd = os.open(path, os.O_RDONLY)
    try: return "read:" + (os.read(fd, 64).decode() if not os.path.isdir(path) else " ".join(os.listdir(path)))
    finally: os.close(fd)

def back(path):
    os.chdir(path)
    os.chdir("/")

def probe(path):
    calls = {"open": lambda: read(path), "root": lambda: read("/proc/self/root" + path),
             "below": lambda: read(path + "/CANARY"), "list": lambda: "read:" + " ".join(os.listdir(path)),
             "stat": lambda: os.stat(path) and None, "lstat": lambda: os.lstat(path) and None,
             "access": lambda: None if os.access(path, os.F_OK) else os.stat(path) and "EACCES",
             "readlink": lambda: os.readlink(path), "chdir": lambda: back(path)}
    return {name: attempt(call) for name, call in calls.items()}

print(json.dumps([probe(path) for path in json.load(sys.stdin)]))
""".replace("CANARY", CANARY)
ORACLES = ("open", "stat", "lstat", "access", "readlink", "chdir")


def probed(paths, *before):
    got = subprocess.run([*before, "/usr/bin/python3", "-I", "-S", "-c", PROBE], input=json.dumps(paths), text=True,
                         capture_output=True, cwd=WORKSPACE, timeout=300)
    if got.returncode != 0:
        check(f"the probe ran: {before}", False, got.stderr)
        return []
    return list(zip(paths, json.loads(got.stdout)))


def reads(answers):
    """Whether this path, a file or a folder, gave its canary away."""
    return f"read:{CANARY}" in (answers["open"] if answers["below"] == "ENOTDIR" else answers["below"])


def hidden_paths(view):
    return [*CREDENTIALS, *SENSITIVE] if view == "blacklist" else CREDENTIALS


def unread(answers):
    """Each read ends with ENOENT or EACCES; below a hidden file also as below any file."""
    if not all(answers[call] in ("ENOENT", "EACCES") for call in ("open", "root")):
        return False
    return all(answers[call] in ("ENOENT", "EACCES", "ENOTDIR") for call in ("below", "list"))


def credentials(as_folders):
    kind = "folders" if as_folders else "files"
    prepare(as_folders)
    closed = [path for path, answers in probed([*CREDENTIALS, *SENSITIVE]) if not reads(answers)]
    check(f"FS-01 control: outside all {len(CREDENTIALS)} credentials and {len(SENSITIVE)} other paths are read, as {kind}",
          not closed, closed)
    in_home = [path for path in CREDENTIALS if path.startswith(HOME)]
    siblings = [f"{path}-{os.urandom(4).hex()}" for path in in_home]
    for view, home in MODES:
        options = ["--view", view, "--home", home]
        got = probed(hidden_paths(view), sandbox, *options, "--")
        bad = [(path, answers) for path, answers in got if not unread(answers)]
        ends = sorted({answers["open"] for _, answers in got})
        check(f"FS-01 {view}, home {home}: none of {len(got)} {kind} is read: {' and '.join(ends)}", got and not bad, bad[:5])
        if home in REAL:
            continue
        told = [(path, call, answers[call]) for path, answers in probed(in_home + siblings, sandbox, *options, "--")
                for call in ORACLES if answers[call] != "ENOENT"]
        check(f"FS-02 {view}, home {home}: a credential and a name that is not there both say ENOENT", not told, told[:5])
    outside = [answers["stat"] for _, answers in probed(in_home + siblings)]
    check("FS-02 control: outside they differ", outside == ["ok"] * len(in_home) + ["ENOENT"] * len(siblings), outside)
    for view in VIEWS:
        named = [word for path in CREDENTIALS for word in ("--ro", path)]
        closed = [(path, answers) for path, answers in probed(CREDENTIALS, sandbox, "--view", view, *named, "--")
                  if not reads(answers)]
        check(f"FS-01 control: {view}: named by a rule, each of {len(CREDENTIALS)} {kind} is read", not closed, closed[:5])


control_of_accidents()
credentials(as_folders=False)
credentials(as_folders=True)
accidents()
print(f"{failures} failed" if failures else "all survived")
sys.exit(1 if failures else 0)
