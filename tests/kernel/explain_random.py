"""Random policies over a small tree: explain's verdicts against what a program inside meets.

Usage: explain_random.py AGENT_SANDBOX FOLDER [FIRST_SEED [POLICIES]]

FOLDER is empty scratch space with the product's own folders in it; XDG_CONFIG_HOME points there.
Seeds count up, so a run repeats; a disagreement prints its seed, its policy and its path.
"""

import json
import os
import random
import subprocess
import sys

SEEDS_A_POLICY = 8  # at most: some are refused
PATHS = 20

# Runs inside: for each argument, how reading and then writing it ends.
PROBE = r"""
import errno, json, os, stat, sys

def attempt(path, flags):
    try:
        fd = os.open(path, flags | os.O_NONBLOCK, 0o600)
    except OSError as problem:
        return errno.errorcode[problem.errno]
    os.close(fd)
    return "ok"

def probe(path):
    kind, write = "none", "none"
    read = attempt(path, os.O_RDONLY)
    create = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    if read == "ok" and os.path.isdir(path):
        kind = "folder"
        os.listdir(path)
        write = attempt(path + "/.probe", create)
        if write == "ok":
            os.unlink(path + "/.probe")
    elif read == "ok":
        kind = "file"
        write = attempt(path, os.O_WRONLY)
    else:
        write = attempt(path, create)
        if write == "ok":
            os.unlink(path)
    return [kind, read, write]

print(json.dumps([probe(path) for path in sys.argv[1:]]))
"""

MISSING = "it does not exist on this host"
LOCKED = "you may not look at it yourself"
NAMELESS = "not even its name is there: the folder that holds it is not shown"
LATE = "if it is made later it is not hidden: the gap late-hide"
HOLDS = "what a rule shows below it is there"


def agrees(verdict, notes, kind, read, write):
    """Whether what explain says is what the probe met."""
    if verdict in ("read-only", "read-write"):
        writes = "ok" if verdict == "read-write" else "EROFS"
        if LOCKED in notes:
            return read == "EACCES"
        if MISSING in notes:  # a file can be made where its folder is, unless a link dangles there
            return read == "ENOENT" and write in (writes, "ENOENT", "EEXIST")
        return read == "ok" and write == writes
    if verdict == "hidden":
        there = NAMELESS not in notes and LATE not in notes
        return read == ("EACCES" if there else "ENOENT") and (write != "ok" or not there)
    if verdict == "absent":
        return read == "ENOENT"
    if verdict == "passage":
        return (kind, read, write) == ("folder", "ok", "EROFS")
    if verdict == "private":
        own = (kind, read, write) == ("folder", "ok", "ok")
        return own or (read == "ENOENT" and HOLDS not in notes)
    if verdict == "error":  # a loop, or a path below a file
        return read in ("ENOENT", "ENOTDIR", "ELOOP", "EACCES")
    return False


class Tree:
    """What the policies are about."""

    FOLDERS = ["a", "a/b", "a/b/c", "d", "d/e", "d/odd name", "locked"]
    FILES = ["f", "a/f", "a/b/g", "a/b/c/h", "d/x", "d/e/y", "d/odd name/z", "locked/in"]
    LINKS = {
        "k": "a",  # relative
        "m": "{top}/d/e",  # absolute
        "n": "k/b",  # through another link
        "a/up": "../d",
        "a/file": "b/g",
        "a/b/far": "{top}/d",
        "d/via": "e/../../a/b",  # climbs out of a folder that may be hidden
        "d/e/out": "../../k/b",
        "dangling": "nowhere/at/all",
    }
    TARGETS = ["/mnt/one", "/mnt/two/deep", "{top}/fresh/bind", "{top}/a/b", "{top}/k/b/c"]

    def __init__(self, top):
        self.top = top
        for folder in self.FOLDERS:
            os.makedirs(f"{top}/{folder}")
        for name in self.FILES:
            with open(f"{top}/{name}", "w", encoding="ascii") as file:
                file.write("content\n")
        for name, target in self.LINKS.items():
            os.symlink(target.format(top=top), f"{top}/{name}")
        os.chmod(f"{top}/locked", 0)
        self.targets = [target.format(top=top) for target in self.TARGETS]
        real = [name for name in self.FOLDERS + self.FILES if not name.startswith("locked")]
        self.named = [f"{top}/{name}" for name in real]
        self.linked = [f"{top}/{name}" for name in self.LINKS if name != "dangling"]
        below = ["b", "b/g", "b/c", "b/c/h", "e", "e/y", "f", "g", "c", "x", "y", "up/e", "via/c"]
        self.spelled = [f"{link}/{name}" for link in self.linked for name in below]
        self.bound = [f"{target}/{name}" for target in self.targets for name in ["", *below, "far"]]
        self.bound = [path.rstrip("/") for path in self.bound]
        self.other = [top, "/tmp", "/mnt", "/mnt/two", f"{top}/fresh", f"{top}/dangling",
                      f"{top}/new", f"{top}/d/new", f"{top}/a/b/new/er", f"{top}/locked/in"]

    def pick(self, draw):
        """A path that a rule or a question names."""
        kind = draw.random()
        if kind < 0.5:
            return draw.choice(self.named)
        if kind < 0.65:
            return draw.choice(self.linked)
        if kind < 0.8:
            return draw.choice(self.spelled)
        if kind < 0.95:
            return draw.choice(self.bound)
        return draw.choice(self.other)


