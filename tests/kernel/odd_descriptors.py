#!/usr/bin/env python3
"""Descriptors and environments that a caller can leave to agent-sandbox, and what the command makes of
them. Every attack has its control: plain bubblewrap, where it succeeds.
Usage: odd_descriptors.py AGENT_SANDBOX WORK_FOLDER"""
import itertools
import os
import subprocess
import sys

SANDBOX, WORK = sys.argv[1:]
SHOP = WORK + "/shop"
SECRET = WORK + "/secret"  # outside of every view
PLAIN = ["bwrap", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--symlink", "usr/bin",
         "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc",
         "/proc", "--dev", "/dev", "--unshare-all", "--bind", SHOP, SHOP, "--chdir", SHOP, "--"]
failures = 0


def check(what, got, wanted):
    global failures
    if got == wanted:
        print("ok:", what)
    else:
        failures += 1
        print("not ok: %s: wanted %r, got %r" % (what, wanted, got))


def start(argv, prepare=None, env=None):
    """Runs argv after prepare() in the child; gives the exit code. Its streams are what prepare
    makes of ours, and every inheritable descriptor goes along."""
    pid = os.fork()
    if pid == 0:
        try:
            if prepare:
                prepare()
            os.execvpe(argv[0], argv, os.environ if env is None else env)
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def seen():
    """What the command wrote into the workspace, once."""
    try:
        with open(SHOP + "/seen") as file:
            text = file.read()
        os.remove(SHOP + "/seen")
        return text.strip()
    except FileNotFoundError:
        return None


def script(name, text):
    with open(SHOP + "/" + name, "w") as file:
        file.write(text)
    return ["/usr/bin/python3", SHOP + "/" + name]


def closed_streams():
    look = script("look.py", """
import os, stat
def kind(fd):
    try: mode = os.fstat(fd).st_mode
    except OSError: return "closed"
    null = stat.S_ISCHR(mode) and os.fstat(fd).st_rdev == os.makedev(1, 3)
    return "null" if null else "pipe" if stat.S_ISFIFO(mode) else "other"
words = [kind(0), kind(1), kind(2)] + [str(fd) for fd in range(3, 1024) if kind(fd) != "closed"]
open("seen", "w").write(" ".join(words))
""")
    for count in range(4):
        for closed in itertools.combinations(range(3), count):
            reader, writer = os.pipe()

            def prepare():
                os.chdir(SHOP)
                for fd in range(3):
                    if fd in closed:
                        os.close(fd)
                    else:
                        os.dup2(reader if fd == 0 else writer, fd)

            code = start([SANDBOX, "--"] + look, prepare)
            os.close(reader)
            os.close(writer)
            wanted = " ".join("null" if fd in closed else "pipe" for fd in range(3))
            check("closed: %s: the command has %s" % (list(closed), wanted), (code, seen()),
                  (0, wanted))


def inherited():
    """TT-06"""
    attempt = script("inherited.py", """
import errno, os
found = set()
for fd in range(3, 256):
    try: found.add(os.pread(fd, 20, 0).decode().strip())
    except OSError as error: found.add(errno.errorcode[error.errno])
open("seen", "w").write(" ".join(sorted(found)))
""")

    def prepare():
        os.chdir(SHOP)
        secret = os.open(SECRET, os.O_RDONLY)
        for fd in range(3, 201):
            if fd != secret:
                os.dup2(secret, fd)
            os.set_inheritable(fd, True)

    check("TT-06 control: bubblewrap hands inherited descriptors in",
          (start(PLAIN + attempt, prepare), "canary" in (seen() or "")), (0, True))
    check("TT-06 none of 198 inherited descriptors is there",
          (start([SANDBOX, "--"] + attempt, prepare), seen()), (0, "EBADF"))


