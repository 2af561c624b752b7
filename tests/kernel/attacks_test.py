#!/usr/bin/python3
"""What a fresh mind that was told to break in has found, each with its control.

Usage: attacks_test.py AGENT_SANDBOX
"""
import ctypes, os, subprocess, sys, tempfile, threading, time

import attack_frame
from attack_frame import check, python, sh

sandbox = os.path.abspath(sys.argv[1])
attack_frame.need_ordinary_user()

work = tempfile.mkdtemp()
shop = os.path.join(work, "shop")
for folder in ("shop", "config/agent-sandbox", "state/agent-sandbox"):
    os.makedirs(os.path.join(work, folder))
os.environ.update(XDG_CONFIG_HOME=f"{work}/config", XDG_STATE_HOME=f"{work}/state", S=sandbox, W=work)
os.chdir(shop)
BARE = ("/usr/bin/bwrap --unshare-user --unshare-pid --die-with-parent --ro-bind / / "
        f"--dev /dev --proc /proc --bind {shop} {shop} ")

# --- TT-07: a pipe can be opened anew, in the other direction ------------------------------------
# A host shell reads its script from a pipe, as in `curl … | sh`, and starts the command in it.
WRITE_TO_STDIN = "import os; os.write(os.open('/proc/self/fd/0', os.O_WRONLY), b'touch $W/planted\\n')"


