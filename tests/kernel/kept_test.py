#!/usr/bin/python3
"""Kept homes and the state folder: who sees what again, what an agent can leave behind, and what gc
does with it.

Usage: kept_test.py AGENT_SANDBOX [--long]
"""
import fcntl, hashlib, json, os, pty, pwd, resource, shutil, stat, subprocess, sys, tempfile, time

sandbox = os.path.abspath(sys.argv[1])
long_form = "--long" in sys.argv
if os.getuid() == 0:
    sys.exit("this test needs an ordinary user: root hides mistakes")
if "KEPT_WORLD" not in os.environ:
    # Once more where a scratch folder lies over the home: it is compared as a whole.
    world = os.path.realpath(tempfile.mkdtemp())
    os.mkdir(f"{world}/home")
    for file in (sandbox, f"{sandbox}-init", __file__):
        shutil.copy(file, world)
    user_home = pwd.getpwuid(os.getuid()).pw_dir
    code = subprocess.call(["/usr/bin/bwrap", "--dev-bind", "/", "/", "--die-with-parent", "--bind", f"{world}/home", user_home,
                            "--bind", world, world, "--setenv", "KEPT_WORLD", world, sys.executable,
                            f"{world}/{os.path.basename(__file__)}", f"{world}/{os.path.basename(sandbox)}", *sys.argv[2:]])
    shutil.rmtree(world)
    sys.exit(code)
failures = 0
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(what, good, detail=""):
    global failures
    if not good:
        failures += 1
    print(("ok: " if good else "not ok: ") + what + ("" if good else f": {detail!r}"), flush=True)


work = os.path.realpath(tempfile.mkdtemp())
state = f"{work}/state/agent-sandbox"
homes = f"{state}/homes"
outside = f"{work}/outside"
for folder in ("shop", "shop2", "config", "outside", "data"):
    os.mkdir(f"{work}/{folder}")
os.environ.update(XDG_CONFIG_HOME=f"{work}/config", XDG_STATE_HOME=f"{work}/state", S=sandbox, W=work)
os.chdir(f"{work}/shop")
real_home = os.path.realpath(os.path.expanduser(f"~{subprocess.getoutput('id -un')}"))
mine = f".asb-kept-{os.getpid()}"  # in the real home, for grants below it
os.makedirs(f"{real_home}/{mine}/x")
for name in ("x/f", "file"):
    with open(f"{real_home}/{mine}/{name}", "w") as file:
        file.write("real\n")


def run(*words, **more):
    return subprocess.run([sandbox, *words], capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL, **more)


def kept(script, *options, **more):
    return run("--home", "kept", *options, "--", "/bin/bash", "-c", script, **more)


def sh(script, **more):
    return subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, timeout=100, **more)


def keys():
    return sorted(name for name in os.listdir(homes) if not name.startswith(".")) if os.path.isdir(homes) else []


def key_of(*options):
    return json.loads(run("plan", "--json", "--home", "kept", *options).stdout)["home"]["key"]


def gc(*options, **more):
    return run("gc", *options, **more)


def tree_hash(top):
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(top):
        folders.sort()
        for name in sorted(files) + folders:
            path = f"{folder}/{name}"
            status = os.lstat(path)
            content = b""
            if stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK):
                with open(path, "rb") as file:
                    content = file.read()
            digest.update(repr((path, status.st_ino, status.st_mode, content)).encode())
    return digest.hexdigest()


def fresh_state():
    sh(f"chmod -R u+rwx {work}/state; rm -rf {work}/state")


before = tree_hash(real_home)

# --- what is kept, and for whom -------------------------------------------------------------------
got = run("--home", "private", "--", "/bin/true")
check("a private run creates no state at all", got.returncode == 0 and not os.path.exists(f"{work}/state"), got)
got = gc("--list")
check("gc on a host without state makes none", got.returncode == 0 and not os.path.exists(f"{work}/state"), got)