def places():
    """TT-07"""
    # Not Python, which does not start with a folder as its input.
    attempt = ["/bin/sh", "-c", "cp /proc/self/fd/$0%s seen" % SECRET]

    for number, flags in itertools.product(range(3), (os.O_RDONLY, os.O_PATH)):
        def prepare():
            os.chdir(SHOP)
            os.dup2(os.open(WORK + "/err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            os.dup2(os.open("/", flags | os.O_DIRECTORY), number)

        what = "descriptor %d is a folder opened with %s" % (
            number, "O_PATH" if flags == os.O_PATH else "O_RDONLY")
        number_word = [str(number)]
        check("TT-07 control: " + what, (start(PLAIN + attempt + number_word, prepare), seen()),
              (0, "canary"))
        code = start([SANDBOX, "--"] + attempt + number_word, prepare)
        said = open(WORK + "/err").read()
        explained = number == 2 or "cause: stream-is-place: " in said
        check("TT-07 refused: " + what, (code, seen(), explained), (125, None, True))


ATTEMPTS = """
import errno, os, stat, sys
def attempt(name, call):
    try: answer = call()
    except OSError as error: answer = errno.errorcode[error.errno]
    words.append("%s:%s" % (name, answer))
def again(fd, flags):
    opened = os.open("/proc/self/fd/%d" % fd, flags | os.O_NONBLOCK)
    mode = os.fstat(opened).st_mode
    os.write(opened, b"forged")
    return "file" if stat.S_ISREG(mode) else "pipe" if stat.S_ISFIFO(mode) else "other"
words = []
fd = int(sys.argv[1])
"""


def standard_output():
    """TT-08"""
    attempt = script("output.py", ATTEMPTS + """
attempt("lseek", lambda: os.lseek(1, 0, os.SEEK_SET))
attempt("ftruncate", lambda: os.ftruncate(1, 0))
attempt("pwrite", lambda: os.pwrite(1, b"forged", 0))
attempt("reopen", lambda: again(1, os.O_WRONLY | os.O_TRUNC))
open("seen", "w").write(" ".join(words))
""") + ["1"]
    log = WORK + "/log"

    def prepare():
        os.chdir(SHOP)
        os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), 1)

    def tried(argv):
        with open(log, "w") as file:
            file.write("earlier line\n")
        code = start(argv, prepare)
        with open(log) as file:
            return code, seen(), file.read().startswith("earlier line\n")

    check("TT-08 control: bubblewrap lets the command erase the log", tried(PLAIN + attempt),
          (0, "lseek:0 ftruncate:None pwrite:6 reopen:file", False))
    check("TT-08 a log on standard output keeps its lines", tried([SANDBOX, "--"] + attempt),
          (0, "lseek:ESPIPE ftruncate:EINVAL pwrite:ESPIPE reopen:pipe", True))


def standard_input():
    attempt = script("input.py", ATTEMPTS + """
attempt("lseek", lambda: os.lseek(0, 3, os.SEEK_SET))
attempt("reopen", lambda: again(0, os.O_RDWR))
open("seen", "w").write(" ".join(words))
""") + ["0"]
    data = WORK + "/input"

    def prepare():
        os.chdir(SHOP)
        os.dup2(os.open(data, os.O_RDONLY), 0)

    def tried(argv):
        with open(data, "w") as file:
            file.write("original input\n")
        code = start(argv, prepare)
        with open(data) as file:
            return code, seen(), file.read()

    check("control: bubblewrap lets the command write the file on standard input",
          tried(PLAIN + attempt), (0, "lseek:3 reopen:file", "forgedal input\n"))
    check("a file on standard input cannot be written through it", tried([SANDBOX, "--"] + attempt),
          (0, "lseek:ESPIPE reopen:pipe", "original input\n"))
    code = start([SANDBOX, "--", "/bin/sh", "-c", "cat >seen"], prepare)
    check("a file on standard input arrives", (code, seen()), (0, "original input"))


def environment():
    def count(variables, options, command):
        env = dict(os.environ, **variables)
        done = subprocess.run([SANDBOX] + options + ["--"] + command, env=env, cwd=SHOP,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode().strip()

    many = {"MANY_%05d" % number: "" for number in range(100_000)}
    check("a hundred thousand variables, none of them asked for",
          count(many, [], ["/bin/sh", "-c", "env | grep -c ^MANY_"]), (1, "0"))
    check("a hundred thousand variables, all of them asked for",
          count(many, ["--env", "MANY_*"], ["/bin/sh", "-c", "env | grep -c ^MANY_"]),
          (0, "100000"))
    longest = 131072 - len("LONG=") - 1  # what the kernel takes: MAX_ARG_STRLEN
    check("a variable of 128 KiB", count({"LONG": "x" * longest}, ["--env", "LONG"],
                                         ["/bin/sh", "-c", "echo ${#LONG}"]), (0, str(longest)))


with open(SECRET, "w") as secret_file:
    secret_file.write("canary\n")
for test in (closed_streams, inherited, places, standard_output, standard_input, environment):
    test()
sys.exit(1 if failures else 0)
