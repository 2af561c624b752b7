"""The processes of one run, found in /proc from outside. No pid is believed without its start time."""

import os
import signal

from bench import Failed, expect, wait


class Process:
    def __init__(self, pid, name, fields, line):
        self.pid, self.name, self.line = pid, name, line
        self.state = fields[0]
        self.parent, self.group, self.session, self.terminal, self.front = map(int, fields[1:6])
        self.ticks = int(fields[11]) + int(fields[12])  # of processor time, 100 a second
        self.started = int(fields[19])

    def lives(self):
        now = look(self.pid)
        return now is not None and now.started == self.started and now.state not in "ZX"

    def now(self):
        """The same process as it is now; fails when it has ended."""
        expect(self.lives(), "%s is alive" % self)
        return look(self.pid)

    def kill(self, number=signal.SIGKILL):
        expect(self.lives(), "%s is alive" % self)
        os.kill(self.pid, number)

    def status(self, field):
        """A number of /proc/PID/status; sizes are in kB."""
        with open("/proc/%d/status" % self.pid) as file:
            for text in file:
                if text.startswith(field + ":"):
                    return int(text.split()[1])
        raise Failed("no %s of %s" % (field, self))

    def has(self, word):
        return any(word in part for part in self.line)

    def __str__(self):
        return "%d %s [%s] %s" % (self.pid, self.name, self.state, " ".join(self.line))


def look(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            text = file.read()
        with open("/proc/%d/cmdline" % pid, errors="replace") as file:
            line = file.read().split("\0")[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return None
    name = text[text.index("(") + 1:text.rindex(")")]
    return Process(pid, name, text[text.rindex(")") + 2:].split(), line)


def everything():
    found = (look(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [process for process in found if process is not None and process.state not in "ZX"]


def below(pid):
    """The process and all its descendants, wherever they think they are."""
    processes = everything()
    tree = [process for process in processes if process.pid == pid]
    for parent in tree:
        tree += [process for process in processes if process.parent == parent.pid]
    return tree


def with_mark(mark):
    """Every living process of this machine with a mark of ours on its line, whoever its parent."""
    return [process for process in everything() if process.has(mark)]


class Run:
    """A run among the processes `tree` that has `word` on its line."""

    def __init__(self, tree, word):
        def is_ours(process):
            return process.line and os.path.basename(process.line[0]) == "agent-sandbox"

        # Children have the same line until they become something else.
        ours = [process for process in tree if is_ours(process)]
        tops = [process for process in ours if process.has(word) and
                not any(other.pid == process.parent for other in ours)]
        self.supervisor = tops[0] if len(tops) == 1 else None
        self.all = below(self.supervisor.pid) if self.supervisor else []
        self.engine = self._named("bwrap")
        self.init = self._named("agent-sandbox-i")
        self.guardian = self._named("asb-guardian")
        # What runs inside: the command and everything it started.
        own = (self.supervisor, self.engine, self.init, self.guardian)
        self.inside = [process for process in self.all if self.init and process.pid not in
                       [other.pid for other in own if other]]
        self.command = next((process for process in self.inside if process.parent == self.init.pid), None)

    def _named(self, name):
        return next((process for process in self.all if process.name == name), None)

    def left(self):
        return [process for process in self.all if process.lives()]


def running(where, word, *, count=1):
    """Waits until a run with `word` on its line is up below `where`, a pane or a terminal, and as many
    of its processes as `count` have the word; gives the run."""
    def find():
        run = Run(below(where.pid), word)
        executed = [process for process in run.inside if process.has(word)]
        return run if run.command and len(executed) >= count else None

    return wait(find, lambda: "a run with %s among:\n%s" % (word, "\n".join(map(str, below(where.pid)))))


def wait_gone(run, seconds, what):
    wait(lambda: not run.left(), lambda: "%s: %s" % (what, "; ".join(map(str, run.left()))), seconds)
