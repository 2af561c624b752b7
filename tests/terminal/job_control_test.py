#!/usr/bin/python3
"""Job control at a real shell: interrupt, stop, continue, background. The command inside never has
the caller's terminal, and neither the shell nor the person can tell."""

import os
import signal
import time

from bench import Failed, case, expect, main, read, wait
from processes import look, running, with_mark
from raw_terminal import RawTerminal

# Says that it runs, then waits for signals.
WAITS = "echo up >up; while :; do sleep 0.05; done"

# A command with a job of its own in front of its terminal, as a shell has.
LEADER = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    time.sleep(3600)
os.setpgid(job, job)
os.tcsetpgrp(0, job)
with open("up", "w") as file:
    file.write("up")
while True:
    time.sleep(3600)
"""


def wait_up(pane):
    wait(lambda: read(pane.path("up")), lambda: "the command, on this screen:\n" + pane.screen())
    os.unlink(pane.path("up"))


def wait_state(pane, mark, state):
    wait(lambda: running(pane, mark).command.state in state, "the command's state to be one of " + state)


def wait_front(pane, mark):
    def in_front():
        supervisor = running(pane, mark).supervisor
        return supervisor.group == supervisor.front

    wait(in_front, "the job to be in the foreground")


def wait_stopped(pane):
    def stopped():
        return pane.run("jobs -l >jobs") == 0 and "Stopped" in read(pane.path("jobs"))

    wait(stopped, "it to be stopped")


@case("^C ends the command with 130 (TT-13)")
def interrupt(bench, pane):
    mark = bench.mark()
    pane.start("agent-sandbox sleep " + mark)
    running(pane, mark)
    pane.key("C-c")
    pane.expect_prompt(130)


@case("^\\ ends the command with 131 (TT-13)")
def quit_key(bench, pane):
    mark = bench.mark()
    pane.start("agent-sandbox sleep " + mark)
    running(pane, mark)
    pane.key("C-\\")
    pane.expect_prompt(131)


@case("^C of a command that traps it: its own exit code (TT-13)")
def interrupt_trapped(bench, pane):
    pane.start("agent-sandbox sh -c 'trap \"echo caught; exit 7\" INT; %s'" % WAITS)
    wait_up(pane)
    pane.key("C-c")
    pane.expect_prompt(7)
    pane.see("(\\^C)?caught")


@case("^C reaches a trap also where the keyboard is left to the rest of a pipeline (TT-13)")
def interrupt_in_pipeline(bench, pane):
    for line in (
        "true | agent-sandbox sh -c '%s'",
        "agent-sandbox --no-tty sh -c '%s'",
        "agent-sandbox sh -c '%s' </dev/null >out 2>&1",
    ):
        for _ in range(3):  # whoever else hears the interrupt must not end the command first
            pane.start(line % ("trap \"sleep 0.1; echo caught >caught; exit 7\" INT; " + WAITS))
            wait_up(pane)
            pane.key("C-c")
            pane.expect_prompt(7)
            expect(read(pane.path("caught")) == "caught\n", "the trap ran")
            os.unlink(pane.path("caught"))


@case("^Z stops, fg resumes, twice, then bg and fg; stty -a is the same each time (TT-13)")
def stop_and_resume(bench, pane):
    before = pane.stty()
    mark = bench.mark()
    pane.start("agent-sandbox sleep " + mark)
    for turn in range(2):
        running(pane, mark)
        pane.wait_raw()
        pane.key("C-z")
        pane.expect_prompt(148)
        pane.see("\\[1\\]\\+ +Stopped +agent-sandbox sleep .*")
        wait_state(pane, mark, "T")
        expect(pane.stty() == before, "stty -a while stopped, turn %d" % turn)
        pane.start("clear; fg")
        wait_state(pane, mark, "S")
        pane.wait_raw()
    pane.key("C-z")
    pane.expect_prompt(148)
    pane.expect_run(0, "bg")
    wait_state(pane, mark, "S")
    expect(pane.stty() == before, "stty -a with the job in the background")
    pane.start("fg")
    wait_front(pane, mark)
    pane.key("C-c")
    pane.expect_prompt(130)
    expect(pane.stty() == before, "stty -a in the end")


@case("what a stopped and resumed job leaves to a shell that repairs nothing (TT-13)")
def stop_and_resume_in_dash(bench, _):
    pane = bench.pane(shell="dash")
    before = pane.settings()
    pane.start("agent-sandbox sh -c 'kill -STOP $$; exit 4'")
    stopped = pane.prompt()
    expect(stopped == 148, "exit code %d when stopped" % stopped)
    expect(pane.settings() == before, "settings while stopped: %s" % pane.settings())
    pane.start("fg")
    pane.expect_prompt(4)
    expect(pane.settings() == before, "settings in the end: %s" % pane.settings())
    pane.close()


@case("a command that stops itself twice is Stopped twice, and fg resumes it (TT-13)")
def stop_itself(bench, pane):
    before = pane.stty()
    pane.start("agent-sandbox sh -c 'kill -STOP $$; echo resumed; kill -STOP $$; echo again; exit 5'")
    for word in ("resumed", "again"):
        pane.expect_prompt(148)
        pane.see("\\[1\\]\\+ +Stopped .*")
        expect(not pane.shows(word), "no '%s' before it was resumed" % word)
        expect(pane.stty() == before, "stty -a while stopped")
        pane.start("clear; fg")
        pane.see(word)
    pane.expect_prompt(5)
    expect(pane.stty() == before, "stty -a in the end")


@case("a command that stops itself fifty times needs fifty times fg (TT-13)")
def stop_itself_often(bench, pane):
    # Nothing between two stops: a continuation too many would be taken for the next one.
    pane.start("agent-sandbox sh -c 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); kill -STOP $$; done; exit 3'")
    for turn in range(50):
        code = pane.prompt()
        expect(code == 148, "exit code %d at stop %d" % (code, turn))
        pane.start("fg >/dev/null")
    pane.expect_prompt(3)


@case("SIGCONT while nothing is stopped changes nothing (TT-13)")
def needless_continue(bench, pane):
    before = pane.stty()
    mark = bench.mark()
    pane.start("agent-sandbox sleep " + mark)
    run = running(pane, mark)
    pane.wait_raw()
    for _ in range(3):
        switches = run.supervisor.status("voluntary_ctxt_switches")
        run.supervisor.kill(signal.SIGCONT)
        wait(lambda: run.supervisor.status("voluntary_ctxt_switches") > switches, "the signal")
    pane.key("C-c")
    pane.expect_prompt(130)
    expect(pane.stty() == before, "stty -a in the end")


@case("the supervisor stopped and continued from outside (TT-13)")
def supervisor_stopped(bench, pane):
    before = pane.stty()
    mark = bench.mark()
    pane.start("agent-sandbox sh -c 'sleep %s & read line; echo got $line; exit 3'" % mark)
    run = running(pane, mark)
    pane.wait_raw()
    for number in (signal.SIGSTOP, signal.SIGTSTP):
        run.supervisor.kill(number)
        stopped = pane.prompt()
        expect(stopped == 128 + number or stopped == 148, "exit code %d when stopped" % stopped)
        expect(pane.stty() == before, "stty -a while stopped")
        pane.start("fg")
        pane.wait_raw()
    pane.start("words")
    pane.see("got words")
    pane.expect_prompt(3)
    expect(pane.stty() == before, "stty -a in the end")


@case("a SIGTERM to the sandbox is for the command, whoever is in front inside (TT-13)")
def terminate(bench, pane):
    with open(pane.path("leader.py"), "w") as file:
        file.write(LEADER)
    pane.start("agent-sandbox python3 leader.py")
    wait_up(pane)
    running(pane, "leader.py").supervisor.kill(signal.SIGTERM)
    pane.expect_prompt(9)


@case("a shell inside has jobs of its own; ^Z and ^C stay inside, its code comes out (TT-13)")
def inner_jobs(bench, pane):
    mark = bench.mark()
    pane.start("agent-sandbox --env PS1='inner: ' bash --norc --noprofile -i")
    pane.see("inner:")
    pane.start("sleep " + mark)
    wait(lambda: any(p.line == ["sleep", mark] for p in running(pane, "bash").inside), "the job")
    pane.key("C-z")
    pane.see("\\[1\\]\\+ +Stopped +sleep .*")
    expect(pane.prompts() == 0, "the outer shell does not prompt")
    pane.start("clear; jobs")
    pane.see("\\[1\\]\\+ +Stopped +sleep .*")
    pane.start("clear; fg")
    wait(lambda: any(p.line == ["sleep", mark] and p.state == "S" for p in running(pane, "bash").inside), "fg")
    pane.key("C-c")
    pane.start("echo job ended with $?")
    pane.see("job ended with 130")
    expect(pane.prompts() == 0, "the outer shell does not prompt")
    pane.start("clear; suspend")
    pane.expect_prompt(148)
    pane.see("\\[1\\]\\+ +Stopped +agent-sandbox .*")
    pane.start("clear; fg")
    pane.start("echo still here")
    pane.see("still here")
    pane.start("exit 42")
    pane.expect_prompt(42)


@case("in the background a command that reads is stopped by it; fg lets it read (TT-13)")
def background_reader(bench, pane):
    before = pane.stty()
    pane.expect_run(0, "agent-sandbox cat &")
    wait_stopped(pane)
    expect("Stopped (tty input)" in read(pane.path("jobs")), "by SIGTTIN: " + read(pane.path("jobs")))
    pane.start("clear; fg")
    pane.wait_raw()
    pane.start("hello")
    pane.see("hello")
    wait(lambda: pane.screen().count("hello") == 2, "the echo and the answer of cat")
    pane.key("C-d")
    pane.expect_prompt(0)
    expect(pane.stty() == before, "stty -a in the end")


@case("in the background a command that prints is not stopped (TT-13)")
def background_writer(bench, pane):
    pane.start("agent-sandbox sh -c 'echo hi; echo done >up' &")
    pane.prompt()
    wait_up(pane)
    pane.see("(> )?hi")
    wait(lambda: pane.run("jobs >jobs") == 0 and read(pane.path("jobs")) == "", "the job to be done")


@case("in the background a command that changes the terminal is stopped by it (TT-13)")
def background_changer(bench, pane):
    pane.expect_run(0, "agent-sandbox stty -echo &")
    wait_stopped(pane)
    expect("Stopped (tty output)" in read(pane.path("jobs")), "by SIGTTOU: " + read(pane.path("jobs")))
    pane.start("fg")
    pane.expect_prompt(0)


@case("brought to the front without ever having stopped, a command may read (TT-13)")
def front_without_stop(bench, pane):
    mark = bench.mark()
    pane.expect_run(0, "agent-sandbox sh -c 'sleep %s & until [ -e go ]; do sleep 0.02; done; "
                    "read line; echo got $line; exit 6' &" % mark)
    running(pane, mark)
    pane.start("fg")
    wait_front(pane, mark)
    open(pane.path("go"), "w").close()
    pane.wait_raw()
    pane.start("words")
    pane.see("got words")
    pane.expect_prompt(6)


@case("^Z stops a command whose keyboard is the other half of a pipeline's (TT-13)")
def stop_in_pipeline(bench, pane):
    mark = bench.mark()
    pane.start("true | agent-sandbox sleep " + mark)
    running(pane, mark)
    pane.key("C-z")
    pane.prompt()  # bash says 128 here, also for a plain sleep
    pane.see("\\[1\\]\\+ +Stopped .*")
    wait_state(pane, mark, "T")
    pane.start("fg")
    wait_state(pane, mark, "S")
    wait_front(pane, mark)
    pane.key("C-c")
    pane.expect_prompt(130)


@case("a command that stops itself with all streams redirected still gives ^Z and ^C their way (TT-13)")
def stop_without_terminal(bench, pane):
    mark = bench.mark()
    pane.start("agent-sandbox sh -c 'kill -STOP $$; sleep %s' </dev/null >out 2>&1" % mark)
    wait_state(pane, mark, "T")
    pane.key("C-z")
    pane.expect_prompt(148)
    pane.start("fg")
    running(pane, mark, count=2)
    pane.key("C-c")
    pane.expect_prompt(130)


@case("a reader in the background of a terminal that nobody can give it ends, and does not spin (TT-13)")
def orphaned_reader(bench, pane):
    mark = bench.mark()
    pane.expect_run(0, "(agent-sandbox sh -c 'sleep %s & cat' </dev/tty >out 2>&1 &)" % mark)
    wait(lambda: not with_mark(mark), lambda: "it to end: %s" % "; ".join(map(str, with_mark(mark))))


@case("a terminal that is not the session's own is used without job control (TT-13)")
def foreign_terminal(bench, pane):
    pane.start("setsid -w agent-sandbox sh -c 'read line; echo got $line; exit 8'")
    pane.wait_raw()
    pane.start("words")
    pane.see("got words")
    pane.expect_prompt(8)
    expect(not pane.is_raw(), "the terminal is put back")


def wait_moment(pane, mark, moment):
    """Starts a command and waits until the program is there (a shell that is still about to execute
    it loses keys of its own), has made the terminal raw, or has executed the command."""
    pane.start("agent-sandbox sleep " + mark)
    wait(lambda: with_mark(mark), "the program")
    if moment == 1:
        pane.wait_raw()
    if moment == 2:
        running(pane, mark)


@case("keys typed while the sandbox starts are not lost: ^C and ^Z at any moment (TT-13)")
def keys_during_start(bench, pane):
    before = pane.stty()
    for turn in range(12):
        mark = bench.mark()
        wait_moment(pane, mark, turn % 3)
        pane.key("C-c")
        code = pane.prompt()
        expect(code == 130, "exit code %d in turn %d" % (code, turn))
    for turn in range(12):
        mark = bench.mark()
        wait_moment(pane, mark, turn % 3)
        pane.key("C-z")
        pane.expect_prompt(148)
        pane.start("fg")
        running(pane, mark)
        wait_front(pane, mark)
        pane.key("C-c")
        pane.expect_prompt(130)
    expect(pane.stty() == before, "stty -a in the end")


def child_of(process):
    """The first child, looked up quickly; its name is None until there is one."""
    children = read("/proc/%d/task/%d/children" % (process.pid, process.pid)).split()
    return look(int(children[0])) if children else None


@case("an interrupt typed when the terminal is ready and the command is not there yet ends it (TT-13)")
def interrupt_before_command(bench, pane):
    for _ in range(10):
        terminal = RawTerminal(bench, [bench.sandbox, "sleep", bench.mark()])
        supervisor = wait(lambda: look(terminal.pid), "the supervisor")
        engine = wait(lambda: child_of(supervisor), "the launcher")
        end = time.monotonic() + 10
        while read("/proc/%d/comm" % engine.pid) != "bwrap\n" and time.monotonic() < end:
            pass
        supervisor.kill(signal.SIGSTOP)
        if terminal.is_raw():  # too late for this
            supervisor.kill(signal.SIGCONT)
            terminal.write(b"\003")
            expect(terminal.end() == 130, "exit code")
            continue
        # Init makes the terminal inside and waits for the supervisor, and then for longer.
        init = wait(lambda: child_of(engine), "init")
        wait(lambda: init.now().name == "agent-sandbox-i" and init.now().state == "S", "init to wait")
        init.kill(signal.SIGSTOP)
        supervisor.kill(signal.SIGCONT)
        wait(terminal.is_raw, "the terminal to be raw")
        terminal.write(b"\003")
        until = time.monotonic() + 0.3
        while terminal.queued() and time.monotonic() < until:
            time.sleep(0.01)  # taken now, it would reach nobody
        init.kill(signal.SIGCONT)
        code = terminal.end()
        expect(code == 130, "exit code %d" % code)
        return
    raise Failed("never quick enough")


main()
