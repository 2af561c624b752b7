#!/usr/bin/python3
"""explain equals the kernel: random policies, and random paths asked from explain and tried inside.

The policies are about a small tree, the home, credentials and system folders, in worlds of the
test's own. Every policy is run for real; some also as the bubblewrap command that plan prints. The
same rules in another order give the same plan (FS-21). What the rules of a view are is not known
here: only what each answer of explain promises to a program inside.

Usage: explain_random_test.py AGENT_SANDBOX [--first SEED] [--policies N] [--workers N] [--long]
Seeds count up, so a run repeats; a disagreement prints its seed, its policy and its path.
"""
import sys

sys.dont_write_bytecode = True
import argparse, collections, difflib, json, os, random, subprocess, tempfile, time

import small_world
from random_policy import Trees, policy_of
from small_world import HOME

PATHS = 20
PRINTED = 8  # of so many policies, one is also tried with the printed command
MOST_REFUSED = 0.4  # of all policies: rules that contradict each other, or lead through a writable link
SECONDS = 60

# Runs inside: for each argument, how reading and then writing it ends.
PROBE = r"""
import errno, json, os, stat, sys

def attempt(path, flags):
    try:
        fd = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o600)
    except OSError as problem:
        return errno.errorcode[problem.errno]
    os.close(fd)
    return "ok"

def remove(path):
    try:
        os.unlink(path)
    except OSError as problem:
        if problem.errno != errno.EBUSY:  # hidden as soon as it was there: it stays, and goes outside
            raise

def probe(path):
    kind, write = "none", "none"
    read = attempt(path, os.O_RDONLY)
    create = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    if read == "ok" and os.path.isdir(path):
        kind = "folder"
        os.listdir(path)
        write = attempt(path + "/.probe", create)
        if write == "ok":
            remove(path + "/.probe")
    elif read == "ok":
        kind = "file"
        write = attempt(path, os.O_WRONLY)
    else:
        write = attempt(path, create)
        if write == "ok":
            remove(path)
    return [kind, read, write]

print(json.dumps([probe(path) for path in sys.argv[1:]]))
"""

MISSING = "it does not exist on this host"
LOCKED = "you may not look at it yourself"
NAMELESS = "not even its name is there: the folder that holds it is not shown"
LATE = "if it appears during the run it is hidden then: the gap late-hide"
LEADS = "it leads to "
HOLDS = "what a rule shows below it is there"
WANTED = {"read-only", "read-write", "hidden", "absent", "private", "passage", "proc", "devices", "made"}


def agrees(path, verdict, notes, kind, read, write):
    """Whether what explain says is what the probe met."""
    if verdict in ("read-only", "read-write"):
        writes = ["ok" if verdict == "read-write" else "EROFS"]
        if not os.access(path, os.W_OK):  # the owner's modes are asked before the mount
            writes.append("EACCES")
        if LOCKED in notes:
            return read == "EACCES"
        if MISSING in notes:  # a file can be made where its folder is, unless a link dangles there
            return read == "ENOENT" and write in (*writes, "ENOENT", "EEXIST")
        return read == "ok" and write in writes
    if verdict == "hidden":
        there = NAMELESS not in notes and LATE not in notes
        return read == ("EACCES" if there else "ENOENT") and (write != "ok" or not there)
    if verdict == "absent":  # the name of a link that is not shown may be free in a private folder
        return read == "ENOENT" and (write != "ok" or LEADS in "".join(notes))
    if verdict == "passage":
        return (kind, read, write) == ("folder", "ok", "EROFS")
    if verdict in ("private", "kept"):
        own = (kind, read, write) == ("folder", "ok", "ok")
        return own or (read == "ENOENT" and HOLDS not in notes)
    if verdict in ("proc", "devices"):  # file systems of the sandbox's own
        return read in ("ok", "ENOENT") and (write == "ok") == (kind == "file" and verdict == "devices")
    if verdict == "made":  # a file of the sandbox's own, mode 444
        return (kind, read, write) == ("file", "ok", "EACCES")
    if verdict == "error":  # a loop, or a path below a file
        return read in ("ENOENT", "ENOTDIR", "ELOOP", "EACCES")
    return False


