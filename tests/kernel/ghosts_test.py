#!/usr/bin/python3
"""No ghosts (LC-06, LC-08): many runs at a time, some with a process killed at a random moment, under
policies that name much that is missing. Nothing is created, changed or deleted on the host, not even
for a moment. Git says the same inside and outside, and many runs commit to one repository at once.

Usage: ghosts_test.py AGENT_SANDBOX [--runs N] [--kills N] [--seed N] [--long]
"""
import sys

sys.dont_write_bytecode = True
import argparse, collections, ctypes, os, random, struct, subprocess, threading, time

import small_world
from every_kind import account, difference, fill
from roles import role_pid
from small_world import HOME, STATE

parser = argparse.ArgumentParser()
parser.add_argument("sandbox")
parser.add_argument("--runs", type=int, default=1000)
parser.add_argument("--kills", type=int, default=100)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
parser.add_argument("--long", action="store_true", help="ten times as many")
options = parser.parse_args()
small_world.enter(__file__, options.sandbox, "--seed", str(options.seed),
                  "--runs", str(options.runs * (10 if options.long else 1)),
                  "--kills", str(options.kills * (10 if options.long else 1)))

PARALLEL, TOGETHER = 8, 32
VICTIMS = ["supervisor", "launcher", "bubblewrap"]
WORKSPACE = f"{HOME}/projects/shop"
PLACES = (HOME, "/tmp", "/var", "/run", "/dev/shm", "/mnt", "/root", "/etc")
# Most of what these name is missing, in the workspace, in the home and elsewhere.
POLICY = """
[profile.plain]

[profile.hides]
hide = ["./.env", "./secrets", "./token", "./missing", "./missing/deep", "./src/missing", "./*.pem", "~/.netrc",
        "~/.missing", "/var/missing"]

[profile.pins]
ro = ["./.git/config", "./.git/hooks", "./src/deep/fixed", "./src/none"]
hide = ["./deploy/keys/id", "./deploy/keys/none"]

[profile.read]
home = "read"
ro = ["~/data", "~/not/there"]
rw = ["~/cache/tool", "~/cache/none"]
hide = ["~/data/private", "~/nowhere", "~/data/level0/none"]

[profile.below]
ro = ["~/data/level0/level1", "~/not/there"]
rw = ["~/cache/tool"]
hide = ["~/data/private", "~/cache/tool/none"]
bind = [{source = "~/data", target = "/mnt/data"}, {source = "~/none", target = "/mnt/none"}]

[profile.write]
home = "write"
hide = ["~/.missing", "~/data/private", "./.env", "./missing"]
ro = ["~/.bashrc", "~/.profile"]

[profile.host]
view = "blacklist"
hide = ["/var/missing", "./.env", "./missing", "/etc/missing"]
rw = ["~/cache/tool"]
"""
PROFILES = ["plain", "hides", "pins", "read", "below", "write", "host"]
if "kept" in small_world.words_of("home"):
    POLICY += '[profile.kept]\nhome = "kept"\nrw = ["~/cache/tool"]\nro = ["~/.bashrc"]\nhide = ["./.env", "./missing"]\n'
    PROFILES.append("kept")
lock = threading.Lock()
failures = 0


def check(what, good, detail=""):
    global failures
    with lock:
        if not good:
            failures += 1
        print(("ok: " if good else "not ok: ") + what + ("" if good else f": {detail!r:.2000}"), flush=True)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def git(*words):
    return subprocess.run(["git", "-C", WORKSPACE, "--no-optional-locks", *words], capture_output=True, text=True, check=True).stdout


def prepare():
    small_world.own_folders()
    write(f"{HOME}/.config/agent-sandbox/config.toml", POLICY)
    fill(f"{HOME}/data", 500)
    for name in (".bashrc", ".netrc", "data/private/diary", "cache/tool/item", ".ssh/id"):
        write(f"{HOME}/{name}", "canary\n")
    subprocess.run(["git", "init", "-q", "--template=", "-b", "main", WORKSPACE], check=True)
    for words in (("user.name", "nobody"), ("user.email", "nobody@example.com"), ("gc.auto", "0")):
        git("config", *words)
    for name in ("tracked", "modified", "src/main.c", "src/deep/fixed", "deploy/keys/readme", ".git/hooks/none.sample"):
        write(f"{WORKSPACE}/{name}", f"{name}\n")
    write(f"{WORKSPACE}/.gitignore", ".env\nsecrets/\nbuild/\nid\n")
    os.symlink("src/main.c", f"{WORKSPACE}/link")
    git("add", "-A")
    git("commit", "-qm", "first")
    for name in (".env", "secrets/key", "token", "untracked/file", "modified", "deploy/keys/id", "build/out"):
        write(f"{WORKSPACE}/{name}", "later\n")


