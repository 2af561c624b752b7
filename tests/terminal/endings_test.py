#!/usr/bin/python3
"""However a run ends, the terminal is as it was and nothing of the run is left."""

import os
import signal
import time

from bench import case, expect, main, read, wait
from processes import running, wait_gone, with_mark
from raw_terminal import RawTerminal

# Alternate screen, hidden cursor, mouse: what a killed program leaves behind. Then it sleeps.
FULL_SCREEN = "printf \"\\033[?1049h\\033[?25l\\033[?1000h\\033[2Jfull screen\"; sleep %s"

# A process that wants to outlive everything: own session, no descriptors, deaf to signals (LC-01).
SURVIVOR = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        with open("survivor", "w") as file:
            file.write("up")
        os.closerange(0, 64)
        time.sleep(float(sys.argv[1]))
    os._exit(0)
os.wait()
if sys.argv[2:] != ["leave"]:
    time.sleep(float(sys.argv[1]))
"""


def full_screen(bench, pane, before=""):
    """Starts a program that uses the whole screen; gives its run."""
    mark = bench.mark()
    pane.start(before + "agent-sandbox sh -c '%s'" % (FULL_SCREEN % mark))
    pane.see("full screen")
    pane.wait_raw()
    expect(pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "1 0 1", "it uses the screen")
    return running(pane, mark)


def expect_clean(pane, before):
    wait(lambda: pane.settings() == before, lambda: "settings: %s" % pane.settings())
    wait(lambda: pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0",
         lambda: "the screen left, the cursor shown, the mouse free: " +
         pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}"))


def survivor(bench, pane, *words):
    with open(pane.path("survivor.py"), "w") as file:
        file.write(SURVIVOR)
    mark = bench.mark()
    pane.start("agent-sandbox python3 survivor.py %s %s" % (mark, " ".join(words)))
    return mark


def soon(bench):
    return 10 if bench.sanitized else 1


@case("vi: insert, write, quit; the file is right and the screen is back (TT-13)")
def editor(bench, pane):
    before = pane.stty()
    pane.run("clear; echo before vi")
    pane.start("agent-sandbox vi note.txt")
    wait(lambda: pane.ask("#{alternate_on}") == "1", "the alternate screen")
    pane.wait_raw()
    pane.see("~")
    pane.type("iwritten in vi")
    pane.see("written in vi")
    pane.key("Escape")
    pane.start(":wq")
    pane.expect_prompt(0)
    expect(read(pane.path("note.txt")) == "written in vi\n", "the file: %r" % read(pane.path("note.txt")))
    expect(pane.ask("#{alternate_on} #{cursor_flag}") == "0 1", "the screen is back")
    pane.see("before vi")
    expect(pane.stty() == before, "stty -a in the end")


@case("vi: ^Z, the shell, fg, write, quit (TT-13)")
def editor_stopped(bench, pane):
    before = pane.stty()
    pane.start("agent-sandbox vi note.txt")
    wait(lambda: pane.ask("#{alternate_on}") == "1", "the alternate screen")
    pane.see("~")
    pane.type("iwritten in vi")
    pane.see("written in vi")
    pane.key("Escape", "C-z")
    pane.expect_prompt(148)
    expect(pane.ask("#{alternate_on} #{cursor_flag}") == "0 1", "the screen is the shell's")
    expect(pane.stty() == before, "stty -a while stopped")
    pane.start("fg")
    wait(lambda: pane.ask("#{alternate_on}") == "1", "the alternate screen again")
    pane.see("written in vi")
    pane.start(":wq")
    pane.expect_prompt(0)
    expect(read(pane.path("note.txt")) == "written in vi\n", "the file")
    expect(pane.stty() == before, "stty -a in the end")


@case("SIGKILL of the supervisor: terminal put back, nothing left after a second (TT-13, LC-01)")
def kill_supervisor(bench, _):
    pane = bench.pane(shell="dash")  # which puts nothing back itself
    before = pane.settings()
    run = full_screen(bench, pane)
    expect(pane.settings() != before, "control: settings differ while it runs")
    run.supervisor.kill()
    wait_gone(run, soon(bench), "left after SIGKILL of the supervisor")
    pane.expect_prompt(137)
    expect_clean(pane, before)
    pane.expect_run(0, "clear; echo usable")
    pane.see("usable")
    pane.close()


@case("SIGKILL of the supervisor while vi is open (TT-13, LC-01)")
def kill_under_editor(bench, _):
    pane = bench.pane(shell="dash")
    before = pane.settings()
    pane.start("agent-sandbox vi note.txt")
    wait(lambda: pane.ask("#{alternate_on}") == "1", "the alternate screen")
    pane.see("~")
    run = running(pane, "note.txt")
    run.supervisor.kill()
    wait_gone(run, soon(bench), "left after SIGKILL of the supervisor")
    pane.expect_prompt(137)
    expect_clean(pane, before)
    pane.close()


@case("SIGKILL of bubblewrap, and of init: 137, terminal put back, nothing left (TT-13, LC-01)")
def kill_inner(bench, _):
    for name in ("engine", "init"):
        pane = bench.pane(shell="dash")
        before = pane.settings()
        run = full_screen(bench, pane)
        getattr(run, name).kill()
        wait_gone(run, soon(bench), "left after SIGKILL of the " + name)
        pane.expect_prompt(137)
        expect_clean(pane, before)
        pane.see("agent-sandbox: the sandbox was ended from outside")
        pane.close()


@case("SIGKILL or SIGSTOP of the guardian: the normal end still puts the terminal back (TT-13)")
def kill_guardian(bench, _):
    pane = bench.pane(shell="dash")
    before = pane.settings()
    for number in (signal.SIGKILL, signal.SIGSTOP):
        run = full_screen(bench, pane)
        run.guardian.kill(number)
        wait(lambda: not run.guardian.lives() or run.guardian.now().state == "T", "the signal")
        pane.key("C-c")
        pane.expect_prompt(130)
        expect_clean(pane, before)
        wait_gone(run, soon(bench), "left in the end")
    pane.close()


@case("SIGKILL of the supervisor while the job is stopped or in the background touches no terminal (TT-13)")
def kill_while_stopped(bench, pane):
    before = pane.stty()
    for resume in (None, "bg"):
        run = full_screen(bench, pane)
        pane.key("C-z")
        pane.expect_prompt(148)
        if resume:
            pane.expect_run(0, resume)
            wait(lambda: run.command.now().state == "S", "the job in the background")
        run.supervisor.kill()
        wait_gone(run, soon(bench), "left after SIGKILL of the supervisor")
        expect(pane.stty() == before, "stty -a after that")


@case("a command that ends by a signal or in the alternate screen leaves nothing behind (TT-13)")
def killed_command(bench, _):
    pane = bench.pane(shell="dash")
    before = pane.settings()
    run = full_screen(bench, pane)
    run.command.kill()
    pane.expect_prompt(137)
    expect_clean(pane, before)
    pane.close()


@case("a stop or a kill in the middle of a flood of colours cuts no sequence and leaves no screen (TT-13)")
def flood_cut(bench, _):
    with open(os.path.join(bench.workspace, "flood.py"), "w") as file:
        file.write("import os\nos.write(1, b'\\033[?1049h\\033[?25l')\n"
                   "while True:\n    os.write(1, b'\\033[1;31mx\\033[0;7;38;5;123mx\\033[0m' * 300)\n")
    for how in ("stop", "stop", "stop", "kill"):
        pane = bench.pane(shell="dash")
        before = pane.settings()
        pane.start("agent-sandbox python3 flood.py")
        pane.see("x{80}")
        run = running(pane, "flood.py")
        for _ in range(3 if how == "stop" else 0):
            pane.key("C-z")
            pane.expect_prompt(148)
            expect_clean(pane, before)
            pane.start("fg")
            pane.wait_raw()
        if how == "stop":
            expect(not pane.shows(".*[0-9;m]{2}x.*"), "no rest of a sequence as text")
            pane.key("C-c")
            pane.expect_prompt(130)
        else:
            run.supervisor.kill()
            pane.expect_prompt(137)
        expect_clean(pane, before)
        pane.close()


@case("what the command switched on is switched off also where it never had the keyboard (TT-10)")
def modes_without_keyboard(bench, pane):
    switch_on = "printf \"\\033[?1049h\\033[?25l\\033[?1000h\""
    for line in ("agent-sandbox sh -c '%s'", "true | agent-sandbox sh -c '%s'", "agent-sandbox --no-tty sh -c '%s'",
                 "agent-sandbox sh -c '%s >&2' | cat", "agent-sandbox sh -c '%s' & wait"):
        pane.expect_run(0, line % switch_on)
        wait(lambda: pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0",
             lambda: "the screen after %s: %s" % (line, pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}")),
             5)


@case("a process that left its session and ignores signals ends with the run (LC-01)")
def survivors(bench, pane):
    pane_codes = {"leave": 0, "TERM": 143, "supervisor": 137, "engine": 137, "init": 137}
    for how, code in pane_codes.items():
        mark = survivor(bench, pane, *([how] if how == "leave" else []))
        if how != "leave":
            wait(lambda: read(pane.path("survivor")), "the survivor")
            os.unlink(pane.path("survivor"))
            run = running(pane, mark, count=2)
            if how == "TERM":
                run.supervisor.kill(signal.SIGTERM)
            else:
                getattr(run, how).kill()
        pane.expect_prompt(code)
        wait(lambda: not with_mark(mark), lambda: "after %s: %s" % (how, "; ".join(map(str, with_mark(mark)))),
             soon(bench))


@case("control: without a sandbox such a process outlives its parent (LC-01)")
def survivors_control(bench, pane):
    mark = survivor(bench, pane, "leave")
    pane.expect_prompt(0)
    pane.start("python3 survivor.py %s leave" % mark)
    pane.expect_prompt(0)
    left = with_mark(mark)
    expect(len(left) == 1, "it is alive")
    left[0].kill()


@case("terminal closed: nothing left after two seconds, however deaf the command (TT-13, LC-01)")
def terminal_closed(bench, pane):
    deaf = "sh -c 'trap \"\" HUP TERM INT; echo up >up; while :; do sleep %s; done'"
    runs = []
    for line in (
        "agent-sandbox sh -c 'trap \"\" HUP TERM; kill -STOP $$; sleep %s'",
        "agent-sandbox sleep %s",
        "agent-sandbox " + deaf,
        "agent-sandbox " + deaf + " | cat",
        "true | agent-sandbox " + deaf,
        "agent-sandbox --no-tty " + deaf,
        "agent-sandbox " + deaf + " &",
        "setsid -w agent-sandbox " + deaf,
    ):
        own = bench.pane()
        mark = bench.mark()
        own.start(line % mark)
        runs.append((line, mark, own))
    found = [(line, running(own, mark), own) for line, mark, own in runs]
    wait(lambda: found[0][1].command.now().state == "T", "the one that stops itself")
    for _, _, own in found:
        own.close()
    end = time.monotonic() + (10 if bench.sanitized else 2)
    for line, run, _ in found:
        wait_gone(run, max(0, end - time.monotonic()), "left of " + line)


@case("a shell inside hears that the terminal was closed, although a job is in front of it (TT-13)")
def terminal_closed_shell(bench, _):
    pane = bench.pane()
    mark = bench.mark()
    pane.start("agent-sandbox bash --norc -i")
    wait(lambda: pane.shows("bash-.*|.*\\$"), "the shell inside")
    pane.start("trap 'echo heard >heard' HUP; sleep " + mark)
    wait(lambda: any(p.line == ["sleep", mark] for p in with_mark(mark)), "the job")
    pane.close()
    wait(lambda: read(os.path.join(bench.workspace, "heard")), "the trap inside")
    wait(lambda: not with_mark(mark), "nothing to be left")


@case("a terminal whose other end is gone without a signal (TT-13)")
def master_gone(bench, pane):
    for before_start in (False, True):
        mark = bench.mark()
        terminal = RawTerminal(
            bench, [bench.sandbox, "sh", "-c", "trap '' HUP; while :; do echo words; sleep 0.1; done; " + mark],
            controlling=False)
        if not before_start:
            terminal.wait_for(b"words")
        terminal.hang_up()
        terminal.end(10)
        wait(lambda: not with_mark(mark), "nothing to be left")


main()