def in_any_order(plan):
    """The lines of a plan without what may follow the order of rules: where in its line one stands, and
    the list of those that were left out."""
    def kept(pairs):
        return {key: value for key, value in pairs if key != "column"}

    plan = json.loads(plan or b"{}", object_pairs_hook=kept)
    plan["left-out"] = sorted(plan.get("left-out", []), key=str)
    return json.dumps(plan, indent=1).splitlines()


class Worker:
    """Tries the policies of its seeds in its own world."""

    def __init__(self, sandbox, homes, views):
        self.sandbox, self.homes, self.views = sandbox, homes, views
        self.trees = Trees()
        self.config = f"{HOME}/.config/agent-sandbox/config.toml"
        self.counts, self.verdicts = collections.Counter(), collections.Counter()

    def run(self, policy, command, *words):
        environment = {**os.environ, "PATH": policy.path}
        return subprocess.run([self.sandbox, *command, *words], capture_output=True, check=False, cwd=policy.workspace,
                              env=environment, stdin=subprocess.DEVNULL, timeout=SECONDS)

    def explain(self, policy, paths):
        """Verdict and notes of each path; "error" for one that leads nowhere."""
        done = self.run(policy, ["explain", "--json"], *policy.flags, *[f"path:{path}" for path in paths])
        if done.returncode == 0:
            return [(item["verdict"], item["notes"]) for item in json.loads(done.stdout)]
        if len(paths) == 1:
            return [("error", [done.stderr.decode()])]
        half = len(paths) // 2
        return self.explain(policy, paths[:half]) + self.explain(policy, paths[half:])

    def disagree(self, seed, policy, what):
        self.counts["disagreements"] += 1
        print(f"not ok: seed {seed}: {what}\n{policy.text}in {policy.workspace}: {' '.join(policy.flags)}\n",
              file=sys.stderr, flush=True)

    def write(self, text):
        with open(self.config, "w", encoding="ascii") as file:
            file.write(text)

    def compare(self, seed, policy, paths, said, tried):
        if tried.returncode != 0:
            self.disagree(seed, policy, f"exit {tried.returncode}: {tried.stderr.decode()}")
            return
        for path, (verdict, notes), met in zip(paths, said, json.loads(tried.stdout), strict=True):
            self.counts["paths"] += 1
            self.verdicts[verdict] += 1
            if not agrees(path, verdict, notes, *met):
                self.disagree(seed, policy, f"{path} is {verdict} {notes}, inside {met}")

    def shuffled(self, seed, policy, planned):
        """FS-21: the same rules in another order."""
        other = policy.shuffled()
        self.write(other.text)
        again = self.run(other, ["plan", "--json"], *other.flags, "--", "true")
        self.write(policy.text)
        self.counts["shuffled"] += 1
        one, two = in_any_order(planned.stdout), in_any_order(again.stdout)
        if planned.returncode != again.returncode or one != two:
            differs = "\n".join(difflib.unified_diff(one, two, lineterm="", n=4))
            self.disagree(seed, policy, f"FS-21 exit {planned.returncode} and {again.returncode}, another plan in another order:\n"
                                        f"{differs}\n{other.text}{' '.join(other.flags)}\n{again.stderr.decode()}")

    def control(self):
        """The comparison can fail: explain does not get the rules that the run has."""
        draw, missed = random.Random(0), 0
        for flag, verdict in (("--ro", "read-only"), ("--rw", "read-write"), ("--hide", "hidden")):
            policy = policy_of(draw, self.trees, self.homes, self.views)
            policy.head, policy.layers, policy.workspace, path = [], [{}, {}], "/mnt/space", f"{self.trees.trees[0].top}/a/f"
            policy.options, policy.rules = ["--profile", "p"], [["--ro", os.path.dirname(path)]] if flag == "--hide" else []
            self.write(policy.text)
            said = self.explain(policy, [path])[0]
            policy.rules.append([flag, path])
            tried = self.run(policy, [], *policy.flags, "--", sys.executable, "-I", "-S", "-c", PROBE, path)
            met = json.loads(tried.stdout)[0]
            missed += agrees(path, *said, *met) or not agrees(path, verdict, [], *met)
        self.counts["missed by the control"] = missed

    def try_policy(self, seed):
        for entry in os.scandir(small_world.STATE):  # what a kept home has from other policies
            small_world.remove(entry.path)
        draw = random.Random(seed)
        policy = policy_of(draw, self.trees, self.homes, self.views)
        paths = policy.tree.questions(draw, policy.workspace, PATHS)
        self.write(policy.text)
        probe = [sys.executable, "-I", "-S", "-c", PROBE, *paths]
        planned = self.run(policy, ["plan", "--json"], *policy.flags, "--", "true")
        self.shuffled(seed, policy, planned)
        missing = [path for path in paths if not os.path.lexists(path)]
        tried = self.run(policy, [], *policy.flags, "--", *probe)
        for path in filter(os.path.lexists, missing):
            os.unlink(path)
        if planned.returncode == 3 and tried.returncode == 3:
            self.counts["refused"] += 1
            return
        self.counts["policies"] += 1
        said = self.explain(policy, paths)
        self.compare(seed, policy, paths, said, tried)
        # bubblewrap does not make a link that a kept home has already.
        if seed % PRINTED == 0 and json.loads(planned.stdout)["home"]["value"] != "kept":
            printed = self.run(policy, ["plan", "--argv"], *policy.flags, "--", *probe)
            if printed.returncode == 0:
                printed = subprocess.run(["bash", "-c", printed.stdout], capture_output=True, check=False,
                                         cwd=policy.workspace, stdin=subprocess.DEVNULL, timeout=SECONDS)
            self.counts["printed"] += 1
            self.compare(seed, policy, paths, said, printed)


