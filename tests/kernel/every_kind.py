"""Files of every kind, and a full account of what a folder holds, to compare before and after."""
import hashlib, os, random, socket, stat

ODD = [b"a b", b" ", b"-rf", b"--", b"*", b"~", b"$HOME", b"new\nline", b"tab\there", b"\xff\xfe", b"quote'\"",
       b"back\\slash", "é".encode(), "\u202e".encode(), b"x" * 255, b".hidden", b"#", b"%s", b"{a,b}", b"CON"]
MODES = [0o000, 0o400, 0o444, 0o600, 0o644, 0o755, 0o777, 0o2755, 0o4755]


def _file(path, content, mode=0o644):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)


def fill(top, count, seed=1):
    """Makes `count` files below `top`, which does not exist yet, folders not counted."""
    draw, top = random.Random(seed), os.fsencode(top)
    os.makedirs(top)
    made, folders = 0, [top]
    deep = top
    for level in range(40):
        deep += b"/level%d" % level
        folders.append(deep)
    for name in ODD:
        folders.append(b"%s/odd/%s" % (top, name))
    for number in range(60):
        folders.append(draw.choice(folders[:40]) + b"/folder%d" % number)
    for folder in folders:
        os.makedirs(folder, exist_ok=True)
    while made < count - 5:
        folder, name = draw.choice(folders), b"file%d" % made
        path = folder + b"/" + name
        kind = draw.random()
        if kind < 0.02:
            os.mkfifo(path, draw.choice([0o600, 0o644]))
        elif kind < 0.04:
            here = os.open(".", os.O_RDONLY)
            os.chdir(folder)  # names of sockets are short
            with socket.socket(socket.AF_UNIX) as unix:
                unix.bind(name)
            os.fchdir(here)
            os.close(here)
        elif kind < 0.10:
            os.symlink(draw.choice([b"..", b"/etc/passwd", b"nowhere", b"file1", top, name]), path)
        elif kind < 0.14 and made:
            _file(path, b"two names\n")
            made += 1
            os.link(path, path + b"-too")
        elif kind < 0.16:
            with open(path, "wb") as file:
                file.truncate(1 << 20)  # nothing but a hole
        elif kind < 0.25:
            _file(path, b"")
        elif kind < 0.30:
            _file(b"%s/%s-%d" % (folder, draw.choice(ODD)[:200], made), draw.randbytes(64))
        else:
            _file(path, draw.randbytes(draw.choice([1, 100, 5000])), draw.choice(MODES))
        made += 1
    for mode in (0o000, 0o111, 0o555, 0o1777, 0o2755):
        folder = b"%s/mode-%o" % (top, mode)
        os.mkdir(folder)
        _file(folder + b"/in", b"kept\n")
        os.chmod(folder, mode)


def _content(path, info):
    if stat.S_ISLNK(info.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(info.st_mode):
        return b""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    except PermissionError:
        return b"?"  # its times and size still tell


def account(*tops, skip=()):
    """Path → kind and mode, inode, size, times of change, and target or hash of the content, for each
    of `tops` and all that is below, without the folders in `skip`."""
    skipped = {os.fsencode(path) for path in skip}
    found, waiting = {}, [os.fsencode(top) for top in tops]
    while waiting:
        path = waiting.pop()
        if path in skipped:
            continue
        info = os.lstat(path)
        found[path] = (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns, _content(path, info))
        if stat.S_ISDIR(info.st_mode):
            try:
                waiting += [path + b"/" + name for name in os.listdir(path)]
            except PermissionError:
                pass
    return found


def difference(before, after):
    """What has come, gone or changed, in words; empty when nothing has."""
    words = [f"{what} {path!r}" for what, paths in (("gone:", before.keys() - after.keys()), ("new:", after.keys() - before.keys()))
             for path in sorted(paths)]
    return words + [f"changed: {path!r}" for path in sorted(before.keys() & after.keys()) if before[path] != after[path]]