def layer(draw, tree, most, wide):
    """A few rules as lines of TOML; `wide` is the probability of one about the whole tree."""
    rules = {"ro": [], "rw": [], "hide": []}
    if draw.random() < wide:
        rules[draw.choice(["ro", "rw"])].append(tree.top)
    for _ in range(draw.randint(0, most)):
        key = draw.choice(["ro", "ro", "rw", "hide", "hide"])
        path = tree.pick(draw)
        if key == "rw" and not path.startswith(tree.top):
            key = "ro"
        if draw.random() < 0.1:
            path = os.path.dirname(path) + "/*"
        if path not in rules["ro"] + rules["rw"] + rules["hide"]:
            rules[key].append(path)
    lines = [f"{key} = {json.dumps(paths)}" for key, paths in rules.items() if paths]
    binds = []
    for target in draw.sample(tree.targets, draw.choice([0, 0, 1, 1, 2])):
        source = draw.choice(tree.named)
        mode = draw.choice(["ro", "rw"])
        words = {"source": source, "target": target, "mode": mode}
        binds.append("{" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in words.items()) + "}")
    if binds:
        lines.append(f"bind = [{', '.join(binds)}]")
    return "\n".join(lines) + "\n"


def flags(draw, tree):
    """What is said on the command line; it names paths that exist."""
    out = []
    for _ in range(draw.choice([0, 0, 1, 2])):
        out += [draw.choice(["--ro", "--rw", "--hide"]), draw.choice(tree.named)]
    return out


def run(*words):
    return subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL)


def explain(sandbox, options, paths):
    """Verdict and notes of each path; "error" for one that leads nowhere."""
    done = run(sandbox, "explain", "--json", *options, *[f"path:{path}" for path in paths])
    if done.returncode == 0:
        return [(item["verdict"], item["notes"]) for item in json.loads(done.stdout)]
    if len(paths) == 1:
        return [("error", [done.stderr.decode()])]
    half = len(paths) // 2
    return explain(sandbox, options, paths[:half]) + explain(sandbox, options, paths[half:])


def main():
    sandbox, work = sys.argv[1:3]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wanted_policies = int(sys.argv[4]) if len(sys.argv) > 4 else 64
    tree = Tree(work + "/tree")
    config = os.environ["XDG_CONFIG_HOME"] + "/agent-sandbox/config.toml"
    compared, disagreements, policies, seen = 0, 0, 0, {}
    for seed in range(first, first + wanted_policies * SEEDS_A_POLICY):
        if policies == wanted_policies:
            break
        draw = random.Random(seed)
        top = layer(draw, tree, 5, 0.6)
        if draw.random() < 0.4:
            top = f'view = "blacklist"\n{top}'
        text = f"{top}\n[profile.p]\n{layer(draw, tree, 2, 0)}"
        with open(config, "w", encoding="ascii") as file:
            file.write(text)
        options = ["--profile", "p", *flags(draw, tree)]
        paths = [tree.pick(draw) for _ in range(PATHS - 3)] + draw.sample(tree.other, 3)
        plan = run(sandbox, "plan", "--argv", *options, "--",
                   sys.executable, "-I", "-S", "-c", PROBE, *paths)
        if plan.returncode == 3:
            continue  # rules that contradict each other, or lead through a link that can be written
        policies += 1
        inside = run("bash", "-c", plan.stdout) if plan.returncode == 0 else plan
        if inside.returncode != 0:
            disagreements += 1
            print(f"not ok: seed {seed}: {inside.stderr.decode()}{text}{' '.join(options)}\n")
            continue
        said = explain(sandbox, options, paths)
        for path, (verdict, notes), met in zip(paths, said, json.loads(inside.stdout), strict=True):
            compared += 1
            seen[verdict] = seen.get(verdict, 0) + 1
            if not agrees(verdict, notes, *met):
                disagreements += 1
                print(f"not ok: seed {seed}: {path} is {verdict} {notes}, inside {met}\n"
                      f"{text}{' '.join(options)}\n")
    print(f"{policies} policies, {compared} paths, {disagreements} disagreements, {seen}")
    if policies < wanted_policies:
        sys.exit("too many policies were refused")
    wanted = {"read-only", "read-write", "hidden", "absent", "private", "passage"}
    if not wanted <= seen.keys():
        sys.exit(f"never met: {wanted - seen.keys()}")
    sys.exit(1 if disagreements else 0)


if __name__ == "__main__":
    main()