def work(options):
    worker = Worker(options.sandbox, small_world.words_of("home"), small_world.words_of("view"))
    worker.control()
    seed = options.first
    while worker.counts["policies"] < options.policies and worker.counts["refused"] <= 4 * options.policies:
        worker.try_policy(seed)
        seed += options.workers
    print(json.dumps([worker.counts, worker.verdicts]))


def spread(options):
    """One world a worker: they write the same paths."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="asb-worlds-") as top:
        workers = []
        for number in range(options.workers):
            share = (options.policies + options.workers - 1 - number) // options.workers
            os.mkdir(f"{top}/{number}")
            workers.append(small_world.start(f"{top}/{number}", os.path.basename(__file__), os.path.abspath(options.sandbox),
                                             "--policies", str(share), "--first", str(options.first + number),
                                             "--workers", str(options.workers), stdout=subprocess.PIPE))
        results = [(worker.communicate()[0], worker.returncode) for worker in workers]
        for number in range(options.workers):
            small_world.remove(f"{top}/{number}")
    counts, verdicts = collections.Counter(), collections.Counter()
    for output, code in results:
        if code != 0:
            sys.exit(f"a worker ended with {code}")
        for total, part in zip((counts, verdicts), json.loads(output)):
            total.update(part)
    share = counts["refused"] / (counts["refused"] + counts["policies"])
    print(f"{counts['policies']} policies, {counts['paths']} paths, {counts['disagreements']} disagreements; "
          f"{counts['printed']} also as the printed command; {counts['shuffled']} shuffled (FS-21); "
          f"{share:.0%} refused; {time.monotonic() - began:.0f} s\n{dict(verdicts)}")
    if counts["missed by the control"]:
        sys.exit("control: the comparison does not see a rule that explain was not told")
    if share > MOST_REFUSED or counts["policies"] < options.policies:
        sys.exit("too many policies were refused")
    wanted = WANTED | {"kept"} & set(small_world.words_of("home"))
    if not wanted <= verdicts.keys():
        sys.exit(f"never met: {wanted - verdicts.keys()}")
    sys.exit(1 if counts["disagreements"] else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sandbox")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--policies", type=int, default=500)
    parser.add_argument("--workers", type=int, default=min(8, len(os.sched_getaffinity(0))))
    parser.add_argument("--long", action="store_true", help="ten times as many policies")
    options = parser.parse_args()
    if options.long:
        options.policies *= 10
    if os.getuid() == 0:
        sys.exit("this test needs an ordinary user: root hides mistakes")
    if small_world.is_here():
        work(options)
    else:
        spread(options)


if __name__ == "__main__":
    main()
