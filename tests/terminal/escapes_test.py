#!/usr/bin/python3
"""Bytes that act on a terminal do not act on the person's (TT-10). Every attack is first made without
the sandbox, where it works: in tmux for what tmux obeys, byte by byte for what other terminals obey."""

import os
import subprocess
import time

from bench import case, expect, main, read
from raw_terminal import RawTerminal

# name, bytes, and what of it must not arrive: what a terminal would know it by
FORBIDDEN = (
    ("OSC 52, set the clipboard", b"\033]52;c;aGFsbG8=\007", b"\033]52;"),
    ("OSC 52, ask for the clipboard", b"\033]52;c;?\033\\", b"\033]52;"),
    ("ENQ, the answerback", b"a\005b", b"\005"),
    ("CSI 21 t, report the title", b"\033[21t", b"\033[21t"),
    ("DCS, DECRQSS", b"\033P$q\"p\033\\", b"\033P$q"),
    ("DCS, user-defined keys", b"\033P1;1|17/aGFsbG8=\033\\", b"\033P1;1|"),
    ("DCS, tmux passthrough", b"\033Ptmux;\033\033]52;c;aGFsbG8=\007\033\\", b"\033Ptmux;"),
    ("APC, as kitty takes it", b"\033_Gf=100;aGFsbG8=\033\\", b"\033_G"),
    ("PM", b"\033^aGFsbG8=\033\\", b"\033^"),
    ("SOS", b"\033XaGFsbG8=\033\\", b"\033X"),
    ("OSC 8 to a file", b"\033]8;;file:///aGFsbG8=\033\\x\033]8;;\033\\", b"file://"),
    ("OSC 777, a notification", b"\033]777;notify;aGFsbG8=;x\007", b"\033]777;"),
    ("OSC 4, change colours", b"\033]4;1;aGFsbG8=\007", b"\033]4;"),
    ("a title of screen and tmux", b"\033kaGFsbG8=\033\\", b"\033k"),
    ("CSI i, print the screen", b"\033[5i", b"\033[5i"),
    ("8-bit C1", b"\x9d52;c;aGFsbG8=\x9c", b"\x9d"),
    ("C1 in UTF-8", b"\xc2\x9d52;c;aGFsbG8=\xc2\x9c", b"\xc2\x9d"),
    ("CSI with a control character inside", b"\033[2\0051t", b"\005"),
)


def octal(data):
    return "".join("\\%03o" % byte for byte in data)


@case("what must not reach a terminal does not, whole or in pieces; without the sandbox it does (TT-10)")
def forbidden(bench, pane):
    with open(pane.path("write.py"), "w") as file:
        file.write("import os, sys, time\n"
                   "for byte in eval(sys.argv[1]):\n    os.write(1, bytes([byte]))\n    time.sleep(0.0005)\n"
                   "os.write(1, b'sentinel')\n")
    everything = b"".join(data for _, data, _ in FORBIDDEN)
    for program in ("printf", "pieces"):
        argv = (["printf", octal(everything + b"sentinel")] if program == "printf" else
                ["python3", "write.py", repr(everything)])
        control = RawTerminal(bench, argv)
        control.wait_for(b"sentinel")
        control.end()
        inside = RawTerminal(bench, [bench.sandbox, *argv])
        inside.wait_for(b"sentinel")
        expect(inside.end() == 0, "exit code")
        for name, data, mark in FORBIDDEN:
            expect(mark in data and mark in control.seen, "control: %s arrives: %r" % (name, control.seen))
            expect(mark not in inside.seen, "%s: %r of %s arrives: %r" % (name, mark, program, inside.seen))


@case("the same with standard error, with --no-tty and in a pipeline (TT-10)")
def forbidden_ways(bench, pane):
    everything = "first-word" + octal(b"".join(data for _, data, _ in FORBIDDEN))
    for line in ("agent-sandbox sh -c 'printf \"%s\" >&2'", "agent-sandbox --no-tty printf '%s'",
                 "true | agent-sandbox printf '%s'", "agent-sandbox sh -c 'printf \"%s\" >&2' | cat",
                 "agent-sandbox sh -c 'printf \"%s\" >/dev/tty' 2>/dev/null | cat"):
        terminal = RawTerminal(bench, ["bash", "-c", line % everything + "; printf sentinel"])
        terminal.wait_for(b"sentinel")
        terminal.end()
        expect(b"first-word" in terminal.seen, "what is harmless arrives: %r" % terminal.seen)
        for name, _, mark in FORBIDDEN:
            expect(mark not in terminal.seen, "%s in %s: %r" % (name, line, terminal.seen))


@case("colour, cursor, alternate screen, mouse and paste still work")
def allowed(bench, pane):
    data = b"\033[1;31mred\033[0m\033[3;4H\033[?1049h\033[?2004h\033[?1000h\033[?25l\033[2J\033[?1049l\xc3\xa4"
    terminal = RawTerminal(bench, [bench.sandbox, "printf", octal(data) + "sentinel"])
    terminal.wait_for(b"sentinel")
    terminal.end()
    expect(data in terminal.seen, "all of it: %r" % terminal.seen)
    for reset in (b"\033[?2004l", b"\033[?1000l", b"\033[?25h"):
        expect(reset in terminal.seen, "%r in the end: %r" % (reset, terminal.seen))


