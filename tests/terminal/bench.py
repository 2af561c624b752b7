"""What the terminal tests share: cases with names, waiting with a deadline, a tmux server of their own.

A case is a function with a sentence as its name; it gets a fresh pane with bash in it. Nothing here
waits for a fixed time: every wait is for a condition, and running out of time fails with what was
waited for and with the screen.

Usage of every test: NAME_test.py AGENT_SANDBOX [PROBE] [--only WORD] [--repeat N] [--sanitized]
"""

import argparse
import contextlib
import fcntl
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

PATIENCE = 20.0  # s; for a slow machine, never for a pass
PROBE_NAME = "tty_probe"


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


def wait(condition, what, seconds=PATIENCE):
    """The first true answer of `condition`; fails after `seconds`. `what` may be a function."""
    end = time.monotonic() + seconds
    pause = 0.005
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed("waited %g s for: %s" % (seconds, what() if callable(what) else what))
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def read(path):
    try:
        with open(path, errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Server:
    """tmux with its own socket and without anybody's configuration."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment
        self.socket = os.path.join(folder, "tmux")
        self.windows = 0
        self("new-session", "-d", "-x", "80", "-y", "24", "sleep", "3600")
        for option, value in (
            ("default-terminal", "screen-256color"),
            ("default-size", "80x24"),
            ("escape-time", "0"),
            ("set-clipboard", "on"),
            ("allow-passthrough", "on"),
            ("history-limit", "5000"),
        ):
            self("set-option", "-g", option, value)

    def __call__(self, *arguments):
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *arguments],
            env=self.environment, capture_output=True, check=False)
        if done.returncode != 0:
            raise Failed("tmux %s: %s" % (" ".join(arguments), done.stderr.decode().strip()))
        return done.stdout.decode(errors="replace")

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


class Pane:
    """A window of the server with an interactive bash. Every prompt leaves the exit code before it."""

    def __init__(self, server, workspace, *, shell="bash", term="screen-256color", command=None):
        self.server = server
        self.workspace = workspace
        server.windows += 1
        self.codes = os.path.join(server.folder, "codes.%d" % server.windows)
        self.seen = 0
        note = "echo $? >>%s" % shlex.quote(self.codes)
        shells = {
            "bash": ["PS1=> ", "PROMPT_COMMAND=" + note, "bash", "--norc", "--noprofile", "-i"],
            # No line editing and no care for the terminal: what a job leaves behind stays.
            "dash": ["PS1=$(%s)> " % note, "dash", "-i"],
        }
        created = server(
            "new-window", "-d", "-P", "-F", "#{pane_id} #{pane_tty} #{pane_pid}", "-c", workspace,
            "env", "TERM=" + term, "HISTFILE=", *(command or shells[shell]))
        self.id, self.tty, pid = created.split()
        self.pid = int(pid)
        if not command:
            self.prompt()

    def path(self, name):
        return os.path.join(self.workspace, name)

    def type(self, text):
        self.server("send-keys", "-t", self.id, "-l", "--", text)

    def key(self, *names):
        self.server("send-keys", "-t", self.id, *names)

    def start(self, command):
        """Types a command and Enter."""
        self.type(command)
        self.key("Enter")

    def prompt(self):
        """Waits until the shell prompts once more; gives the exit code before that."""
        self.seen += 1

        def lines():
            return read(self.codes).count("\n") >= self.seen

        wait(lines, lambda: "prompt number %d, on this screen:\n%s" % (self.seen, self.screen()))
        return int(read(self.codes).split()[self.seen - 1])

    def prompts(self):
        """How many more prompts there were than were waited for."""
        return read(self.codes).count("\n") - self.seen

    def run(self, command):
        self.start(command)
        return self.prompt()

    def expect_prompt(self, wanted):
        code = self.prompt()
        expect(code == wanted, "exit code %d, not %d" % (code, wanted))

    def expect_run(self, wanted, command):
        self.start(command)
        self.expect_prompt(wanted)

    def screen(self, *, history=False):
        return self.server("capture-pane", "-p", "-t", self.id, *(("-S", "-") if history else ()))

    def see(self, pattern, *, seconds=PATIENCE):
        """Waits until a line matches all of `pattern`, blanks at its end apart."""
        regex = re.compile(pattern)

        def found():
            return any(regex.fullmatch(line.rstrip()) for line in self.screen().splitlines())

        wait(found, lambda: "line /%s/ on this screen:\n%s" % (pattern, self.screen()), seconds)

    def shows(self, pattern):
        regex = re.compile(pattern)
        return any(regex.fullmatch(line.rstrip()) for line in self.screen(history=True).splitlines())

    def ask(self, format_text):
        return self.server("display-message", "-p", "-t", self.id, format_text).rstrip("\n")

    def resize(self, columns, rows):
        """tmux tells the terminal a moment later; this waits for it."""
        self.server("resize-window", "-t", self.id, "-x", str(columns), "-y", str(rows))
        wait(lambda: self.size() == (rows, columns), lambda: "the size %d, %d: %s" % (rows, columns, self.size()))

    def size(self):
        """Of the pane's terminal, from outside: rows, columns."""
        with self.opened() as fd:
            return struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))[:2]

    def close(self):
        self.server("kill-pane", "-t", self.id)

    def settings(self):
        """Of the pane's terminal, from outside."""
        with self.opened() as fd:
            return termios.tcgetattr(fd)

    @contextlib.contextmanager
    def opened(self):
        fd = os.open(self.tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            yield fd
        finally:
            os.close(fd)

    def is_raw(self):
        return not self.settings()[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def wait_raw(self):
        wait(self.is_raw, lambda: "every key to go to the command, on this screen:\n" + self.screen())

    def stty(self):
        """What the person's own `stty -a` says at the prompt."""
        file = self.path("stty.out")
        expect(self.run("stty -a >stty.out") == 0, "stty")
        return read(file)


class Bench:
    """Server, scratch folders and the programs under test; runs the cases one by one."""

    def __init__(self, arguments):
        self.sandbox = os.path.abspath(arguments.sandbox)
        self.probe = arguments.probe and os.path.abspath(arguments.probe)
        self.sanitized = arguments.sanitized
        self.folder = tempfile.mkdtemp(prefix="asb-term.")
        self.workspace = os.path.join(self.folder, "ws")
        for name in ("config/agent-sandbox", "state/agent-sandbox", "programs", "ws"):
            os.makedirs(os.path.join(self.folder, name))
        # The name that people type, and beside it what belongs to it.
        for name in ("agent-sandbox", "agent-sandbox-init"):
            shutil.copy(os.path.join(os.path.dirname(self.sandbox), name), os.path.join(self.folder, "programs"))
        self.sandbox = os.path.join(self.folder, "programs", "agent-sandbox")
        if self.probe:
            shutil.copy(self.probe, os.path.join(self.workspace, PROBE_NAME))
        self.environment = {
            "PATH": os.path.join(self.folder, "programs") + ":/usr/local/bin:/usr/bin:/bin",
            "HOME": self.folder, "LANG": "C.UTF-8", "TERM": "screen-256color", "SHELL": "/bin/bash",
            "XDG_CONFIG_HOME": os.path.join(self.folder, "config"),
            "XDG_STATE_HOME": os.path.join(self.folder, "state"),
        }
        for name, value in os.environ.items():  # sanitizers are told where their symbolizer is
            if name.endswith("SAN_OPTIONS"):
                self.environment[name] = value
        self.server = Server(self.folder, self.environment)
        self.marks = 0

    def pane(self, **how):
        return Pane(self.server, self.workspace, **how)

    def mark(self):
        """A number of seconds to sleep that no other process on this machine has on its line."""
        self.marks += 1
        return "%d.%d%04d" % (3000 + self.marks, os.getpid(), self.marks)

    def left(self):
        """Processes with one of these marks on their line."""
        marks = re.compile(rb"\b[34]\d{3}\.%d\d{4}\b" % os.getpid())
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open("/proc/%s/cmdline" % name, "rb") as file:
                if marks.search(file.read()):
                    found.append(int(name))
        return found

    def end(self):
        self.server.end()
        shutil.rmtree(self.folder, ignore_errors=True)


_cases = []


def case(name):
    """Declares a case: a function of the bench and a fresh pane."""
    def declare(function):
        _cases.append((name, function))
        return function
    return declare


def run_cases(bench, cases):
    failures = 0
    for name, function in cases:
        begin = time.monotonic()
        pane = None
        try:
            pane = bench.pane()
            function(bench, pane)
            print("ok: %s (%.1f s)" % (name, time.monotonic() - begin), flush=True)
        except Exception as problem:  # whatever it is, the other cases still run
            failures += 1
            print("not ok: %s: %s" % (name, problem))
            if not isinstance(problem, Failed):
                traceback.print_exc(file=sys.stdout)
            try:
                print("---- screen\n%s----" % pane.screen(history=True), flush=True)
            except Exception:
                pass
        finally:
            try:
                pane.close()
            except Exception:
                pass
            for file in os.listdir(bench.workspace):
                if file != PROBE_NAME:
                    path = os.path.join(bench.workspace, file)
                    shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    return failures


def main():
    if os.getuid() == 0:
        sys.exit("this test needs an ordinary user: root hides mistakes")
    parser = argparse.ArgumentParser()
    parser.add_argument("sandbox")
    parser.add_argument("probe", nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--sanitized", action="store_true", help="do not hold memory against its limits")
    arguments = parser.parse_args()
    os.umask(0o022)
    cases = [each for each in _cases if arguments.only in each[0] or arguments.only in each[1].__name__]
    if not cases:
        sys.exit("no such case")
    failures = 0
    begin = time.monotonic()
    bench = Bench(arguments)
    try:
        for _ in range(arguments.repeat):
            failures += run_cases(bench, cases)
        try:
            wait(lambda: not bench.left(), "the processes of all cases to end")
        except Failed as problem:
            failures += 1
            print("not ok: nothing is left of any run: %s: %s" % (problem, bench.left()))
            for pid in bench.left():
                os.kill(pid, signal.SIGKILL)
    finally:
        bench.end()
    print("%d cases, %d failed, %.1f s" % (len(cases), failures, time.monotonic() - begin))
    if failures:
        sys.exit(1)
