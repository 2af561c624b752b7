#!/usr/bin/python3
"""Floods and idleness: what the sandbox itself costs, and that keys get through (TT-12)."""

import os
import signal
import time

from bench import case, expect, main, read, wait
from processes import running
from raw_terminal import RawTerminal

FLOOD_MEMORY = 16 * 1024  # kB
IDLE_MEMORY = 8 * 1024
IDLE_SECONDS = 3
TRIES = 3  # for what is measured in seconds on a machine that others use too


def expect_memory(bench, run, limit):
    own = run.supervisor.status("VmHWM" if limit == FLOOD_MEMORY else "VmRSS")
    if not bench.sanitized:
        expect(own < limit, "supervisor: %d kB" % own)
    return own


@case("a flood: ^C answers within a second, memory stays small (TT-12)")
def flood(bench, pane):
    times = []
    for _ in range(TRIES):
        pane.start("agent-sandbox yes")
        run = running(pane, "yes")
        pane.see("y")
        until = time.monotonic() + 1
        while time.monotonic() < until:
            run.supervisor.kill(signal.SIGWINCH)  # and a storm of these
        memory = expect_memory(bench, run, FLOOD_MEMORY)
        begin = time.monotonic()
        pane.key("C-c")
        pane.expect_prompt(130)
        times.append(time.monotonic() - begin)
        if times[-1] < 1:
            break
    print("   ^C after %.2f s, supervisor %d kB" % (times[-1], memory))
    expect(min(times) < 1, "^C after %s" % times)


@case("a storm of signals is harmless, in front and in a pipeline (TT-12)")
def storm(bench, pane):
    for line in ("agent-sandbox %s", "true | agent-sandbox %s"):
        mark = bench.mark()
        pane.start(line % ("sh -c 'trap \"\" USR1 USR2; sleep %s'" % mark))
        run = running(pane, mark, count=2)
        run.init.kill(signal.SIGSTOP)  # as slow as a machine can be
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            for number in (signal.SIGWINCH, signal.SIGUSR1, signal.SIGCONT, signal.SIGUSR2):
                os.kill(run.supervisor.pid, number)
        run.init.kill(signal.SIGCONT)
        expect_memory(bench, run, FLOOD_MEMORY)
        expect(run.command.lives(), "the command")
        pane.key("C-c")
        pane.expect_prompt(130)


@case("hundreds of thousands of tiny writes (TT-12)")
def tiny_writes(bench, pane):
    count = 100_000 if bench.sanitized else 300_000
    pane.start("agent-sandbox python3 -c 'import os\nfor i in range(%d): os.write(1, b\".\")\n"
               "open(\"up\", \"w\").write(\"up\"); os.read(0, 1)'" % count)
    wait(lambda: read(pane.path("up")), "the writes", 60)
    expect_memory(bench, running(pane, "os.write"), FLOOD_MEMORY)
    pane.key("Enter")
    pane.expect_prompt(0)


@case("a terminal that takes nothing: memory stays small, ^C gets through, nothing spins (TT-12)")
def terminal_stops(bench, pane):
    terminal = RawTerminal(bench, [bench.sandbox, "sh", "-c", "trap 'echo caught >caught; exit 7' INT; yes & wait"])
    terminal.wait_for(b"y\r\n" * 100)
    run = running(terminal, "caught")

    def is_idle():
        ticks = run.supervisor.now().ticks
        time.sleep(0.3)
        return run.supervisor.now().ticks - ticks <= 3

    wait(is_idle, "the supervisor to wait")  # nobody reads from here on
    expect_memory(bench, run, FLOOD_MEMORY)
    terminal.write(b"\003")
    wait(lambda: read(pane.path("caught")), "the interrupt inside")
    expect(terminal.end() == 7, "exit code")


@case("^S stops the output, ^Q lets it go on, and neither costs memory (TT-12)")
def flow_control(bench, pane):
    pane.start("agent-sandbox sh -c 'i=0; while :; do i=$((i+1)); echo line $i; echo $i >count; sleep 0.01; done'")
    pane.see("line 3")
    pane.key("C-s")

    def still():
        first = read(pane.path("count"))
        time.sleep(0.2)
        return first and first == read(pane.path("count"))

    wait(still, "the output to stop")
    stopped = read(pane.path("count"))
    pane.key("C-q")
    wait(lambda: read(pane.path("count")) not in ("", stopped), "the output to go on")
    pane.key("C-c")
    pane.expect_prompt(130)


@case("a paste of 100 kB arrives whole")
def paste(bench, pane):
    text = "".join("line %d of a long paste\n" % i for i in range(4000))
    pane.start("agent-sandbox sh -c 'stty -echo; echo ready; cat >got'")
    pane.see("ready")
    path = pane.path("paste")
    with open(path, "w") as file:
        file.write(text)
    bench.server("load-buffer", path)
    bench.server("paste-buffer", "-d", "-r", "-t", pane.id)
    wait(lambda: len(read(pane.path("got"))) >= len(text), lambda: "%d bytes" % len(read(pane.path("got"))))
    pane.key("C-d")
    pane.expect_prompt(0)
    expect(read(pane.path("got")) == text, "the same bytes")


@case("idle: no wake-up in three seconds and little memory, with a terminal and without (TT-12)")
def idle(bench, pane):
    with_terminal, without = bench.mark(), bench.mark()
    pane.start("agent-sandbox sleep " + with_terminal)
    other = bench.pane()
    other.start("agent-sandbox sleep %s </dev/null >out 2>&1" % without)
    pane.wait_raw()
    runs = {"with a terminal": running(pane, with_terminal), "without": running(other, without)}

    def wakeups():
        return {(how, p.name): p.status("voluntary_ctxt_switches") + p.status("nonvoluntary_ctxt_switches")
                for how, run in runs.items() for p in run.all if p is not run.command}

    for turn in range(TRIES):
        before = wakeups()
        time.sleep(IDLE_SECONDS)  # a fixed time: nothing is to happen in it
        woken = {key: count - before[key] for key, count in wakeups().items() if count != before[key]}
        if not woken:
            break
    expect(not woken, "woken in %d s: %s" % (IDLE_SECONDS, woken))
    for how, run in runs.items():
        sizes = ["%s %d kB" % (p.name, p.status("VmRSS")) for p in (run.supervisor, run.guardian, run.engine, run.init)
                 if p is not None]
        print("   %s: %s" % (how, ", ".join(sizes)))
        expect_memory(bench, run, IDLE_MEMORY)
        if not bench.sanitized:
            for process in (run.init, run.guardian):
                expect(process is None or process.status("VmRSS") <= IDLE_MEMORY, "%s" % process)
    expect(runs["without"].guardian is None, "no guardian without a terminal")
    for own in (pane, other):
        own.key("C-c")
        own.expect_prompt(130)
    other.close()


main()
