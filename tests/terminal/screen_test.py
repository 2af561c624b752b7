#!/usr/bin/python3
"""The size of the terminal, odd terminals, and terminals in terminals."""

import os

from bench import case, expect, main, read, wait
from processes import running, with_mark
from raw_terminal import RawTerminal

# Writes its terminal's size at the start and whenever it hears of a change.
FOLLOWS = "trap \"exit 130\" INT; trap \"stty size >>sizes\" WINCH; stty size >>sizes; while :; do sleep 0.02; done"


def last_size(pane):
    lines = read(pane.path("sizes")).split("\n")
    return lines[-2] if len(lines) > 1 else ""


def wait_size(pane, wanted):
    wait(lambda: last_size(pane) == wanted, lambda: "size %s: %r" % (wanted, read(pane.path("sizes"))))


@case("a resize arrives inside: the size, and SIGWINCH (TT-13)")
def resize(bench, pane):
    pane.start("agent-sandbox bash -c '%s'" % FOLLOWS)
    wait_size(pane, "24 80")
    pane.resize(100, 30)
    wait_size(pane, "30 100")
    pane.resize(61, 17)
    wait_size(pane, "17 61")
    pane.key("C-c")
    pane.expect_prompt(130)


@case("a resize while the job is stopped, and of half a pipeline (TT-13)")
def resize_while_away(bench, pane):
    pane.start("agent-sandbox bash -c '%s'" % FOLLOWS)
    wait_size(pane, "24 80")
    pane.key("C-z")
    pane.expect_prompt(148)
    pane.resize(90, 31)
    pane.start("fg")
    wait_size(pane, "31 90")
    pane.key("C-c")
    pane.expect_prompt(130)
    os.unlink(pane.path("sizes"))
    # stty looks at its standard input, which here is a pipe.
    pane.start("true | agent-sandbox bash -c '%s'" % FOLLOWS.replace("stty size", "stty -F /dev/stderr size"))
    wait_size(pane, "31 90")
    pane.resize(70, 20)
    wait_size(pane, "20 70")
    pane.key("C-c")
    pane.expect_prompt(130)


@case("the terminal inside starts out with the settings of the person's (TT-13)")
def settings(bench, pane):
    pane.expect_run(0, "stty erase ^H intr ^X -ixon tostop")
    before = pane.stty()
    expect("intr = ^X" in before, "the setting outside")
    pane.expect_run(0, "agent-sandbox stty -a >inside")
    expect(read(pane.path("inside")) == before, "half of it on the terminal: " + read(pane.path("inside")))
    pane.expect_run(0, "agent-sandbox sh -c 'stty -a >inside'")
    expect(read(pane.path("inside")) == before, "all of it on the terminal: " + read(pane.path("inside")))
    mark = bench.mark()
    pane.start("agent-sandbox sleep " + mark)
    running(pane, mark)
    pane.key("C-x")
    pane.expect_prompt(130)


@case("what the command changes in its terminal stays inside, also from the background (TT-13)")
def settings_stay(bench, pane):
    before = pane.stty()
    pane.expect_run(0, "agent-sandbox stty -echo -icanon intr ^Y")
    expect(pane.stty() == before, "stty -a in the end")
    pane.expect_run(0, "agent-sandbox sh -c 'until [ -e go ]; do sleep 0.02; done; stty -a >inside' &")
    pane.run("true")
    open(pane.path("go"), "w").close()
    wait(lambda: read(pane.path("inside")).endswith("\n"), "the settings inside")
    for word in (" icanon", " echo "):
        expect(word in read(pane.path("inside")), "not those of a shell that edits a line: " + read(pane.path("inside")))


@case("a command that cannot be executed: 127, and the words at the left edge")
def not_executed(bench, pane):
    before = pane.stty()
    pane.expect_run(127, "clear; agent-sandbox no-such-command")
    pane.see("agent-sandbox: 'no-such-command' was not found inside the sandbox")
    expect(pane.stty() == before, "stty -a in the end")


