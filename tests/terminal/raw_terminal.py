"""A terminal that shows nothing and knows nothing: a pseudo terminal whose bytes are kept as they
come. What tmux would not act on can be seen to arrive here, or not to."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from bench import Failed, PATIENCE


class RawTerminal:
    def __init__(self, bench, argv, *, rows=24, columns=80, controlling=True):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.name = os.ttyname(slave)

        def take():
            if controlling:
                os.setsid()
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, cwd=bench.workspace, env=bench.environment,
            preexec_fn=take)
        os.close(slave)
        self.pid = self.child.pid
        self.seen = b""

    def is_raw(self):
        return not termios.tcgetattr(self.master)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def queued(self):
        """How many typed bytes nobody has read."""
        slave = os.open(self.name, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))[0]
        finally:
            os.close(slave)

    def write(self, data):
        os.write(self.master, data)

    def pump(self, seconds):
        """Takes what has come, waiting at most `seconds` for it. False when there is no more."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # EIO: nobody has the other end
            return False
        self.seen += piece
        return piece != b""

    def wait_for(self, data, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while data not in self.seen:
            if time.monotonic() > end or not self.pump(0.1):
                raise Failed("no %r in what came: %r" % (data, self.seen))

    def hang_up(self):
        if self.master >= 0:
            os.close(self.master)
        self.master = -1

    def end(self, seconds=PATIENCE):
        """Everything until the program has ended; gives its exit code."""
        end = time.monotonic() + seconds
        while self.child.poll() is None:
            if time.monotonic() > end:
                self.child.kill()
                self.child.wait()
                raise Failed("still running after %g s: %r" % (seconds, self.seen))
            if self.master < 0 or not self.pump(0.02):
                time.sleep(0.02)
        while self.master >= 0 and select.select([self.master], [], [], 0)[0] and self.pump(0):
            pass
        self.hang_up()
        return self.child.returncode