class Watch:
    """Every create, delete, rename and change in folders, from now on."""

    # ATTRIB CREATE DELETE DELETE_SELF MODIFY MOVED_FROM MOVED_TO MOVE_SELF
    MASK = 0x4 | 0x100 | 0x200 | 0x400 | 0x2 | 0x40 | 0x80 | 0x800

    def __init__(self, folders):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.folders = {}
        for folder in folders:
            number = libc.inotify_add_watch(self.fd, folder, self.MASK)
            if number < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch", folder)
            self.folders[number] = folder

    def events(self):
        found = []
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return found
            while data:
                number, mask, _, length = struct.unpack_from("iIII", data)
                found.append((self.folders.get(number, b"overflow"), hex(mask), data[16:16 + length].rstrip(b"\0")))
                data = data[16 + length:]


def folders_of(found):
    return [path for path in found if os.path.isdir(path) and not os.path.islink(path) and os.access(path, os.R_OK)]


# --- LC-06 ----------------------------------------------------------------------------------------

# Leaves something in every place of its own.
LITTER = "for place in /tmp /var/tmp /dev/shm /run; do echo x >$place/ghost || exit 9; done; "
codes, hits = collections.Counter(), collections.Counter()


def plain_run(profile):
    run = subprocess.run([options.sandbox, "-p", profile, "--", "/bin/sh", "-c", LITTER + "exit 7"], cwd=WORKSPACE,
                         stdin=subprocess.DEVNULL, capture_output=True)
    if run.returncode != 7:
        check(f"LC-06 a run under {profile} ends with its command's code", False, (run.returncode, run.stderr))


