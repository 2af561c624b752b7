#!/usr/bin/env python3
"""Types README's first block at the prompt of a new user, line by line, as a person would: the next
line when the prompt is back. Each line must end with 0. The last one is a contained shell; there and
at the user's own prompt the same lines are typed, and only the walls may make the difference.

Usage: typist.py README COMMAND...      COMMAND starts that user's interactive bash
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

PATIENCE = 900  # seconds for one line; downloads and the build are among them
OWN_PROMPT = re.compile(rb"\[(?P<status>\d+)\] dev@[^\n]*\$ $")
INNER_PROMPT = re.compile(rb"(?<!\] )dev@agent-sandbox:[^\n]*\$ $")
ANY_PROMPT = re.compile(OWN_PROMPT.pattern + b"|" + INNER_PROMPT.pattern)
MORE_PROMPT = re.compile(rb"\n> $")
failures = 0


def check(what, good, seen=""):
    global failures
    if good:
        print("ok:", what, flush=True)
    else:
        failures += 1
        print(f"not ok: {what}: {seen!r}", flush=True)


def first_block(readme):
    """The lines of the first fenced block, whatever it is."""
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    return re.search(r"^```[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1).splitlines()


class Terminal:
    def __init__(self, argv):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvp(argv[0], argv)
        # Wide, so that no typed line is broken.
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))

    def wait_for(self, prompt):
        """What came before the prompt, and its match."""
        seen = b""
        end = time.monotonic() + PATIENCE
        while not (found := prompt.search(seen)):
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                raise SystemExit(f"no prompt after {PATIENCE} s:\n{seen[-3000:].decode(errors='replace')}")
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # EIO: nobody has the other end
                piece = b""
            if not piece:
                raise SystemExit(f"the shell is gone:\n{seen[-3000:].decode(errors='replace')}")
            seen += piece.replace(b"\r", b"")
        return seen[: found.start()].decode(errors="replace"), found

    def type(self, line, prompt=OWN_PROMPT):
        os.write(self.master, line.encode() + b"\n")
        output, found = self.wait_for(prompt)
        return output.partition("\n")[2].strip(), found  # without the echo

    def end(self):
        os.write(self.master, b"exit\n")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def type_block(terminal, lines):
    """All lines but the last at the user's own prompt, each with its time; then the contained shell."""
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        begin = time.monotonic()
        output, found = terminal.type(line, MORE_PROMPT if line.endswith("\\") else ANY_PROMPT)
        print(f"typed: {line}   ({time.monotonic() - begin:.0f} s)", flush=True)
        status = found.groupdict().get("status")
        if status not in (None, b"0") or last != bool(INNER_PROMPT.search(found.group(0))):
            raise SystemExit(f"not ok: it ended with {status}:\n{output[-3000:]}")


# What is typed at both prompts: line, what the user sees, what the contained shell sees.
ATTEMPTS = [
    ("cat ~/.ssh/id_ed25519", "canary", "cat: /home/dev/.ssh/id_ed25519: No such file or directory"),
    ("cat ~/notes.txt", "canary", "cat: /home/dev/notes.txt: No such file or directory"),
    ("sudo -n apt-get --version >/dev/null 2>&1 && echo root || echo no", "root", "no"),
    ("tail -n +3 /proc/net/dev | cut -d: -f1 | grep -vx ' *lo' | wc -l | sed 's/[1-9].*/some/'", "some", "0"),
    ("id -un; pwd", "dev\n/home/dev/agent-sandbox", "dev\n/home/dev/agent-sandbox"),
]


def main():
    lines = first_block(sys.argv[1])
    terminal = Terminal(sys.argv[2:])
    terminal.wait_for(OWN_PROMPT)
    type_block(terminal, lines)

    inside = {line: terminal.type(line, INNER_PROMPT)[0] for line, _, _ in ATTEMPTS}
    terminal.type("echo from-inside >written; echo from-inside >~/kept", INNER_PROMPT)
    _, found = terminal.type("exit 7")
    check("the exit code of the contained shell is kept", found["status"] == b"7", found.group(0))

    for line, own, contained in ATTEMPTS:
        check(f"inside: {line}", inside[line] == contained, inside[line])
        seen = terminal.type(line)[0]
        check(f"control, outside: {line}", seen == own, seen)
    seen = terminal.type("cat written")[0]
    check("the workspace is the user's own folder", seen == "from-inside", seen)
    seen = terminal.type("cat ~/kept")[0]
    check("the home was another one", seen == "cat: /home/dev/kept: No such file or directory", seen)
    seen = terminal.type("command -v agent-sandbox")[0]
    check("installed under the home", seen == "/home/dev/.local/bin/agent-sandbox", seen)
    terminal.end()
    if failures:
        raise SystemExit(f"{failures} failed")


main()
