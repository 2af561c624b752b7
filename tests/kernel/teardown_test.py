#!/usr/bin/python3
"""Nothing is left behind (LC-01, LC-03, LC-09): many runs at a time, some with one of their processes
killed at a random moment; afterwards no process, mount, namespace, socket or file of theirs exists.

Namespaces are counted by the kernel itself: everything runs in a user namespace whose limits are
lowered at the end to what one single run needs, so that one leaked namespace makes that run fail.
Files are looked for in temporary folders that nobody else can write meanwhile.

Usage: teardown_test.py AGENT_SANDBOX [--runs N] [--kills N] [--seed N]
"""
import sys

sys.dont_write_bytecode = True
import argparse, collections, os, random, subprocess, tempfile, threading, time

from roles import ROLES, read, role_pid

PARALLEL = 8
SECONDS = 5  # after which nothing may be left
TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"]
NAMES = {"agent-sandbox", "agent-sandbox-i", "bwrap", "asb-guardian", "asb-warden"}
# What one run takes: the outer namespaces and bubblewrap's. Of mounts, the warden has one and a new
# mask, which the kernel counts as one, and this test has one.
NEEDED = {"user": 2, "mnt": 5, "net": 1, "pid": 2, "ipc": 1, "uts": 1, "cgroup": 1}

parser = argparse.ArgumentParser()
parser.add_argument("sandbox")
parser.add_argument("--runs", type=int, default=1000)
parser.add_argument("--kills", type=int, default=100)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
options = parser.parse_args()
options.sandbox = os.path.abspath(options.sandbox)

if os.getuid() == 0:
    sys.exit("this test needs an ordinary user: root hides mistakes")
if not options.inside:
    os.execvp("unshare", ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", sys.executable,
                          os.path.abspath(__file__), options.sandbox, "--inside", "--runs", str(options.runs),
                          "--kills", str(options.kills), "--seed", str(options.seed)])

failures = []


def fail(text):
    failures.append(text)
    print("not ok:", text, flush=True)


def limit(counts):
    for name, count in counts.items():
        with open(f"/proc/sys/user/max_{name}_namespaces", "w") as file:
            file.write(str(count))


