#!/usr/bin/python3
"""Attacks on the caller's terminal with its own system calls (TT-01 to TT-05). The command has a
terminal of its own; whatever it does to that, the caller's is as it was. Every attack is first made
without the sandbox, on a terminal that it then visibly changes."""

import glob
import os
import termios

from bench import case, expect, main, read, wait
from processes import look, running

LEGACY = read("/proc/sys/dev/tty/legacy_tiocsti").strip() != "0"  # also where there is no such switch


class State:
    """Of the caller's terminal, seen from outside."""

    def __init__(self, pane):
        settings = pane.settings()
        self.interrupt_key = settings[6][termios.VINTR]
        self.size = pane.size()
        self.flags = int(read("/proc/%d/fdinfo/0" % pane.pid).split("flags:")[1].split()[0], 8)
        self.front = look(pane.pid).front


def attack(pane, prefix, name):
    """Starts the probe, waits until it has made its attempts; gives its answers by (attempt, target)."""
    pane.start("%s./tty_probe %s" % (prefix, name))
    wait(lambda: "end - -" in read(pane.path(name)), "the probe's answers")
    lines = [line.split(" ", 2) for line in read(pane.path(name)).split("\n") if line]
    return {(attempt, target): answer for attempt, target, answer in lines}


def canaries(pane, name):
    """The attempts of the run `name` whose typing a shell has obeyed."""
    return sorted(path.rsplit(".", 1)[1] for path in glob.glob(pane.path(name + ".canary.*")))


@case("control: without a sandbox each attack reaches the terminal of the caller (TT-01 to TT-04)")
def control(bench, pane):
    before = State(pane)
    answers = attack(pane, "", "outside")
    during = State(pane)
    expect(answers["is", "name"] == pane.tty, "the probe has the pane's terminal")
    for attempt in ("settings", "size", "flags", "front"):
        expect(answers[attempt, "0"] == "done", "%s: %s" % (attempt, answers[attempt, "0"]))
    expect(during.interrupt_key == b"Q" and before.interrupt_key == b"\x03", "settings: %r" % during.interrupt_key)
    expect(during.size == (7, 77), "size: %s" % (during.size,))
    expect(during.flags & os.O_NONBLOCK and not before.flags & os.O_NONBLOCK, "flags: %o" % during.flags)
    expect(look(during.front).name == "tty_probe" and during.front != look(pane.pid).group, "front")
    open(pane.path("go"), "w").close()
    print("   legacy_tiocsti %s; TIOCSTI outside: %s, high bits: %s, int 0x80: %s, x32: %s" % (
        "on" if LEGACY else "off", answers["type", "0"], answers["type-high-bits", "0"],
        answers.get(("type-int80", "0")), answers.get(("type-x32", "0"))))
    if LEGACY:
        # What was typed is a command line for the shell of the pane.
        for attempt in ("type", "type-high-bits", "type-int80"):
            if answers.get((attempt, "0")) == "done":
                wait(lambda: attempt in canaries(pane, "outside"), "the shell to obey " + attempt)
        for attempt in ("type", "type-high-bits"):
            expect(attempt in canaries(pane, "outside"), "%s works" % attempt)
    else:
        expect(answers["type", "0"] == "EIO", "TIOCSTI: " + answers["type", "0"])


@case("TIOCSTI, plain, with high bits, by int 0x80 and x32: the shell outside gets nothing (TT-01, TT-02)")
def inject(bench, pane):
    answers = attack(pane, "agent-sandbox ", "inside")
    print("   TIOCSTI inside: %s, high bits: %s, int 0x80: %s, x32: %s" % (
        answers["type", "0"], answers["type-high-bits", "0"],
        answers.get(("type-int80", "0")), answers.get(("type-x32", "0"))))
    open(pane.path("go"), "w").close()
    pane.expect_prompt(0)
    pane.expect_run(0, "true")  # whatever lay in the terminal's input would come first
    expect(canaries(pane, "inside") == [], "the shell got: %s" % canaries(pane, "inside"))
    expect(pane.prompts() == 0, "no other line was read")


