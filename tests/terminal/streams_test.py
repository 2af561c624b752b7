#!/usr/bin/python3
"""Pipelines and redirections at a real shell: each of 0, 1 and 2 may be a terminal, a pipe, a file or
nothing, and the command gets exactly that kind of thing."""

import itertools
import time

from bench import case, expect, main, read, wait
from processes import running, with_mark
from raw_terminal import RawTerminal


def expect_file(pane, name, wanted):
    found = read(pane.path(name))
    expect(found == wanted, "%s holds %r, not %r" % (name, found, wanted))


@case("output goes into a pipeline")
def into_pipeline(bench, pane):
    pane.expect_run(0, "agent-sandbox seq 3 | cat >out")
    expect_file(pane, "out", "1\n2\n3\n")


@case("a reader that has enough ends the command: SIGPIPE, 141")
def broken_pipe(bench, pane):
    begin = time.monotonic()
    pane.expect_run(0, "set -o pipefail")
    pane.expect_run(141, "agent-sandbox seq 100000 | head -1 >out")
    expect(time.monotonic() - begin < 10, "it ends promptly")
    expect_file(pane, "out", "1\n")
    pane.expect_run(141, "agent-sandbox yes | head -c 1000000 | wc -c >out")
    expect_file(pane, "out", "1000000\n")


@case("keys go to a pager behind the sandbox, not to the sandbox (TT-13)")
def pager_outside(bench, pane):
    before = pane.stty()
    pane.start("clear; agent-sandbox sh -c 'seq 1000; echo end >up' | less")
    wait(lambda: read(pane.path("up")), "the command to have written all")
    pane.see("1")
    expect(not pane.is_raw(), "the terminal is the pager's")
    pane.type("G")
    pane.see("1000")
    pane.type("q")
    pane.expect_prompt(0)
    expect(pane.stty() == before, "stty -a in the end")


@case("a pager in the sandbox reads a pipe and still has the keyboard (TT-13)")
def pager_inside(bench, pane):
    before = pane.stty()
    pane.start("clear; seq 100 | agent-sandbox less")
    pane.see("1")
    pane.wait_raw()
    pane.type("G")
    pane.see("100")
    pane.key("C-z")
    pane.prompt()
    expect(pane.stty() == before, "stty -a while stopped")
    pane.start("clear; fg")
    pane.wait_raw()
    pane.type("g")
    pane.see("1")
    pane.type("q")
    pane.expect_prompt(0)
    expect(pane.stty() == before, "stty -a in the end")


@case("a piped standard input reaches the command, its answer the terminal")
def piped_input(bench, pane):
    pane.expect_run(0, "clear; echo hi there | agent-sandbox cat")
    pane.see("hi there")


@case("standard input from /dev/null, from a file, and closed")
def no_input(bench, pane):
    pane.expect_run(0, "agent-sandbox cat </dev/null >out")
    expect_file(pane, "out", "")
    with open(pane.path("in"), "w") as file:
        file.write("words\n")
    pane.expect_run(0, "agent-sandbox cat <in >out")
    expect_file(pane, "out", "words\n")
    pane.expect_run(0, "agent-sandbox cat <&- >out")
    expect_file(pane, "out", "")


@case("0, 1 and 2 closed in every combination: nothing of ours in their place (TT-09)")
def closed_streams(bench, pane):
    # Read from a subshell, so that these are the command's own.
    inside = ("links=$(for i in 0 1 2; do readlink /proc/$$/fd/$i || echo none; done); "
              "echo \"$links\" >fds; echo out; echo err >&2; exit 7")
    for closed in itertools.product((False, True), repeat=3):
        words = ["<&-" if closed[0] else "", ">&-" if closed[1] else "", "2>&-" if closed[2] else ""]
        pane.expect_run(7, "agent-sandbox sh -c '%s' %s" % (inside, " ".join(words)))
        found = read(pane.path("fds")).split("\n")[:3]
        for i in range(3):
            wanted = ("/dev/null", "pipe:") if closed[i] else ("/dev/pts/0",)
            expect(found[i].startswith(wanted), "%d is %s with %s" % (i, found[i], words))


@case("standard output to a file, keys from the terminal")
def output_to_file(bench, pane):
    before = pane.stty()
    pane.start("agent-sandbox cat >out")
    pane.wait_raw()
    pane.start("words")
    wait(lambda: read(pane.path("out")) == "words\n", lambda: "the line: %r" % read(pane.path("out")))
    pane.key("C-d")
    pane.expect_prompt(0)
    expect(pane.stty() == before, "stty -a in the end")


@case("standard error to a file: only the command's words in it")
def error_to_file(bench, pane):
    pane.expect_run(3, "clear; agent-sandbox sh -c 'echo oops >&2; test -t 2 || echo no terminal; exit 3' 2>err")
    expect_file(pane, "err", "oops\n")
    pane.see("no terminal")


@case("a log that standard output is redirected to cannot be cut (TT-08)")
def log_is_kept(bench, pane):
    cut = "sh -c ': >/proc/self/fd/1; echo later'"
    pane.expect_run(0, "{ echo earlier; %s; } >log" % cut)
    expect("earlier" not in read(pane.path("log")), "control: without a sandbox the log is cut")
    pane.expect_run(0, "{ echo earlier; agent-sandbox %s; } >log" % cut)
    expect_file(pane, "log", "earlier\nlater\n")