got = kept("echo mine >~/note; echo alias x=y >~/.bashrc; mkdir -m 777 ~/d; ls -a ~; ls /proc/self/fd | wc -l")
check("an ordinary command runs in a kept home", got.returncode == 0 and not got.stderr, got)
check("the real home is not in it", mine not in got.stdout and ".profile" not in got.stdout.split(), got.stdout)
check("the lock does not leak: 0, 1, 2 and the folder that is listed", got.stdout.split()[-1] == "4", got.stdout)
check("PE-16 control: the next run of the same project and reach has it", kept("cat ~/note").stdout == "mine\n")
got = kept("cat ~/note", cwd=f"{work}/shop2")
check("PE-16 another project has not", got.returncode == 1 and "No such file" in got.stderr, got)
WIDER = {"a grant": ["--rw", f"{work}/data"], "a read-only grant": ["--ro", f"{work}/data"],
         "a bind": ["--bind", f"{work}/data:/mnt/d"], "a network": ["--network", "loopback"],
         "a variable": ["--env", "FOO=1"], "a hide less, seen from the other side": ["--hide", f"{work}/shop/x*"],
         "a read-only workspace": ["--read-only"], "another view": ["--view", "blacklist"]}
open(f"{work}/shop/x1", "w").close()
for name, options in WIDER.items():
    got = kept("cat ~/note", *options)
    check(f"PE-16 DA-05 {name}: starts with a fresh home", got.returncode == 1 and "No such file" in got.stderr, got)
got = kept("cat ~/note; . ~/.bashrc; alias", "--env", "FOO=1")
check("PO-28 a planted .bashrc does not run under another reach", "x=" not in got.stdout, got)
check("PO-28 control: under the same it does", "x='y'" in kept(". ~/.bashrc; alias").stdout)
check("afterwards the first is as it was", kept("cat ~/note").stdout == "mine\n")
check("the order of options does not matter",
      key_of("--rw", f"{work}/data", "--env", "FOO=1") == key_of("--env", "FOO=1", "--rw", f"{work}/data"))
got = run("--home", "private", "--", "/bin/bash", "-c", "ls -A ~")
check("a private run sees nothing of it", got.stdout == "", got)
modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (state, homes, f"{homes}/{key_of()}", f"{homes}/{key_of()}/home")]
check("state, homes and home are 0700", modes == [0o700] * 4, modes)
for mask in (0, 0o777):
    fresh_state()
    got = kept("echo x >~/y && stat -c %a ~", preexec_fn=lambda: os.umask(mask))
    check(f"whatever the caller's mask ({mask:o})", got.stdout == "700\n", got)
got = sh(f"$S plan --argv --home kept -- /bin/cat {real_home}/note")
kept("echo mine >~/note")
argv = subprocess.run(["/bin/bash", "-c", got.stdout], capture_output=True, text=True)
check("the printed bubblewrap command has the same home", argv.stdout == "mine\n", argv)
got = json.loads(run("explain", "--json", "--home", "kept", "~/note").stdout)
check("explain says kept", "kept" in json.dumps(got), got)

# --- two at once, and gc meanwhile ----------------------------------------------------------------
first = subprocess.Popen([sandbox, "--home", "kept", "--", "/bin/bash", "-c",
                          "touch ~/started; while [ ! -e ~/from-second ]; do sleep 0.05; done; cat ~/from-second; "
                          "while [ ! -e go ]; do sleep 0.05; done"], stdout=subprocess.PIPE, text=True)
got = kept("while [ ! -e ~/started ]; do sleep 0.05; done; echo hello >~/from-second.new; mv ~/from-second.new ~/from-second")
check("LC-08 two runs share one home", got.returncode == 0 and first.stdout.readline() == "hello\n", got)
got = gc("--all")
check("a home in use is not removed", os.path.exists(f"{homes}/{key_of()}/home/started") and got.returncode == 0, got)
row = [home for home in json.loads(gc("--list", "--json").stdout)["homes"] if home["key"] == key_of()]
check("and gc says that it is in use", row and row[0]["in-use"], row)
open(f"{work}/shop/go", "w").close()
first.wait(timeout=60)
got = gc("--all", "--dry-run")
check("--dry-run removes nothing", len(keys()) == 1 and key_of() in got.stdout, got)
got = gc("--all")
check("control: when the run is over, it is", keys() == [] and "1 home removed" in got.stdout, got)
check("nothing at all is left", os.listdir(homes) == [], os.listdir(homes))

# --- killed at any time ---------------------------------------------------------------------------
for i in range(60 if long_form else 20):
    victim = subprocess.Popen([sandbox, "--home", "kept", "--", "/bin/sleep", "60"], stderr=subprocess.DEVNULL)
    time.sleep(0.004 * i)
    victim.kill()
    victim.wait()
deadline = time.monotonic() + 20
while gc("--all").returncode == 0 and keys() and time.monotonic() < deadline:
    time.sleep(0.1)