def killed_run(profile, role, delay):
    """Kills one process `delay` after it has appeared. Returns whether there was one to kill."""
    run = subprocess.Popen([options.sandbox, "-p", profile, "--", "/bin/sh", "-c", LITTER + "sleep 60"], cwd=WORKSPACE,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline, victim = time.monotonic() + 20, None
    while victim is None and time.monotonic() < deadline and run.poll() is None:
        victim = role_pid(run.pid, role)
    time.sleep(delay)
    hit = victim is not None and run.poll() is None
    try:
        os.kill(victim if hit else run.pid, 9)
    except ProcessLookupError:
        hit = False
    if not hit and run.poll() is None:
        run.kill()
    code = run.wait(timeout=60)
    with lock:
        codes[code] += 1
        hits[role] += hit
    return hit


def worker(jobs):
    while True:
        with lock:
            if not jobs:
                return
            profile, role, delay = jobs.pop()
        if role is None:
            plain_run(profile)
        elif not killed_run(profile, role, delay):
            with lock:
                jobs.append((profile, role, delay / 2))


def no_ghosts():
    before = account(*PLACES, skip=(STATE,))
    watch = Watch(folders_of(before))
    draw = random.Random(options.seed)
    jobs = [(draw.choice(PROFILES), VICTIMS[number % 3] if number < options.kills else None, draw.uniform(0, 0.03))
            for number in range(options.runs)]
    draw.shuffle(jobs)
    began = time.monotonic()
    threads = [threading.Thread(target=worker, args=(jobs,)) for _ in range(PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"# seed {options.seed}: {options.runs} runs, {PARALLEL} at a time, in {time.monotonic() - began:.1f} s; "
          f"killed {dict(hits)}, their codes {dict(codes)}", flush=True)
    check(f"LC-06 {options.kills} runs had a process killed", sum(hits.values()) == options.kills, hits)
    events = watch.events()
    check(f"LC-06 nothing happened in {len(watch.folders)} folders meanwhile", not events, events[:20])
    lost = difference(before, account(*PLACES, skip=(STATE,)))
    check(f"LC-06 all {len(before)} paths of workspace, home and temporary places are as before", not lost, lost)
    # Control: a bind over a path that does not exist.
    subprocess.run(["/usr/bin/bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", f"{WORKSPACE}/missing", "/bin/true"], check=True)
    new = difference(before, account(*PLACES, skip=(STATE,)))
    check("LC-06 control: stock bubblewrap leaves a ghost", f"new: {os.fsencode(WORKSPACE + '/missing')!r}" in new, new)
    check("LC-06 control: the watch saw it", any(name == b"missing" for _, _, name in watch.events()))
    os.unlink(f"{WORKSPACE}/missing")
    os.close(watch.fd)


# --- git, inside and outside ----------------------------------------------------------------------


def same_status():
    outside = git("status", "--porcelain")
    for wanted in (" M modified", "?? token", "?? untracked/"):
        check(f"LC-06 control: outside git says {wanted}", wanted in outside.splitlines(), outside)
    for profile in PROFILES:
        got = subprocess.run([options.sandbox, "-p", profile, "--", "git", "--no-optional-locks", "status", "--porcelain"],
                             cwd=WORKSPACE, capture_output=True, text=True)
        check(f"LC-06 git status is the same inside, {profile}", (got.returncode, got.stdout) == (0, outside),
              (got.stdout, got.stderr))
    # Control: a mount point that was left behind is seen.
    write(f"{WORKSPACE}/ghost", "")
    check("LC-06 control: a ghost changes git status", git("status", "--porcelain") != outside)
    os.unlink(f"{WORKSPACE}/ghost")


# --- LC-08: many at once on one repository ---------------------------------------------------------

# All write the same names of their own; when all have, each looks what is there. Then each commits.
COMMIT = r"""
n=$1 all=$2
fail() { echo "$n: $*" >&2; exit 1; }
for place in /tmp /var/tmp ~; do echo "$n" >$place/same || fail "$place"; done
: >build/ready-$n
while [ "$(ls build | grep -c ready-)" -lt "$all" ]; do sleep 0.02; done
for place in /tmp /var/tmp ~; do read -r seen <$place/same; [ "$seen" = "$n" ] || fail "$place has $seen"; done
sleep 0.$((RANDOM % 3))$((RANDOM % 10))
echo "$n" >file-$n
for try in $(seq 2000); do
  problem=$( (git add file-$n && git commit -qm "by $n" -- file-$n) 2>&1) && exit 0
  # A commit of one file may also put back the index as it was before another run's add.
  case $problem in *lock* | *'did not match any file'*) sleep 0.0$((RANDOM % 9 + 1)) ;; *) fail "$problem" ;; esac
done
fail "no commit after $try tries: $problem"
"""


def at_once(*before):
    """Starts all, half of them under each of two policies; gives code and words of each."""
    for name in os.listdir(f"{WORKSPACE}/build"):
        os.unlink(f"{WORKSPACE}/build/{name}")
    runs = []
    for number in range(TOGETHER):
        words = [*before, "-p", ("plain", "pins")[number % 2], "--"] if before else []
        runs.append(subprocess.Popen([*words, "/bin/bash", "-c", COMMIT, "commit", str(number), str(TOGETHER)], cwd=WORKSPACE,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    return [(run.communicate()[1], run.returncode) for run in runs]


def many_commits():
    base = git("rev-list", "HEAD").split()
    talk = at_once()
    met = sum("/tmp has" in words for words, _ in talk)
    check(f"LC-08 control: without a sandbox {met} of {TOGETHER} runs find what another one wrote", met >= TOGETHER - 1, talk)
    for name in [f"{HOME}/same", "/tmp/same", "/var/tmp/same", *(f"{WORKSPACE}/file-{n}" for n in range(TOGETHER))]:
        if os.path.exists(name):
            os.unlink(name)
    git("reset", "-q", base[0])
    before = account(HOME, "/tmp", "/var", skip=(STATE, WORKSPACE))
    began = time.monotonic()
    bad = [(words, code) for words, code in at_once(options.sandbox) if code != 0]
    print(f"# {TOGETHER} at once, {time.monotonic() - began:.1f} s")
    check(f"LC-08 {TOGETHER} runs at once under two policies: none fails", not bad, bad)
    made = [commit for commit in git("rev-list", "HEAD").split() if commit not in base]
    changed = sorted(git("show", "--format=%s", "--name-only", commit).split("\n\n")[0:2] for commit in made)
    wanted = sorted([f"by {number}", f"file-{number}\n"] for number in range(TOGETHER))
    check(f"LC-08 {TOGETHER} commits, each with its own file", changed == wanted, changed)
    contents = git("grep", "-h", "", "HEAD", "--", "file-*").split()
    check("LC-08 and its own content", sorted(contents) == sorted(map(str, range(TOGETHER))), contents)
    git("fsck", "--full", "--strict")
    locks = [path for path in account(WORKSPACE) if path.endswith(b".lock")]
    lost = difference(before, account(HOME, "/tmp", "/var", skip=(STATE, WORKSPACE)))
    check("LC-08 no lock and nothing else is left", not locks and not lost, (locks, lost))


prepare()
same_status()
no_ghosts()
many_commits()
print(f"{failures} failed" if failures else "no ghosts")
sys.exit(1 if failures else 0)
