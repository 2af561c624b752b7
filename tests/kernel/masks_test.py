#!/usr/bin/python3
"""Masks that fall off are put back (FS-19, FS-20, LC-16, PO-31).

The kernel takes a mount away when the name under it is replaced in another mount namespace. The host,
and a second sandbox without the mask, replace a hidden and a read-only file while a prober inside
tries to read the one and to write the other. What it got in between is counted and printed.

Usage: masks_test.py AGENT_SANDBOX [--rounds N]
"""
import argparse, bisect, json, os, shutil, signal, statistics, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
import mask_probe

parser = argparse.ArgumentParser()
parser.add_argument("sandbox")
parser.add_argument("--rounds", type=int, default=200)
options = parser.parse_args()
sandbox = os.path.abspath(options.sandbox)
if os.getuid() == 0:
    sys.exit("this test needs an ordinary user: root hides mistakes")

SECONDS = 20  # after which a mask counts as lost
PROBE = os.path.abspath(mask_probe.__file__)
failures = 0


def check(what, good, detail=""):
    global failures
    failures += not good
    print(("ok: " if good else "not ok: ") + what + ("" if good else f": {detail!r}"), flush=True)


work = tempfile.mkdtemp()
for folder in ("config/agent-sandbox", "state/agent-sandbox"):
    os.makedirs(os.path.join(work, folder))
os.environ.update(XDG_CONFIG_HOME=f"{work}/config", XDG_STATE_HOME=f"{work}/state")
with open(PROBE) as file:
    PROGRAM = ["/usr/bin/python3", "-c", file.read()]


def write(path, content="canary"):
    with open(path, "w") as file:
        file.write(content)


def shop(*paths):
    """A new workspace with these files; paths that end in '/' are folders."""
    folder = tempfile.mkdtemp(dir=work)
    os.chdir(folder)
    for path in paths:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if not path.endswith("/"):
            write(path)
    return folder


