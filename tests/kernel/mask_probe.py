"""Inside a sandbox: does what it is told, one line a request, and says what came of it.

    try PATH        reads; "ok N" or the name of the error
    write PATH      appends; "ok" or the name of the error
    list PATH       names in a folder
    replace PATH N  writes canary N anew and renames it over PATH
    poll SECRET CONFIG   reads and writes in a tight loop, until
    polled               what was read and written meanwhile, as JSON
    move FROM TO    renames
    quit
"""
import errno, json, os, signal, sys, time


def name(error):
    return errno.errorcode.get(error.errno, str(error.errno))


def read(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(fd, 1 << 16)
    finally:
        os.close(fd)


def append(path, what):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, what)
    finally:
        os.close(fd)


def replace(path, content):
    """As editors save: a new file, renamed over the old one. When it began and when it was done."""
    with open(path + ".new", "wb") as file:
        file.write(content)
    began = time.monotonic_ns()
    os.rename(path + ".new", path)
    return began, time.monotonic_ns()


def poll(secret, config, out):
    """Until SIGTERM. When what was read, and when something was written."""
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    tries, read_at, bytes_read, written_at = 0, [], 0, []
    while not stop:
        tries += 1
        try:
            content = read(secret)
            bytes_read += len(content)
            read_at.append((time.monotonic_ns(), content.decode()))
        except OSError:
            pass
        try:
            append(config, b"!")
            written_at.append(time.monotonic_ns())
        except OSError:
            pass
    with os.fdopen(out, "w") as file:
        json.dump({"tries": tries, "read_at": read_at, "bytes": bytes_read, "written_at": written_at}, file)
    os._exit(0)


def main():
    poller = None
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "try":
                answer = f"ok {len(read(rest[0]))}"
            elif word == "write":
                append(rest[0], b"x")
                answer = "ok"
            elif word == "list":
                answer = "ok " + " ".join(sorted(os.listdir(rest[0])))
            elif word == "replace":
                answer = "%d %d" % replace(rest[0], rest[1].encode())
            elif word == "move":
                os.rename(rest[0], rest[1])
                answer = "ok"
            elif word == "kill":
                os.kill(int(rest[0]), int(rest[1]))
                answer = "ok"
            elif word == "poll":
                incoming, out = os.pipe()
                poller = os.fork()
                if poller == 0:
                    poll(rest[0], rest[1], out)
                os.close(out)
                answer = "ok"
            elif word == "polled":
                os.kill(poller, signal.SIGTERM)
                with os.fdopen(incoming) as file:
                    answer = file.read()
                os.waitpid(poller, 0)
            elif word == "quit":
                break
        except OSError as error:
            answer = name(error)
        print(answer, flush=True)


if __name__ == "__main__":
    main()