@case("TIOCLINUX, consoles, keyboards, line disciplines: none is there to be had (TT-03)")
def consoles(bench, pane):
    answers = attack(pane, "agent-sandbox ", "inside")
    open(pane.path("go"), "w").close()
    pane.expect_prompt(0)
    for attempt in ("selection", "paste", "set-vesa-blank", "set-kernel-messages", "get-front-console", "console",
                    "discipline", "keyboard-entry", "leds", "activate"):
        for target in ("0", "1", "2", "/dev/tty"):
            answer = answers[attempt, target]
            expect(answer in ("ENOTTY", "EPERM", "EINVAL"), "%s on %s: %s" % (attempt, target, answer))


@case("settings, size, flags, foreground: inside they are its own, outside nothing changes (TT-04)")
def own_terminal(bench, pane):
    before, stty = State(pane), pane.stty()
    answers = attack(pane, "agent-sandbox ", "inside")
    during = State(pane)
    supervisor = running(pane, "tty_probe").supervisor
    for attempt in ("settings", "size", "flags", "front"):
        expect(answers[attempt, "0"] == "done", "inside, %s: %s" % (attempt, answers[attempt, "0"]))
    open(pane.path("go"), "w").close()
    pane.expect_prompt(0)
    after = State(pane)
    for state in (during, after):
        expect(state.interrupt_key == before.interrupt_key, "settings: %r" % state.interrupt_key)
        expect(state.size == before.size, "size: %s" % (state.size,))
        expect(state.flags == before.flags, "flags: %o" % state.flags)
    expect(during.front == supervisor.group, "front while it runs")
    expect(after.front == before.front, "front in the end")
    expect(pane.stty() == stty, "stty -a in the end")


@case("no terminal of the host can be opened, by no name (TT-05)")
def other_terminals(bench, pane):
    def identity(path):
        status = os.stat(path)
        return "%d:%d:%d" % (os.major(status.st_dev), os.minor(status.st_dev), status.st_ino)

    other = bench.pane()  # a second terminal of the same user
    host = {identity(path): path for path in glob.glob("/dev/pts/[0-9]*")}
    answers = attack(pane, "", "control")
    opened = {answer for (attempt, _), answer in answers.items() if attempt == "open"}
    expect(identity(pane.tty) in opened, "control: the own terminal opens")
    if int(os.path.basename(other.tty)) < 64:
        expect(identity(other.tty) in opened, "control: another terminal of the user opens")
    open(pane.path("go"), "w").close()
    pane.prompt()
    os.unlink(pane.path("go"))
    fresh = bench.pane()
    answers = attack(fresh, "agent-sandbox ", "other")
    expect(answers["is", "name"] == "/dev/pts/0", "its own: " + answers["is", "name"])
    expect(answers["open", "/dev/pts/0"] == answers["is", "0"], "its own opens by name")
    for (attempt, target), answer in answers.items():
        if attempt == "open":
            expect(answer not in host, "%s is the host's %s" % (target, host.get(answer)))
        if attempt == "open" and target.startswith("/dev/") and target != "/dev/pts/0":
            expect(answer == "ENOENT", "%s: %s" % (target, answer))
    open(pane.path("go"), "w").close()
    fresh.expect_prompt(0)
    fresh.expect_run(0, "agent-sandbox ls /dev/pts >names")
    expect(read(pane.path("names")).split() == ["0", "ptmx"], "in /dev/pts: " + read(pane.path("names")))
    fresh.expect_run(0, "agent-sandbox --no-tty ls /dev/pts >names")
    expect(read(pane.path("names")).split() == ["ptmx"], "in /dev/pts: " + read(pane.path("names")))
    for own in (other, fresh):
        own.close()


main()