@case("tmux: OSC 52 does not fill the paste buffer; without the sandbox it does (TT-10)")
def clipboard(bench, pane):
    def buffers():
        return bench.server("list-buffers", "-F", "#{buffer_sample}").split()

    sequence = "printf '\\033]52;c;aGFsbG8=\\007'; "
    expect(buffers() == [], "no buffer before")
    pane.expect_run(0, sequence + "echo sentinel")
    pane.see("sentinel")
    expect(buffers() == ["hallo"], "control: tmux obeys: %s" % buffers())
    bench.server("delete-buffer")
    pane.expect_run(0, "clear; agent-sandbox " + sequence + "echo sentinel")
    pane.see("sentinel")
    expect(buffers() == [], "the buffer inside: %s" % buffers())


@case("tmux: a passthrough does not reach the terminal outside; without the sandbox it does (TT-10)")
def passthrough(bench, pane):
    client = RawTerminal(bench, ["tmux", "-S", bench.server.socket, "attach"])
    try:
        bench.server("select-window", "-t", pane.id)
        sequence = "printf '\\033Ptmux;\\033\\033]7777;aGFsbG8=\\007\\033\\\\'; "
        pane.expect_run(0, "clear; " + sequence + "echo sen''tinel")
        client.wait_for(b"sentinel")
        expect(b"\033]7777;aGFsbG8=" in client.seen, "control: it passes: %r" % client.seen)
        client.seen = b""
        pane.expect_run(0, "clear; agent-sandbox " + sequence + "echo sen''tinel")
        client.wait_for(b"sentinel")
        expect(b"\033]7777;" not in client.seen, "it passes: %r" % client.seen)
    finally:
        subprocess.run(["tmux", "-S", bench.server.socket, "detach-client"], check=False, capture_output=True)
        client.end()


def replies(pane, command):
    """How many bytes lie in the terminal's input after `command`, when tmux has obeyed all of it."""
    pane.start("clear; %s; echo sen''tinel; until [ -e go ]; do sleep 0.02; done; "
               "read -r -s -t 0.2 -d '' left; echo ${#left} >left" % command)
    pane.see(".*sentinel")
    open(pane.path("go"), "w").close()
    pane.prompt()
    os.unlink(pane.path("go"))
    return int(read(pane.path("left")))


@case("tmux: no reply of the terminal is left for the shell; without the sandbox there is one (TT-10)")
def no_replies(bench, pane):
    questions = "printf '\\033[c\\033[6n\\033[>c\\033[5n'"
    expect(replies(pane, questions) > 0, "control: replies are left")
    for line in (
        "agent-sandbox " + questions,
        "true | agent-sandbox " + questions,
        "agent-sandbox --no-tty " + questions,
        "agent-sandbox " + questions + " & wait",
        "agent-sandbox sh -c '%s >&2' | cat" % questions.replace("'", "\"").replace("\\", "\\\\"),
    ):
        left = replies(pane, line)
        expect(left == 0, "%d bytes are left by %s" % (left, line))


@case("tmux: nor when the command asks and then stops itself; without the sandbox there is one (TT-10)")
def no_replies_after_a_stop(bench, pane):
    stops = "sh -c 'printf \"\\033[c\\033[6n\"; kill -STOP $$'"
    for prefix, wanted in (("", True), ("agent-sandbox ", False)):
        left = replies(pane, prefix + stops)
        pane.run("kill -9 %1")
        expect((left > 0) == wanted, "%d bytes are left by %s" % (left, prefix + stops))


@case("a terminal that is no UTF-8 gets no byte that it could obey; one that is gets the letter (TT-10)")
def eight_bit(bench, pane):
    letter = "\u011b".encode()  # C4 9B: its second byte is CSI where a character is one byte
    for locale, arrives in (("C.UTF-8", True), ("C", False)):
        terminal = RawTerminal(bench, ["env", "LC_ALL=" + locale, bench.sandbox, "printf", octal(letter + b"21tsentinel")])
        terminal.wait_for(b"sentinel")
        terminal.end()
        expect((letter in terminal.seen) == arrives, "with %s: %r" % (locale, terminal.seen))
        expect(arrives or b"\x9b" not in terminal.seen, "CSI with %s: %r" % (locale, terminal.seen))


@case("an answer that a slow terminal sends late is not left for the shell either (TT-10)")
def late_answer(bench, pane):
    for line, wanted in (("printf '\\033[6n'", b"left=[\033"), ("agent-sandbox printf '\\033[6n'", b"left=[]")):
        terminal = RawTerminal(bench, ["bash", "-c", line + "; read -s -t 1 -n 1 left; echo \"left=[$left]\""])
        terminal.wait_for(b"\033[6n")
        time.sleep(0.05)
        terminal.write(b"\033[12;34R")
        terminal.wait_for(b"left=[")
        terminal.end()
        expect(wanted in terminal.seen, "%r after %s: %r" % (wanted, line, terminal.seen))


@case("a command that asks the terminal gets the answer (TT-10)")
def answers(bench, pane):
    ask = "stty raw -echo; printf \"\\033[6n\"; dd bs=1 count=3 2>/dev/null >answer; stty sane"
    for line in ("agent-sandbox sh -c '%s'", "true | agent-sandbox sh -c 'exec </dev/tty; %s'"):
        pane.expect_run(0, line % ask)
        expect(read(pane.path("answer")).startswith("\033["), "the answer: %r" % read(pane.path("answer")))
        os.unlink(pane.path("answer"))


main()
