"""A small world for a test: a root folder in which everything that can be written is scratch.

The programs of the host are there, read-only. The home folder, /etc, /root, /var, /run, /tmp and
/dev/shm are the test's own; /etc is a copy of what the caller may read, so the password database stays
true. A command that deletes all it can delete there deletes scratch, whatever the sandbox around
it does.
"""
import json, os, pwd, shutil, subprocess, sys, tempfile

PROGRAMS = "/programs"  # agent-sandbox and agent-sandbox-init
TREE = "/tree"  # of this repository, what a test reads
HOME = pwd.getpwuid(os.getuid()).pw_dir
STATE = f"{HOME}/.local/state/agent-sandbox"
MARK = "/small-world"
SOFTWARE = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix", "gnu")
NOT_NEEDED = ("share", "include", "src", "games")  # of /usr: most of its files
OWN = {"etc": "/etc", "root": "/root", "var": "/var", "run": "/run", "tmp": "/tmp", "mnt": "/mnt",
       "lost+found": "/lost+found", "shm": "/dev/shm", "home": HOME}
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VAR = ("tmp", "lib", "log", "spool", "cache")


def words_of(key):
    """What a setting can be, says the schema of policies."""
    with open(f"{TREE if is_here() else _ROOT}/docs/reference/policy.schema.json", encoding="utf-8") as file:
        return json.load(file)["properties"][key]["enum"]


def is_here():
    """Whether this process lives in such a world: nothing may be destroyed where it does not."""
    return os.path.exists(MARK) and os.statvfs("/").f_flag & os.ST_RDONLY != 0


def _fill(scratch, sandbox):
    for name in OWN:
        if name != "etc":
            os.mkdir(f"{scratch}/{name}")
    for name in VAR:
        os.mkdir(f"{scratch}/var/{name}")
    for name in ("run", "lock"):
        os.symlink("/run" if name == "run" else "/run/lock", f"{scratch}/var/{name}")
    try:
        shutil.copytree("/etc", f"{scratch}/etc", symlinks=True)
    except shutil.Error:
        pass  # what the caller may not read
    os.mkdir(f"{scratch}/programs")
    for name in ("agent-sandbox", "agent-sandbox-init"):
        shutil.copy2(os.path.join(os.path.dirname(sandbox), name), f"{scratch}/programs/{name}")


def _command(scratch):
    words = ["/usr/bin/bwrap", "--unshare-pid", "--die-with-parent", "--ro-bind", "/sys", "/sys",
             "--proc", "/proc", "--dev-bind", "/dev", "/dev"]
    for name in [*SOFTWARE, *(f"usr/{name}" for name in sorted(os.listdir("/usr")) if name not in NOT_NEEDED)]:
        if os.path.islink(f"/{name}"):
            words += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif os.path.isdir(f"/{name}"):
            words += ["--ro-bind", f"/{name}", f"/{name}"]
    for name, place in OWN.items():
        words += ["--bind", f"{scratch}/{name}", place]
    words += ["--ro-bind", f"{scratch}/programs", PROGRAMS, "--dir", MARK]
    for name in ("tests", "data", "docs"):
        words += ["--ro-bind", f"{_ROOT}/{name}", f"{TREE}/{name}"]
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        words += ["--unsetenv", name]
    return [*words, "--setenv", "HOME", HOME, "--setenv", "PATH", "/usr/bin:/bin", "--remount-ro", "/",
            "--chdir", "/tmp"]


def remove(path):
    """A folder with everything in it, also what its owner may not look into; or a file."""
    if not os.path.isdir(path) or os.path.islink(path):
        os.unlink(path)
        return
    for folder, names, _ in os.walk(path):
        for name in names:
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o700)
    shutil.rmtree(path)


def start(scratch, script, sandbox, *words, stdout=None):
    """Starts this script of tests/kernel in a world that is made in `scratch`, an empty folder."""
    _fill(scratch, sandbox)
    return subprocess.Popen([*_command(scratch), sys.executable, "-B", f"{TREE}/tests/kernel/{script}",
                             f"{PROGRAMS}/agent-sandbox", *words], stdin=subprocess.DEVNULL, stdout=stdout)


def enter(script, sandbox, *words):
    """Runs the script in a world of its own and ends as it does; returns only inside."""
    if os.getuid() == 0:
        sys.exit("this test needs an ordinary user: root hides mistakes")
    if is_here():
        return
    scratch = tempfile.mkdtemp(prefix="asb-world-")
    try:
        code = start(scratch, os.path.basename(script), os.path.abspath(sandbox), *words).wait()
    finally:
        remove(scratch)
    sys.exit(code)


def own_folders():
    """The product's own places at their usual paths, which its floor covers."""
    for folder in (f"{HOME}/.config/agent-sandbox", STATE):
        os.makedirs(folder, exist_ok=True)