check("LC-09 SIGKILL at any time leaves no lock and no home that gc cannot remove", os.path.isdir(homes) and os.listdir(homes) == [], os.listdir(homes))
kept("echo x >~/big")
remover = subprocess.Popen([sandbox, "gc", "--all"], stdout=subprocess.DEVNULL)
remover.kill()
remover.wait()
gc("--all")
check("a gc that was killed is finished by the next one", os.listdir(homes) == [], os.listdir(homes))
together = [subprocess.Popen([sandbox, "--home", "kept", "--", "/bin/bash", "-c", "echo $$ >~/a; cat ~/a"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(8)]
for _ in range(10):
    gc("--all")
bad = [(one.wait(timeout=60), one.stderr.read()) for one in together]
check("runs that start while gc removes all work", all(code == 0 for code, _ in bad), bad)

# --- what the agent leaves in the way of mounts ---------------------------------------------------
SUB, FILE = ["--ro", f"{real_home}/{mine}/x"], ["--ro", f"{real_home}/{mine}/file"]
gc("--all")
naive = f"{work}/naive"
os.mkdir(naive)
os.symlink(outside, f"{naive}/{mine}")
os.makedirs(f"{naive}/{mine}/x")
check("PO-28 control: making the place by name writes through the link", os.path.isdir(f"{outside}/x"))
os.rmdir(f"{outside}/x")
PLANTS = {"a link in the way of a folder above": f"ln -s {outside} ~/{mine}",
          "a link to /": f"ln -s / ~/{mine}",
          "a file where a folder is needed": f"echo planted >~/{mine}",
          "a FIFO": f"mkfifo ~/{mine}",
          "a link at the very place": f"mkdir ~/{mine}; ln -s {outside} ~/{mine}/x; ln -s {outside} ~/{mine}/file",
          "a folder where a file is needed, a file where a folder is": f"mkdir -p ~/{mine}/file/deep; echo planted >~/{mine}/x",
          "a folder of mode 000": f"mkdir -m 000 ~/{mine}"}
for name, plant in PLANTS.items():
    for what, grant in (("x/f", SUB), ("file", FILE)):
        gc("--all")
        got = kept(f"mv ~/{mine} ~/moved; {plant}", *grant)
        check(f"FS-31 control: {name}: the agent can plant it ({what})", got.returncode == 0, got)
        got = kept(f"chmod 755 ~/{mine}; cat ~/{mine}/{what}", *grant)
        check(f"PO-28 {name}: the next run has its grant ({what})", got.stdout == "real\n" and got.returncode == 0, got)
check("PO-28 nothing was made or changed outside", os.listdir(outside) == [] and tree_hash(real_home) == before, os.listdir(outside))
gc("--all")
got = kept(f"mv ~/{mine} ~/moved; ln -s {outside} ~/{mine}; for i in '' $(seq 2 150); do echo $i >~/{mine}.replaced$i; done", *SUB)
got = kept(f"cat ~/{mine}/x/f; cat ~/{mine}.replaced7", *SUB)
check("what was set aside is never overwritten, even with all usual names taken", got.stdout == "real\n7\n", got)

# --- LC-12: another run of the same home swaps names while this one starts ------------------------
gc("--all")
SWAP = f"""
import ctypes, os, time
libc, home = ctypes.CDLL(None), os.path.expanduser('~')
at, other, until = f'{{home}}/{mine}', f'{{home}}/other', time.monotonic() + 60
while time.monotonic() < until and not os.path.exists('stop'):
    try:
        if not os.path.islink(other) and not os.path.islink(at): os.symlink({outside!r}, other)
    except OSError: pass
    libc.renameat2(-100, at.encode(), -100, other.encode(), 2)  # RENAME_EXCHANGE
    open('swapping', 'w').close()
"""
swapper = subprocess.Popen([sandbox, "--home", "kept", *SUB, "--", "/usr/bin/python3", "-c", SWAP])
while not os.path.exists("swapping") and swapper.poll() is None:
    time.sleep(0.05)
seen = {"real": 0, "refused": 0, "unclear": 0}
for _ in range(400 if long_form else 60):
    got = kept(f"cat ~/{mine}/x/f; ls ~/{mine}.replaced* >&2", *SUB)
    # Inside, the name may have been swapped again: then the link leads nowhere.
    seen["real" if got.stdout == "real\n" else "refused" if got.returncode == 125 or not got.stdout else "unclear"] += 1
open("stop", "w").close()
swapper.wait(timeout=60)
check(f"LC-12 the grant or nothing, whatever another run swaps ({seen})", seen["unclear"] == 0 and seen["real"] > 0, seen)
check("LC-12 and nothing is made outside", os.listdir(outside) == [] and tree_hash(real_home) == before, os.listdir(outside))
gc("--all")

name = "n" * 255
os.mkdir(f"{real_home}/{name}")
got = kept(f"ls -d ~/{name} && mv ~/moved ~/m2; true", "--ro", f"{real_home}/{name}")
check("a name of 255 bytes", got.returncode == 0 and got.stdout, got)
os.rmdir(f"{real_home}/{name}")
fresh_state()

# --- trees that gc has to take apart --------------------------------------------------------------
os.mkdir(f"{outside}/canary")
with open(f"{outside}/canary/f", "w") as file:
    file.write("canary")
canary = tree_hash(outside)
files = 100_000 if long_form else 20_000
HOSTILE = f"""
import os, socket
os.chdir(os.path.expanduser('~'))
for i in range(4000):
    os.mkdir('d' * 20); os.chdir('d' * 20)
os.chdir(os.path.expanduser('~'))
os.mkdir('many')
for i in range({files}): os.close(os.open('many/%d' % i, os.O_CREAT | os.O_WRONLY))
os.symlink({outside!r}, 'many/link'); os.symlink('/', 'root')
open('new\\nline \\x1b[2J', 'w').close()
os.mkfifo('fifo'); socket.socket(socket.AF_UNIX).bind('socket')
os.makedirs('locked/in/side'); open('locked/in/side/f', 'w').close()
os.makedirs('.up-1/.up-2'); os.makedirs('a/.up-1/b')
for name in ('locked/in/side', 'locked/in', 'locked', 'many'): os.chmod(name, 0)
os.chmod('.', 0)
"""
got = run("--home", "kept", "--", "/usr/bin/python3", "-c", HOSTILE)
check("the hostile tree is made", got.returncode == 0, got)
linked = [folder for folder, _, _ in os.walk(outside, followlinks=True)]
check("LC-11 control: the canary is there to be found", len(linked) == 2)
got = kept("stat -c %a ~; ls | wc -l")
check("a home of mode 000 is opened again", got.stdout.startswith("700\n"), got)
started = time.monotonic()
got = sh('ulimit -n 24; exec "$S" gc --all')
check(f"LC-11 gc removes depth 4,000, {files} files, links, mode 000, odd names with 24 descriptors "
      f"({time.monotonic() - started:.1f} s)", got.returncode == 0 and os.listdir(homes) == [], (got, os.listdir(homes)))
check("LC-11 and follows no link", tree_hash(outside) == canary)

kept("mkdir ~/point")
in_namespace = "unshare -U --map-current-user --keep-caps -m --propagation private /bin/bash -c "
point = f"{homes}/{keys()[0]}/home/point"
got = sh(f"{in_namespace} 'mount --bind {outside}/canary {point} && $S gc --all; echo code $?; ls {point} {outside}/canary'")
check("FS-36 gc does not enter what is mounted in a home", "code 125" in got.stdout and "fix:" in got.stderr and tree_hash(outside) == canary, got)
gc("--all")
check("and removes the rest later", os.listdir(homes) == [] and tree_hash(outside) == canary)

# --- a hostile or broken state folder -------------------------------------------------------------
def refused(what, got, fix):
    check(what, got.returncode == 125 and "fix:" in got.stderr and fix in got.stderr and "ran" not in got.stdout, got)


def quick(what, script="echo ran; ls -A ~"):
    started = time.monotonic()
    got = kept(script)
    check(f"{what} ({time.monotonic() - started:.2f} s)", got.returncode == 0 and got.stdout.startswith("ran\n"), got)
    return got


fresh_state()
os.mkdir(f"{work}/state")
os.symlink(outside, state)
refused("LC-10 SV-33 the state is a link: 125, with the fix", kept("echo ran"), "XDG_STATE_HOME")
os.unlink(state)
os.mkfifo(state)
refused("LC-10 the state is a FIFO", kept("echo ran"), "XDG_STATE_HOME")
os.unlink(state)
os.mkdir(state)
os.chmod(state, 0o777)
refused("SV-33 others can write the state", kept("echo ran"), f"chmod go-w {state}")
os.chmod(state, 0o700)
os.symlink(outside, homes)
refused("LC-10 homes is a link", kept("echo ran"), "XDG_STATE_HOME")
got = gc("--all")
check("LC-10 for gc too", got.returncode == 125 and "fix:" in got.stderr, got)
os.unlink(homes)
os.mkdir(homes, 0o700)
key = f"{homes}/{key_of()}"
os.symlink(outside, key)
quick("LC-10 a home's folder is a link: set aside")
check("LC-10 nothing was followed", tree_hash(outside) == canary and not os.path.islink(key))


def replaced(path, make):
    sh(f"rm -rf {path}")
    make(path)


def sparse(path):
    with open(path, "w") as file:
        file.truncate(10 << 30)


for entry in ("lock", "about"):
    for what, make in (("a FIFO", os.mkfifo), ("a link to /dev/zero", lambda path: os.symlink("/dev/zero", path)),
                       ("a link to a file", lambda path: os.symlink(f"{outside}/canary/f", path)),
                       ("a folder", os.mkdir), ("10 GB", sparse), ("a link to a FIFO", lambda path: (os.mkfifo(f"{work}/fifo-{entry}"), os.symlink(f"{work}/fifo-{entry}", path)))):
        kept("echo keep >~/keep")
        replaced(f"{key}/{entry}", make)
        got = quick(f"LC-10 {entry} is {what}")
        check(f"LC-10 and the home is not lost ({entry}, {what})", "keep" in got.stdout, got)
        with open(f"{key}/about") as file:
            check("LC-10 and what is written about it is whole", json.load(file)["workspace"] == f"{work}/shop")
check("LC-10 nothing was followed", tree_hash(outside) == canary)
for what, make in (("a link to the real home", lambda path: os.symlink(real_home, path)), ("a file", lambda path: open(path, "w").close()), ("a FIFO", os.mkfifo)):
    replaced(f"{key}/home", make)
    got = quick(f"LC-10 home is {what}")
    check("LC-10 and the real one is not shown", mine not in got.stdout, got)
check("LC-10 the real home is as it was", tree_hash(real_home) == before)
for name in ("..x", "a b\nc", "-rf"):
    os.symlink(outside, f"{homes}/{name}")
os.mkfifo(f"{homes}/{'0' * 32}")
got = gc("--all")
check("LC-10 gc removes what does not belong there, and nothing else", got.returncode == 0 and os.listdir(homes) == [] and tree_hash(outside) == canary, got)

fresh_state()
os.makedirs(state)
got = sh(f"{in_namespace} 'mount --bind /var/lib {state} && setpriv --ambient-caps=-all --inh-caps=-all $S --home kept -- /bin/echo ran'")
refused("LC-10 the state is another user's", got, "XDG_STATE_HOME")
check("LC-10 control: of the caller's, it runs", kept("echo ran").stdout == "ran\n")

# --- XDG_STATE_HOME, odd; disks, full and read-only -----------------------------------------------
fresh_state()
environment = dict(os.environ)
environment["XDG_STATE_HOME"] = "state"
got = kept("echo ran", env=environment)
check("a relative XDG_STATE_HOME is refused with a fix", got.returncode == 3 and "fix:" in got.stderr and "ran" not in got.stdout, got)
environment["XDG_STATE_HOME"] = "/dev/null/state"
got = kept("echo ran", env=environment)
check("/dev/null/state is refused with a fix", got.returncode in (3, 125) and "fix:" in got.stderr and "ran" not in got.stdout, got)
environment["XDG_STATE_HOME"] = "/proc/self/state"
got = kept("echo ran", env=environment)
check("a state in /proc is refused with a fix", got.returncode in (3, 125) and "fix:" in got.stderr and "ran" not in got.stdout, got)
environment["XDG_STATE_HOME"] = f"{outside}/canary/f"
got = kept("echo ran", env=environment)
check("a state below a file is refused with a fix", got.returncode in (3, 125) and "fix:" in got.stderr and "ran" not in got.stdout, got)
environment["XDG_STATE_HOME"] = "/usr/state"
refused("a state where the caller may not write", kept("echo ran", env=environment), "XDG_STATE_HOME")
environment.pop("XDG_STATE_HOME")
got = run("plan", "--json", "--home", "kept", env=environment)
folder = json.loads(got.stdout)["home"]["folder"]
check("without the variable it is below ~/.local/state", folder.startswith(f"{real_home}/.local/state/agent-sandbox/homes/"), folder)
os.symlink(f"{work}/state", f"{work}/way")
environment["XDG_STATE_HOME"] = f"{work}/way"
check("a link on the way to it is followed", kept("echo ran", env=environment).stdout == "ran\n" and len(keys()) == 1)
fresh_state()

as_caller = "setpriv --ambient-caps=-all --inh-caps=-all"
os.mkdir(f"{work}/state")
got = sh(f"{in_namespace} 'mount -t tmpfs none $W/state && mount -o remount,ro $W/state && {as_caller} $S --home kept -- /bin/echo ran'")
refused("SV-13 a read-only file system: 125 with a fix", got, "XDG_STATE_HOME")
got = sh(f"{in_namespace} 'mount -t tmpfs -o nr_inodes=4 none $W/state && {as_caller} $S --home kept -- /bin/echo ran'")
refused("SV-13 a full disk at the first start: 125 with a fix", got, "gc")
got = sh(f"{in_namespace} 'mount -t tmpfs -o size=256k none $W/state && "
         f"{as_caller} $S --home kept -- /bin/bash -c \"head -c 1M /dev/zero >~/fill; exit 7\"; echo first $?; "
         f"{as_caller} $S --home kept -- /bin/bash -c \"stat -c %s ~/fill; exit 8\"; echo second $?; df --output=avail $W/state; ls -A $W/state/agent-sandbox/homes/*'")
check("SV-13 a full disk breaks neither the end of a run nor the next one",
      "first 7" in got.stdout and "second 8" in got.stdout and "about.new" not in got.stdout and got.stderr.count("agent-sandbox:") == 0, got)

# --- age, size, the cap, and what is said ---------------------------------------------------------
fresh_state()
kept("head -c 300000 /dev/urandom >~/r")
kept("head -c 300000 /dev/urandom >~/r", cwd=f"{work}/shop2")
old, young = key_of(), [name for name in keys() if name != key_of()][0]


def note(name, **values):
    with open(f"{homes}/{name}/about") as file:
        about = json.load(file)
    about.update(values)
    with open(f"{homes}/{name}/about", "w") as file:
        json.dump(about, file)


with open(f"{homes}/{old}/about") as file:
    about = json.load(file)
check("what is written about a home", about["workspace"] == f"{work}/shop" and about["bytes"] >= 300000 and about["measured"] and "reach 1" in about["reach"], about)
note(old, used=int(time.time()) - 31 * 86400)
got = gc("--older-than", "40")
check("--older-than 40 keeps what was used 31 days ago", len(keys()) == 2, got)
got = gc()
check("gc removes it", keys() == [young] and f"{work}/shop\n" in got.stdout, got)
for bad in (["--older-than", "x"], ["--older-than", "-1"], ["--max-size", "1.5G"], ["--list", "--all"], ["--home", "kept"], ["word"]):
    got = gc(*bad)
    check(f"gc {' '.join(bad)} is refused with a fix", got.returncode == 2 and "fix:" in got.stderr, got)
kept("true")
note(young, used=int(time.time()) - 100)
got = gc("--max-size", "100K")
check("--max-size removes the least recently used first", keys() == [key_of()] and young in got.stdout, (got, keys()))
kept("true", cwd=f"{work}/shop2")
note(young, bytes=9 << 30, used=int(time.time()) - 100)
lock = os.open(f"{homes}/{young}/lock", os.O_RDWR)
fcntl.flock(lock, fcntl.LOCK_SH)
kept("true")
check("above the cap, one in use stays", len(keys()) == 2, keys())
os.close(lock)
kept("true")
check("above the cap, the least recently used goes at the end of a run", keys() == [key_of()], keys())


def on_terminal(*words):
    leader, follower = pty.openpty()
    done = subprocess.run([sandbox, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower, timeout=60)
    os.close(follower)
    said = b""
    try:
        while piece := os.read(leader, 4096):
            said += piece
    except OSError:
        pass
    os.close(leader)
    return done.returncode, said.decode()


code, said = on_terminal("--home", "kept", "--network", "loopback", "--", "/bin/true")
check("PE-16 a fresh home beside another one of the project is said on a terminal", code == 0 and "fresh home" in said and "gc --list" in said, said)
code, said = on_terminal("--home", "kept", "--network", "loopback", "--", "/bin/true")
check("once", code == 0 and "fresh home" not in said, said)
code, said = on_terminal("--quiet", "--home", "kept", "--network", "loopback", "--env", "FOO=2", "--", "/bin/true")
check("and not with --quiet", code == 0 and said == "", said)

check("the real home is as it was", tree_hash(real_home) == before)
subprocess.run(["chmod", "-R", "u+rwx", work])
shutil.rmtree(work)
shutil.rmtree(f"{real_home}/{mine}")
print(f"{failures} failed" if failures else "all held")
sys.exit(1 if failures else 0)