def script_from_pipe(launcher):
    with open(f"{work}/inject.py", "w") as file:
        file.write(WRITE_TO_STDIN)
    os.replace(f"{work}/inject.py", f"{shop}/inject.py")
    shell = subprocess.Popen(["/bin/bash"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shell.stdin.write(f"{launcher} /usr/bin/python3 {shop}/inject.py\n".encode())
    shell.stdin.flush()
    time.sleep(1)
    try:
        shell.stdin.close()
    except BrokenPipeError:
        pass
    shell.wait(timeout=30)
    planted = os.path.exists(f"{work}/planted")
    if planted:
        os.unlink(f"{work}/planted")
    return planted


check("TT-07 control: with a bare pipe the host's shell runs what the command writes", script_from_pipe(BARE))
check("TT-07 a script that the host reads from a pipe cannot be extended", not script_from_pipe(sandbox))

STEAL = ("import os; fd = os.open('/proc/self/fd/1', os.O_RDONLY | os.O_NONBLOCK)\n"
         "try: os.write(2, os.read(fd, 100))\nexcept BlockingIOError: pass")
for name, launcher, stolen in (("control: bare", BARE, True), ("TT-08", sandbox, False)):
    got = sh(f"(echo secret; {launcher} /usr/bin/python3 -c \"{STEAL}\") | (sleep 1; cat)")
    check(f"{name}: what others wrote into the shared pipe is {'' if stolen else 'not '}read", ("secret" in got.stderr) == stolen, got.stderr)

os.mkfifo(f"{work}/fifo", 0o600)
CHMOD = "import os; os.fchmod(0, 0o666)"
for name, launcher, changed in (("control: bare", BARE, True), ("TT-07", sandbox, False)):
    sh(f"sleep 2 >$W/fifo & {launcher} /usr/bin/python3 -c '{CHMOD}' <$W/fifo; wait")
    mode = os.stat(f"{work}/fifo").st_mode & 0o777
    check(f"{name}: the mode of a named pipe outside is {'' if changed else 'not '}changed", (mode == 0o666) == changed, oct(mode))
    os.chmod(f"{work}/fifo", 0o600)

# --- watches, terminals: what all sandboxes and the host share -------------------------------------
COUNT = """
import ctypes, os
libc, fds, most = ctypes.CDLL(None, use_errno=True), [], %d
def one():
    fd = %s
    if fd < 0: raise OSError(ctypes.get_errno(), "")
    fds.append(fd)
try:
    while len(fds) < most: one()
    print(len(fds), 0)
except OSError as e: print(len(fds), e.errno)
"""
watches = COUNT % (100, "libc.inotify_init1(0)")
out = subprocess.run(python(watches), capture_output=True, text=True).stdout.split()
check("PR-28 control: outside a program has more than 64 sets of watches", int(out[0]) > 64, out)
out = subprocess.run([sandbox, *python(watches)], capture_output=True, text=True).stdout.split()
check("PR-28 at most 64 sets of watches inside: EMFILE", out == ["64", "24"], out)
terminals = COUNT % (400, "os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)")
out = subprocess.run(python(terminals), capture_output=True, text=True).stdout.split()
check("PR-28 control: outside a program opens 400 terminals", out == ["400", "0"], out)
out = subprocess.run([sandbox, *python(terminals)], capture_output=True, text=True).stdout.split()
check("PR-28 at most 256 terminals inside: ENOSPC", out == ["256", "28"], out)

# --- LC: ends that others hold, readers that do not read, disks that are full --------------------
SEND = f"import array, socket, sys; s = socket.socket(socket.AF_UNIX); s.connect('{shop}/sock'); s.sendmsg([b'x'], [(1, 1, array.array('i', [1]))]); print('sent')"
HOLD = (f"import socket, time; l = socket.socket(socket.AF_UNIX); l.bind('{shop}/sock'); l.listen(); print('up', flush=True)\n"
        "c, _ = l.accept(); c.recvmsg(1, 100); time.sleep(15)")
holder = subprocess.Popen([sandbox, *python(HOLD)], stdout=subprocess.PIPE)
holder.stdout.readline()
began = time.monotonic()
with open(f"{work}/out", "w") as out:
    code = subprocess.run([sandbox, *python(SEND)], stdout=out, timeout=30).returncode
took = time.monotonic() - began
check("LC-18 a run ends although another one holds its output open", code == 0 and took < 5 and holder.poll() is None, (code, took))
check("LC-18 and everything it wrote has arrived", open(f"{work}/out").read() == "sent\n")
holder.kill()
holder.wait()

read_end, write_end = os.pipe()
blocked = subprocess.Popen([sandbox, "--tty", "--", "/usr/bin/yes"], stdin=subprocess.DEVNULL, stdout=write_end, stderr=subprocess.DEVNULL)
time.sleep(1.5)
blocked.terminate()
try:
    blocked.wait(timeout=5)
    check("LC-18 output that nobody reads does not make it deaf to SIGTERM", True)
except subprocess.TimeoutExpired:
    check("LC-18 output that nobody reads does not make it deaf to SIGTERM", False)
    blocked.kill()
    blocked.wait()
os.close(read_end)
os.close(write_end)

os.mkdir(f"{work}/small")
got = sh("unshare -U --map-current-user --keep-caps -m /bin/bash -c 'mount -t tmpfs -o size=4k none $W/small && "
         "head -c 4096 /dev/zero >$W/small/fill && $S -- /bin/echo important >$W/small/log; echo code $?'")
check("LC-14 output that a full disk refuses is said, and the exit code is not 0",
      "code 1" in got.stdout and "No space left on device" in got.stderr, got)

# A path of 1,100 passages with the usual limit on open files.
for i in range(1100):
    os.makedirs(f"{shop}/d{i}/sub")
rules = [word for i in range(1100) for word in ("--hide", f"d{i}", "--ro", f"d{i}/sub")]
got = subprocess.run(["/bin/bash", "-c", 'ulimit -n 1024; exec "$@"', "x", sandbox, *rules, "--", "/bin/ls", f"{shop}/d1099"],
                     capture_output=True, text=True)
check("LC-13 1,100 passages fit into 1,024 descriptors", got.stdout == "sub\n", got.stderr[:300])

# --- LC-12: a granted folder and a link to credentials change places, over and over --------------
home_ssh = os.path.expanduser(f"~/.ssh-{os.getpid()}")  # hidden by rule, whatever its name
os.mkdir(home_ssh)
with open(f"{home_ssh}/id", "w") as file:
    file.write("canary")
os.makedirs(f"{work}/swap/data")
with open(f"{work}/swap/data/id", "w") as file:
    file.write("plain")
os.symlink(home_ssh, f"{work}/swap/link")
libc, stop = ctypes.CDLL(None), threading.Event()


def swap():
    a, b = f"{work}/swap/data".encode(), f"{work}/swap/link".encode()
    while not stop.is_set():
        libc.renameat2(-100, a, -100, b, 2)  # RENAME_EXCHANGE


def swapped_runs(command, runs):
    seen = {"plain": 0, "canary": 0, "refused": 0}
    for _ in range(runs):
        got = subprocess.run(command, capture_output=True, text=True)
        seen[got.stdout if got.stdout in seen else "refused"] += 1
    return seen


swapper = threading.Thread(target=swap)
swapper.start()
bare = swapped_runs(f"/usr/bin/bwrap --ro-bind / / --tmpfs {home_ssh} --ro-bind {work}/swap/data /mnt cat /mnt/id".split(), 60)
seen = swapped_runs([sandbox, "--hide", home_ssh, "--ro", f"{work}/swap/data", "--", "/bin/cat", f"{work}/swap/data/id"], 200)
stop.set()
swapper.join()
check(f"LC-12 control: a bind by name mounts what the link leads to ({bare})", bare["canary"] > 0, bare)
check(f"LC-12 never what the link leads to ({seen})", seen["canary"] == 0 and seen["plain"] > 0, seen)
subprocess.run(["rm", "-rf", home_ssh])

subprocess.run(["chmod", "-R", "u+rwx", work])
subprocess.run(["rm", "-rf", work])
attack_frame.finish()