@case("--no-tty: the command has no terminal at all, and its words still arrive")
def no_tty(bench, pane):
    pane.expect_run(4, "clear; agent-sandbox --no-tty sh -c 'tty; test -t 1 || echo no output; "
                    "(: </dev/tty) 2>/dev/null || echo no /dev/tty; exit 4'")
    for line in ("not a tty", "no output", "no /dev/tty"):
        pane.see(line)
    pane.start("clear; agent-sandbox --no-tty cat")
    running(pane, "cat")
    pane.start("words")
    wait(lambda: pane.screen().count("words") == 2, lambda: "echo and answer:\n" + pane.screen())
    pane.key("C-d")
    pane.expect_prompt(0)


@case("--tty: a terminal although everything is redirected")
def tty_always(bench, pane):
    pane.expect_run(0, "agent-sandbox --tty tty </dev/null >out 2>err")
    expect_file(pane, "out", "/dev/pts/0\r\n")
    pane.expect_run(0, "agent-sandbox --tty sh -c 'tty; cat' </dev/null >out 2>&1")
    expect("/dev/pts/0" in read(pane.path("out")), "the end of input arrives")
    pane.expect_run(0, "printf 'no end of line' | agent-sandbox --tty sh -c 'stty -echo; echo ready; cat' >out")
    expect(read(pane.path("out")).endswith("no end of line"), "what was piped: %r" % read(pane.path("out")))


@case("--tty: what is redirected is redirected, the rest stays on the terminal")
def tty_partly(bench, pane):
    before = pane.stty()
    pane.expect_run(0, "clear; agent-sandbox --tty sh -c 'test -t 1 && echo to the file' >out")
    expect_file(pane, "out", "to the file\r\n")
    pane.expect_run(0, "clear; echo words | agent-sandbox --tty sh -c 'read line; echo got $line'")
    pane.see("got words")
    expect(pane.stty() == before, "stty -a in the end")


@case("--tty: a reader that has enough ends the command")
def tty_broken_pipe(bench, pane):
    pane.expect_run(0, "agent-sandbox --tty yes </dev/null | head -1 >out")
    expect_file(pane, "out", "y\r\n")


@case("a child that holds the output keeps nobody waiting when the command has ended (TT-13)")
def output_held(bench, pane):
    mark = bench.mark()
    for end in ("", " | cat", " >out", " 2>&1 | cat"):
        pane.expect_run(0 if "cat" in end else 3, "agent-sandbox sh -c 'sleep %s & exit 3'%s" % (mark, end))
    wait(lambda: not with_mark(mark), "nothing to be left")


@case("everything that was written before the end arrives, in order")
def all_arrives(bench, pane):
    wanted = "".join("%d\r\n" % i for i in range(1, 200001)).encode()
    terminal = RawTerminal(bench, [bench.sandbox, "seq", "200000"])
    expect(terminal.end(60) == 0, "exit code")
    expect(terminal.seen.endswith(wanted), "%d of %d bytes" % (len(terminal.seen), len(wanted)))
    for line in ("agent-sandbox seq 200000 >out", "agent-sandbox seq 200000 | cat >out",
                 "agent-sandbox --tty seq 200000 </dev/null | tr -d '\\r' >out"):
        pane.expect_run(0, line)
        expect_file(pane, "out", wanted.decode().replace("\r", ""))


@case("standard output on another terminal than standard input")
def other_terminal(bench, pane):
    other = bench.pane()
    pane.expect_run(0, "agent-sandbox echo over there >%s" % other.tty)
    other.see("(> )?over there")
    expect(not pane.shows("over there"), "not on the own terminal")
    pane.start("agent-sandbox sh -c 'read line; echo got $line' >%s" % other.tty)
    pane.wait_raw()
    pane.start("words")
    pane.expect_prompt(0)
    other.see("(> )?got words")
    other.close()


@case("the same terminal by its two names is one terminal")
def two_names(bench, pane):
    pane.expect_run(0, "clear; agent-sandbox sh -c 'test -t 0 && test -t 1 && test -t 2 && echo all three' </dev/tty")
    pane.see("all three")


@case("two sandboxes in one pipeline: bytes, ^C, ^Z and fg (TT-13)")
def two_sandboxes(bench, pane):
    before = pane.stty()
    pane.expect_run(0, "agent-sandbox seq 3 | agent-sandbox tac >out")
    expect_file(pane, "out", "3\n2\n1\n")
    first, second = bench.mark(), bench.mark()
    pane.start("agent-sandbox sleep %s | agent-sandbox sleep %s" % (first, second))
    for mark in (first, second):
        running(pane, mark)
    pane.key("C-z")
    pane.expect_prompt(148)
    for mark in (first, second):
        wait(lambda: running(pane, mark).command.state == "T", "both to be stopped")
    expect(pane.stty() == before, "stty -a while stopped")
    pane.start("fg")
    for mark in (first, second):
        wait(lambda: running(pane, mark).command.state == "S", "both to go on")
    pane.key("C-c")
    pane.expect_prompt(130)
    wait(lambda: not with_mark(first) and not with_mark(second), "both to be gone")
    expect(pane.stty() == before, "stty -a in the end")


@case("two sandboxes in one pipeline that both want the keyboard leave the terminal as it was (TT-13)")
def two_keyboards(bench, _):
    pane = bench.pane(shell="dash")
    before = pane.settings()
    pane.start("agent-sandbox sh -c 'read a </dev/tty; echo first $a' | "
               "agent-sandbox sh -c 'read b </dev/tty; cat; echo second $b'")
    pane.wait_raw()

    def both_have_one():
        pane.key("Enter")  # either may take it
        return pane.prompts() > 0

    wait(both_have_one, "the end")
    pane.expect_prompt(0)
    expect(pane.settings() == before, "settings in the end: %s" % pane.settings())
    pane.close()


main()