@case("a window of one cell (TT-13)")
def one_cell(bench, pane):
    before = pane.stty()
    pane.resize(1, 1)
    pane.start("agent-sandbox sh -c 'stty size >sizes; read line; echo $line >got; exit 6'")
    wait_size(pane, "1 1")
    pane.wait_raw()
    pane.start("words")
    pane.expect_prompt(6)
    expect(read(pane.path("got")) == "words\n", "what was typed")
    pane.resize(80, 24)
    expect(pane.stty() == before, "stty -a in the end")


@case("a terminal without a size (TT-13)")
def no_size(bench, pane):
    terminal = RawTerminal(bench, [bench.sandbox, "sh", "-c", "stty size; exit 3"], rows=0, columns=0)
    terminal.wait_for(b"0 0")
    expect(terminal.end() == 3, "exit code")


@case("a dumb terminal gets no sequence that the command did not write")
def dumb(bench, pane):
    terminal = RawTerminal(bench, ["env", "TERM=dumb", bench.sandbox, "sh", "-c", "echo kind $TERM; read x; exit 2"])
    terminal.wait_for(b"kind dumb")
    terminal.write(b"\n")
    expect(terminal.end() == 2, "exit code")
    expect(b"\033" not in terminal.seen, "no escape: %r" % terminal.seen)
    own = bench.pane(term="dumb")
    own.expect_run(0, "agent-sandbox sh -c 'echo kind $TERM'")
    own.see("kind dumb")
    own.close()


@case("a program that needs the whole screen, in an own tmux inside the sandbox (TT-13)")
def nested(bench, pane):
    before = pane.stty()
    pane.start("agent-sandbox tmux -S ./inner -f /dev/null new 'stty size >sizes; read line; echo $line >got'")
    wait_size(pane, "23 80")  # one line is tmux's own
    pane.start("words")
    pane.expect_prompt(0)
    expect(read(pane.path("got")) == "words\n", "what was typed")
    expect(pane.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag}") == "0 1 0", "the screen is back")
    expect(pane.stty() == before, "stty -a in the end")


@case("under script(1), which has a terminal of its own (TT-13)")
def under_script(bench, pane):
    before = pane.stty()
    mark = bench.mark()
    pane.start("script -qec 'agent-sandbox sh -c \"read line; echo got \\$line; exec sleep %s\"' /dev/null" % mark)
    wait(pane.is_raw, "script's raw mode")
    pane.start("words")
    pane.see("got words")
    running(pane, mark)
    pane.key("C-c")
    pane.expect_prompt(130)
    expect(pane.stty() == before, "stty -a in the end")


@case("as the only program of a terminal, where nobody could resume it: ^Z does not hang (TT-13)")
def session_leader(bench, pane):
    terminal = RawTerminal(bench, [bench.sandbox, "sh", "-c", "echo up; read line; echo got $line; exit 9"])
    terminal.wait_for(b"up")
    terminal.write(b"\x1a")
    terminal.write(b"words\n")
    terminal.wait_for(b"got words")
    expect(terminal.end() == 9, "exit code")


@case("keys typed before the command reads arrive, all of them and in order (TT-13)")
def typed_ahead(bench, pane):
    words = " ".join("word%d" % i for i in range(100))
    for line in ("agent-sandbox sh -c 'until [ -e go ]; do sleep 0.02; done; read line; echo $line >got'",
                 "agent-sandbox sh -c 'until [ -e go ]; do sleep 0.02; done; read line; echo $line >got' | cat"):
        pane.start(line)
        wait(lambda: with_mark("[ -e go ]"), "the program")  # so far, keys are the shell's
        pane.start(words)
        open(pane.path("go"), "w").close()
        pane.expect_prompt(0)
        expect(read(pane.path("got")) == words + "\n", "what arrived: %r" % read(pane.path("got")))
        os.unlink(pane.path("go"))


main()