def processes():
    """pid → (parent, name, state, command line) of every process of this user."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        stat, status = read(f"/proc/{pid}/stat"), read(f"/proc/{pid}/status")
        # Not the owner of /proc/PID: that is root where a process cannot be dumped.
        if not stat or b"\nUid:\t%d\t" % os.getuid() not in status:
            continue
        name = stat[stat.index(b"(") + 1 : stat.rindex(b")")].decode(errors="replace")
        state, parent = stat[stat.rindex(b")") + 2 :].split()[:2]
        found[int(pid)] = (int(parent), name, state.decode(), read(f"/proc/{pid}/cmdline"))
    return found


def living(mark):
    return [pid for pid, (_, _, state, line) in processes().items() if state not in "ZX" and mark.encode() in line]


def start(mark, lasting, masked=True):
    # A daemon of its own session that hears no HUP and no TERM, as LC-01 has it.
    tail = f"sleep {mark}" if lasting else "exit 7"
    script = f"trap '' HUP TERM; setsid -f sleep {mark} </dev/null >/dev/null 2>&1; {tail}"
    mask = ["--hide", "./.env"] if masked else []
    return subprocess.Popen([options.sandbox, *mask, "--", "/bin/sh", "-c", script], cwd=workspace, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def quiet(mark):
    """Seconds until no process with this mark is left; fails the test after SECONDS."""
    began = time.monotonic()
    while living(mark):
        if time.monotonic() - began > SECONDS:
            fail(f"{mark} still runs after {SECONDS} s: {living(mark)}")
            return SECONDS
        time.sleep(0.01)
    return time.monotonic() - began


def plain_run(mark, masked):
    run = start(mark, False, masked)
    _, err = run.communicate(timeout=60)
    if run.returncode != 7:
        fail(f"plain run: {run.returncode} {err.decode()}")
    quiet(mark)


def killed_run(mark, role, delay, masked):
    """Kills one process after `delay` of its appearance. Returns whether there was one to kill."""
    run = start(mark, True, masked)
    deadline = time.monotonic() + 20
    victim = None
    while victim is None and time.monotonic() < deadline and run.poll() is None:
        victim = role_pid(run.pid, role)
    time.sleep(delay)
    # The launcher may have become bubblewrap meanwhile; it is the same process.
    if victim is None or run.poll() is not None:
        run.kill()
        run.communicate()
        quiet(mark)
        return False
    try:
        os.kill(victim, 9)
    except ProcessLookupError:
        pass
    try:
        _, err = run.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        fail(f"{role} killed after {delay:.4f} s: the run did not end in {SECONDS} s")
        run.kill()
        run.communicate()
        return True
    wanted = {-9} if role == "supervisor" else {125, 137}
    if run.returncode not in wanted:
        fail(f"{role} killed after {delay:.4f} s: exit {run.returncode}, {err.decode()}")
    if run.returncode in (125, 137) and not err:
        fail(f"{role} killed after {delay:.4f} s: exit {run.returncode} without a word")
    with lock:
        slowest[role] = max(slowest[role], quiet(mark))
        killed[role] += 1
        codes[(role, run.returncode)] += 1
    return True


def worker():
    while True:
        with lock:
            if not jobs:
                return
            number, role, delay = jobs.pop()
        mark = f"86400.{os.getpid()}{number:06d}"
        masked = role == "warden" or number % 2 == 0
        if role is None:
            plain_run(mark, masked)
        elif not killed_run(mark, role, delay, masked):
            with lock:
                jobs.append((number + 500000, role, delay / 2))


def files():
    """Names in the places where a run could leave something."""
    found = set()
    for top in (*TEMPORARY, f"/run/user/{os.getuid()}"):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if os.access(os.path.join(folder, name), os.R_OK)]
            found.update(os.path.join(folder, name) for name in folders + names)
    return found


def mine(pid_table):
    return {pid for pid, (_, name, state, _) in pid_table.items() if name in NAMES and state not in "ZX"}


def own_temporary_folders():
    """The programs move along: they may lie below one of these."""
    programs = {name: read(os.path.join(os.path.dirname(options.sandbox), name)) for name in ("agent-sandbox", "agent-sandbox-init")}
    for folder in TEMPORARY:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "none", folder], check=True)
    os.mkdir("/tmp/programs")
    for name, content in programs.items():
        with open(f"/tmp/programs/{name}", "wb") as file:
            file.write(content)
        os.chmod(f"/tmp/programs/{name}", 0o755)
    options.sandbox = "/tmp/programs/agent-sandbox"


own_temporary_folders()
random.seed(options.seed)
print(f"seed {options.seed}", flush=True)
with tempfile.TemporaryDirectory() as work:
    workspace, state, config = (os.path.join(work, name) for name in ("shop", "state", "config"))
    for folder in (workspace, os.path.join(state, "agent-sandbox"), os.path.join(config, "agent-sandbox")):
        os.makedirs(folder)
    os.environ.update(XDG_STATE_HOME=state, XDG_CONFIG_HOME=config)
    open(os.path.join(workspace, ".env"), "w").close()

    # Control: the count of namespaces is one that can fail.
    limit({**NEEDED, "user": 1})
    control = start("86400.0", lasting=False)
    _, err = control.communicate()
    if control.returncode == 125:
        print("ok: control: with one namespace less a run is refused")
    else:
        fail(f"control: exit {control.returncode} with too few namespaces: {err.decode()}")
    limit(dict.fromkeys(NEEDED, 10 * PARALLEL))

    before = mine(processes()), read("/proc/self/mountinfo"), files()
    lock = threading.Lock()
    killed, codes, slowest = collections.Counter(), collections.Counter(), dict.fromkeys(ROLES, 0.0)
    jobs = [(n, ROLES[n % len(ROLES)], random.uniform(0, 0.02)) for n in range(options.kills)]
    jobs += [(n, None, 0) for n in range(options.kills, options.runs)]
    random.shuffle(jobs)
    began = time.monotonic()
    threads = [threading.Thread(target=worker) for _ in range(PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{options.runs} runs, {PARALLEL} at a time, in {time.monotonic() - began:.1f} s; killed: {dict(killed)}")
    print("exit codes:", ", ".join(f"{role} {code}: {count}" for (role, code), count in sorted(codes.items())))
    print("longest until the command was gone:", ", ".join(f"{role} {value * 1000:.0f} ms" for role, value in slowest.items()))
    if sum(killed.values()) < options.kills:
        fail(f"only {sum(killed.values())} of {options.kills} kills hit")

    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and mine(processes()) - before[0]:
        time.sleep(0.05)
    left = mine(processes()) - before[0]
    if left:
        fail(f"processes left: {[(pid, processes().get(pid)) for pid in left]}")
    if read("/proc/self/mountinfo") != before[1]:
        fail("the mounts of the host changed")
    if files() - before[2]:
        fail(f"files left: {sorted(files() - before[2])[:10]}")
    if b"agent-sandbox" in read("/proc/net/unix"):
        fail("a socket with a name is left")

    # The kernel takes namespaces apart in the background: within the same time.
    limit(NEEDED)
    deadline = time.monotonic() + SECONDS
    while True:
        last = start("86400.1", lasting=False)
        _, err = last.communicate()
        if last.returncode == 7 or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    if last.returncode == 7:
        print("ok: no namespace is left")
    else:
        fail(f"namespaces left: {err.decode()}")

if not failures:
    print(f"ok: nothing left behind after {options.runs} runs")
sys.exit(1 if failures else 0)