class Run:
    """A sandbox, or `command`, that answers requests."""

    def __init__(self, *flags, command=None):
        self.process = subprocess.Popen(command or [sandbox, *flags, "--", *PROGRAM], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def becomes(self, request, answer):
        """Whether `answer` comes, and keeps coming."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            if self.ask(request) == answer:
                return self.ask(request) == answer
        return False

    def warden(self):
        for pid in children(self.process.pid):
            if comm(pid) == "asb-warden":
                return pid
        return None

    def end(self):
        """Exit code and what was said."""
        try:
            _, err = self.process.communicate("quit\n", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, err = self.process.communicate()
        return self.process.returncode, err


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def is_gone(pid):
    until = time.monotonic() + SECONDS
    while comm(pid) == "asb-warden":
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def said(err, path, words):
    """Whether the end of the run says `words` of `path`, in one line."""
    shown = os.path.realpath(path).replace(os.path.expanduser("~") + "/", "~/", 1)
    return f"agent-sandbox: {shown} {words}" in err.splitlines()


def windows(began, at):
    """Of all replacements, how long after its beginning the last attempt came through."""
    after = [0] * len(began)
    for time_ns in at:
        i = bisect.bisect(began, time_ns) - 1
        after[i] = (time_ns - began[i]) / 1000
    hit = [one for one in after if one]
    return (f"after {len(hit)} of {len(began)} replacements; of these it was open for "
            f"{statistics.median(hit or [0]):.0f} us in the median, {max(after):.0f} us at worst")


# --- FS-19, FS-20, PO-31: the race ---------------------------------------------------------------
def race(title, replace):
    """`replace(path, content)` → when it began and was done. The mask must be back each time."""
    inside = Run("--hide", "./.env", "--ro", "./config")
    assert inside.ask("try .env") == "EACCES" and inside.ask("write config") == "EROFS", inside.end()
    inside.ask("poll .env config")
    lost, secret_began, config_began = 0, [], []
    for i in range(options.rounds):
        secret_began.append(replace(".env", f"canary-{i}-{'x' * 32}")[0])
        lost += not inside.becomes("try .env", "EACCES")
        config_began.append(replace("config", f"config-{i}")[0])
        lost += not inside.becomes("write config", "EROFS")
    polled = json.loads(inside.ask("polled"))
    code, err = inside.end()
    # The kernel takes the mount off the old file some time before it gives its name to the new one.
    old, new = [], []
    for at, content in polled["read_at"]:
        i = bisect.bisect(secret_began, at) - 1
        (new if content.startswith(f"canary-{i}-") else old).append(at)
    print(f"{title}: {options.rounds} replacements each, {polled['tries']} tries to read and to write\n"
          f"  {polled['bytes']} bytes read\n"
          f"  {len(old)} reads of the old file: {windows(secret_began, old)}\n"
          f"  {len(new)} reads of the new file: {windows(secret_began, new)}\n"
          f"  {len(polled['written_at'])} writes: {windows(config_began, polled['written_at'])}")
    check(f"{title}: both masks are back each time", lost == 0, lost)
    check(f"{title}: the run goes on to its own end", code == 0, (code, err))
    check(f"{title}: it is said how often",
          said(err, ".env", f"was replaced outside {options.rounds} times; it was hidden again each time (gap mask-race)")
          and said(err, "config", f"was replaced outside {options.rounds} times; it was made read-only again each time (gap mask-race)"), err)


shop(".env", "config")
race("FS-19 the host saves by rename", lambda path, content: mask_probe.replace(path, content.encode()))

shop(".env", "config")
second = Run()
race("FS-20 a second sandbox without the masks saves by rename",
     lambda path, content: [int(word) for word in second.ask(f"replace {path} {content}").split()])
second.end()

# Controls: the printed bubblewrap command has no warden; and one that is stopped.
shop(".env", "config")
printed = subprocess.run([sandbox, "plan", "--argv", "--hide", "./.env", "--ro", "./config", "--", *PROGRAM],
                         capture_output=True, text=True, check=True).stdout
inside = Run(command=["/bin/bash", "-c", printed])
before = inside.ask("try .env"), inside.ask("write config")
mask_probe.replace(".env", b"canary")
mask_probe.replace("config", b"canary")
time.sleep(1)
after = inside.ask("try .env"), inside.ask("write config")
check("FS-19 control: without a warden one rename opens both for good",
      before == ("EACCES", "EROFS") and after == ("ok 6", "ok"), (before, after))
inside.end()

inside = Run("--hide", "./.env")
inside.ask("try .env")
os.kill(inside.warden(), signal.SIGSTOP)
mask_probe.replace(".env", b"canary")
time.sleep(0.5)
stopped = inside.ask("try .env")
os.kill(inside.warden(), signal.SIGCONT)
check("FS-19 control: with the warden stopped it stays open", stopped == "ok 6", stopped)
check("FS-19 and is hidden as soon as the warden goes on", inside.becomes("try .env", "EACCES"))
inside.end()

# --- other ways to replace a name ----------------------------------------------------------------
shop(".env", "sub/deep/.env", "secrets/key", "config")
inside = Run("--hide", "./.env", "--hide", "./sub/deep/.env", "--hide", "./secrets", "--ro", "./config")
assert inside.ask("try .env") == "EACCES", inside.end()

os.unlink(".env")
check("removed, the name is gone inside, too", inside.becomes("try .env", "ENOENT"))
write(".env")
check("removed and made again it is hidden", inside.becomes("try .env", "EACCES"))

os.rename(".env", ".env.bak")
write(".env")
check("moved away and made again it is hidden", inside.becomes("try .env", "EACCES"))
check("and what was moved away stays hidden", inside.becomes("try .env.bak", "EACCES"))

os.unlink(".env")
os.mkdir(".env")
write(".env/key")
check("a folder in its place is hidden", inside.becomes("list .env", "EACCES") and inside.ask("try .env/key") == "EACCES")
shutil.rmtree(".env")

os.symlink("public", ".env")
write("public", "four")
check("a link in its place is followed by nobody outside; the command follows it to what it sees anyway",
      inside.becomes("try .env", "ok 4"))
os.unlink(".env")
write(".env")
check("and a file in place of the link is hidden again", inside.becomes("try .env", "EACCES"))

os.rename("config", "x")
write("config")
check("a read-only file, moved away and made again, is read-only", inside.becomes("write config", "EROFS"))

os.rename("secrets", "old")
os.mkdir("secrets")
write("secrets/key")
check("a hidden folder, moved away and made again, is hidden", inside.becomes("list secrets", "EACCES"))
check("and the one that was moved away stays hidden", inside.ask("list old") == "EACCES", inside.ask("list old"))
shutil.rmtree("secrets")
os.mkdir("secrets")
check("removed and made again, too", inside.becomes("list secrets", "EACCES"))

os.rename("sub", "sub2")
os.makedirs("sub/deep")
write("sub/deep/.env")
check("a folder above is moved away and made again: hidden", inside.becomes("try sub/deep/.env", "EACCES"))
check("and in the moved one it stays hidden", inside.ask("try sub2/deep/.env") == "EACCES")
check("the new folder is pinned as the old one was",
      inside.becomes("move sub y", "EBUSY") and inside.becomes("move sub/deep sub/y", "EBUSY"))
os.rename("sub/deep", "sub/other")
os.mkdir("sub/deep")
write("sub/deep/.env")
check("the same one folder further down", inside.becomes("try sub/deep/.env", "EACCES"))
os.rename("config", "c2")
os.rename("c2", ".env")
check("a read-only file that is moved onto a hidden one is hidden", inside.becomes("try .env", "EACCES"))
code, err = inside.end()
check("what was pinned again is said", code == 0 and said(err, "sub", "was replaced outside; it was pinned again (gap mask-race)"), (code, err))

# --- what is missing at the start ----------------------------------------------------------------
shop("a/")
inside = Run("--hide", "./late", "--hide", "./a/b/c/late")
check("a path to hide that is missing is missing inside", inside.ask("try late") == "ENOENT")
write("late")
check("when it appears it is hidden", inside.becomes("try late", "EACCES"))
os.unlink("late")
write("late")
check("and again", inside.becomes("try late", "EACCES"))
os.makedirs("a/b/c")
write("a/b/c/late")
check("when its folders appear with it, too", inside.becomes("try a/b/c/late", "EACCES"))
os.makedirs("new/c/late")
os.rename("a/b", "gone")
os.rename("new", "a/b")
check("as a folder that comes with its own, too", inside.becomes("list a/b/c/late", "EACCES"))
code, err = inside.end()
check("late hides are said", said(err, "late", "appeared during the run 2 times; it was hidden each time (gap late-hide)"), err)

# --- many ----------------------------------------------------------------------------------------
names = [f"s{i}" for i in range(1000)]
shop(*names)
write(f"{work}/many.toml", "hide = [" + ",".join(f'"./{name}"' for name in names) + "]")
inside = Run("-c", f"{work}/many.toml")
assert inside.ask("try s0") == "EACCES", inside.end()
began = time.monotonic()
for name in names:
    mask_probe.replace(name, b"canary")
replaced = time.monotonic()
back = all([inside.becomes(f"try {name}", "EACCES") for name in names])
print(f"1,000 masks: replaced in {replaced - began:.2f} s, all seen hidden {time.monotonic() - replaced:.2f} s later")
check("1,000 masks are back", back)
_, err = inside.end()
check("not a thousand lines are said", len(err.splitlines()) <= 25, len(err.splitlines()))

shop(".env")
inside = Run("--hide", "./.env")
inside.ask("try .env")
with open("/proc/sys/fs/inotify/max_queued_events") as file:
    queued = int(file.read())
os.kill(inside.warden(), signal.SIGSTOP)
for i in range(queued + 100):
    write("noise")
    os.rename("noise", "noise2")
os.rename(".env", "away")  # no mount goes, and the name that appears is beyond what the kernel keeps
write(".env")
opened = inside.ask("try .env")
os.kill(inside.warden(), signal.SIGCONT)
check("more names than the kernel keeps: all is looked at", opened == "ok 6" and inside.becomes("try .env", "EACCES"), opened)
inside.end()

# --- who guards the guard ------------------------------------------------------------------------
inside = Run("--hide", "./.env")
inside.ask("try .env")
warden = inside.warden()
check("the warden is seen outside", comm(warden) == "asb-warden" and os.kill(warden, 0) is None)
pids = inside.ask("list /proc").split()
signalled = inside.ask(f"kill {warden} 0")
check("and not inside", str(warden) not in pids and signalled == "ESRCH", (pids, signalled))
try:
    open(f"/proc/{warden}/mem", "rb").close()
    traced = "opened"
except OSError as error:
    traced = mask_probe.name(error)
check("it can be neither read nor traced by others of the same user", traced == "EACCES", traced)
check("what is typed at the terminal is not for it", os.getsid(warden) == warden)
os.kill(warden, signal.SIGKILL)
code = inside.process.wait(timeout=SECONDS)
err = inside.process.stderr.read()
check("killed, it takes the sandbox along, and that is said",
      code == 137 and "the sandbox was ended, because its masks could not be kept: the warden was ended from outside" in err, (code, err))

inside = Run("--hide", "./.env")
inside.ask("try .env")
warden = inside.warden()
inside.process.kill()
inside.process.communicate()
check("LC-01 it ends with a supervisor that is killed", is_gone(warden))
inside = Run()
inside.ask("try .env")
check("a run with nothing to guard has none", inside.warden() is None)
inside.end()


def limited(limit, value):
    """The same run in a user namespace with a lower limit."""
    script = f'echo {value} >/proc/sys/user/{limit}; exec "$@"'
    return subprocess.run(["unshare", "--user", "--map-current-user", "--keep-caps", "/bin/sh", "-c", script, "sh",
                           sandbox, "--hide", "./.env", "--", "/usr/bin/touch", "ran"], capture_output=True, text=True)


for limit, few, enough in (("max_inotify_watches", 0, 100), ("max_inotify_instances", 0, 100)):
    done = limited(limit, few)
    check(f"{limit} = {few}: 125, cause and fix, and the command did not run",
          done.returncode == 125 and "cause: no-watches:" in done.stderr and "fix: as root: sysctl" in done.stderr
          and not os.path.exists("ran"), (done.returncode, done.stderr))
    done = limited(limit, enough)
    check(f"{limit} = {enough}: it runs", done.returncode == 0 and os.path.exists("ran"), (done.returncode, done.stderr))
    os.unlink("ran")

os.chdir("/")
shutil.rmtree(work)
sys.exit(1 if failures else 0)
