"""Random policies about small trees, and random paths to ask about. What is drawn is legal to write
down; what it means, and whether it is refused, is the product's to say."""
import dataclasses, json, os, random

import small_world
from small_world import HOME

PLAIN = "/usr/bin:/bin"


class Tree:
    """A few folders, files and links below `top`."""

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
    TARGETS = ["/mnt/one", "/mnt/two/deep", "/run/one", "/tmp/two/deep"]
    PRIVATE_TARGETS = TARGETS[2:]
    INNER_TARGETS = ["{top}/fresh/bind", "{top}/a/b", "{top}/k/b/c", "{home}/bound"]  # refused where the host's files are shown
    BELOW = ["b", "b/g", "b/c", "b/c/h", "e", "e/y", "f", "g", "c", "x", "y", "up/e", "via/c"]

    def __init__(self, top):
        self.top = top
        for folder in self.FOLDERS:
            os.makedirs(f"{top}/{folder}")
        for name in self.FILES:
            write(f"{top}/{name}")
        for name, target in self.LINKS.items():
            os.symlink(target.format(top=top), f"{top}/{name}")
        os.chmod(f"{top}/locked", 0)
        self.inner_targets = [target.format(top=top, home=HOME) for target in self.INNER_TARGETS]
        real = [name for name in self.FOLDERS + self.FILES if not name.startswith("locked")]
        self.named = [f"{top}/{name}" for name in real]
        self.linked = [f"{top}/{name}" for name in self.LINKS if name != "dangling"]
        folders = [link for link in self.linked if not link.endswith("/file")]
        self.spelled = [f"{top}/a/file/b", *(f"{link}/{name}" for link in folders for name in self.BELOW)]
        self.bound = [f"{target}/{name}".rstrip("/") for target in self.TARGETS + self.inner_targets
                      for name in ["", *self.BELOW, "far"]]
        self.other = [top, "/mnt", "/mnt/two", "/tmp/two", f"{top}/fresh", f"{top}/dangling", f"{top}/new", f"{top}/d/new",
                      f"{top}/a/b/new/er", f"{top}/locked/in"]

    def pick(self, draw, weights=(45, 13, 12, 10, 5, 15)):
        """A path that a rule or a question names."""
        kinds = [self.named, self.linked, self.spelled, self.bound, self.other, HOME_PATHS]
        return draw.choice(draw.choices(kinds, weights)[0])

    def pick_for_rule(self, draw):
        """Fewer of those that most policies are refused for: below files, through writable links."""
        return self.pick(draw, (63, 5, 3, 3, 6, 20))

    def targets(self, draw, host_shown):
        """Of binds: mostly where a place can be made for them."""
        count = draw.choice([0, 0, 0, 1, 1, 2])
        if draw.random() < 0.1:
            return draw.sample(self.inner_targets + self.TARGETS, count)
        return draw.sample(self.PRIVATE_TARGETS if host_shown else self.TARGETS, count)

    def questions(self, draw, workspace, count):
        """Some near the rules, some about the workspace, the home and the system."""
        asked = [self.pick(draw) for _ in range(count - 7)] + draw.sample(self.other, 2) + draw.sample(HOME_PATHS, 2)
        return [*asked, draw.choice(SYSTEM_PATHS), draw.choice(SYSTEM_PATHS),
                draw.choice([workspace, os.path.dirname(workspace), f"{workspace}/new", f"{workspace}/f"])]


# Of the home: credentials, the product's own, programs, plain things, links. f: a file, d: a folder, else a link.
HOME_TREE = {
    ".ssh/id": "f", ".aws/credentials": "f", ".netrc": "f", ".config/gh/hosts.yml": "f", ".config/plain/file": "f",
    ".cargo/credentials": "f", ".cargo/bin/tool": "f", ".cargo/registry/item": "f", ".local/bin/tool": "f",
    ".local/share/keyrings/login": "f", ".bash_history": "f", ".docker/config.json": "f", ".bashrc": "f",
    "plain/file": "f", "plain/deep/er/file": "f", "projects/shop/f": "f", "projects/other/f": "f", "bound": "d",
    "keys": ".ssh", "plain/config": "../.config/plain", "bin": ".local/bin",
}
HOME_PATHS = [HOME, f"{HOME}/nowhere", f"{HOME}/.missing", f"{HOME}/.kube", f"{HOME}/.config/agent-sandbox",
              f"{HOME}/.config/agent-sandbox/config.toml", f"{HOME}/.local/state/agent-sandbox", f"{HOME}/.local/state",
              f"{HOME}/keys/id", f"{HOME}/plain/config/file", f"{HOME}/bin/tool"]
HOME_PATHS += [f"{HOME}/{name}" for name in HOME_TREE]
HOME_PATHS += sorted({os.path.dirname(f"{HOME}/{name}") for name in HOME_TREE if "/" in name})
SYSTEM_PATHS = ["/", "/proc", "/proc/self/status", "/dev", "/dev/null", "/dev/sda", "/dev/shm", "/run", "/var/run", "/tmp",
                "/var/tmp", "/etc", "/etc/shadow", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/ssh", "/etc/sudoers.d",
                "/usr", "/usr/bin/env", "/bin/sh", "/root", "/root/file", "/var", "/var/log", "/var/lib/thing", "/nowhere",
                "/home", "/mnt", "/sys", "/programs", "/lost+found"]


def write(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write("content\n")


class Trees:
    """Everything that the policies are about, made once in a world."""

    def __init__(self):
        small_world.own_folders()
        for name, kind in HOME_TREE.items():
            if kind == "d":
                os.makedirs(f"{HOME}/{name}")
            elif kind == "f":
                write(f"{HOME}/{name}")
        for name, kind in HOME_TREE.items():
            if kind not in "df":
                os.symlink(kind, f"{HOME}/{name}")
        for path in ("/etc/shadow", "/root/file", "/var/lib/thing", "/mnt/space/f", "/tmp/space/f", "/var/lib/space/f"):
            write(path)
        self.trees = [Tree(f"{HOME}/tree"), Tree("/tmp/tree")]

    def workspaces(self, tree):
        return [f"{HOME}/projects/shop", f"{HOME}/projects", "/mnt/space", "/tmp/space", "/var/lib/space", f"{tree.top}/a",
                f"{tree.top}/d/e", tree.top]


@dataclasses.dataclass
class Policy:
    """Rules in three layers: the top of the file, a profile, the command line."""

    tree: Tree
    head: list  # lines that are no rules
    layers: list  # of two: key → words
    options: list  # of the command line that are no rules
    rules: list  # of the command line: [flag, path]
    workspace: str
    path: str

    @property
    def text(self):
        return "\n".join([*self.head, *lines(self.layers[0]), "[profile.p]", *lines(self.layers[1]), ""])

    @property
    def flags(self):
        return [*self.options, *(word for rule in self.rules for word in rule)]

    def shuffled(self):
        draw = random.Random(len(self.text))
        layers = [{key: draw.sample(words, len(words)) for key, words in layer.items()} for layer in self.layers]
        return dataclasses.replace(self, layers=layers, rules=draw.sample(self.rules, len(self.rules)))


def lines(layer):
    """One line a key, so that a rule's line does not depend on the order of rules."""
    return [f"{key} = [{', '.join(words)}]" for key, words in layer.items() if words]


def pattern(draw, path):
    folder, name = os.path.split(path)
    return folder + "/" + draw.choice(["*", name[:1] + "*", "?", f"[{name[:1] or 'a'}-z]*", "*" + name[-1:]])


def nested(draw, tree):
    """Grants and hides in turn, each below the one before."""
    chain = draw.choice([[tree.top, f"{tree.top}/a", f"{tree.top}/a/b", f"{tree.top}/a/b/c", f"{tree.top}/a/b/c/h"],
                         [f"{HOME}/plain", f"{HOME}/plain/deep", f"{HOME}/plain/deep/er", f"{HOME}/plain/deep/er/file"],
                         [HOME, f"{HOME}/.cargo", f"{HOME}/.cargo/bin", f"{HOME}/.cargo/bin/tool"]])
    start = draw.randrange(2)
    return [(draw.choice(["ro", "rw"]) if (number + start) % 2 else "hide", path)
            for number, path in enumerate(chain) if draw.random() < 0.7]


def layer_of(draw, tree, host_shown, most, wide):
    """A few rules; `wide` is the probability of one about the whole tree."""
    chosen = []
    if draw.random() < wide:
        chosen.append((draw.choice(["ro", "rw"]), tree.top))
    if draw.random() < 0.15:
        chosen += nested(draw, tree)
    for _ in range(draw.randint(0, most)):
        key, path = draw.choice(["ro", "ro", "rw", "hide", "hide"]), tree.pick_for_rule(draw)
        if key == "rw" and not path.startswith((tree.top, f"{HOME}/")):
            key = "ro"
        chosen.append((key, pattern(draw, path) if draw.random() < 0.1 else path))
    rules = {"ro": [], "rw": [], "hide": [], "bind": []}
    for path, key in {path: key for key, path in chosen}.items():
        rules[key].append(json.dumps(path))
    for target in tree.targets(draw, host_shown):
        words = {"source": draw.choice(tree.named), "target": target, "mode": draw.choice(["ro", "rw"])}
        rules["bind"].append("{" + ", ".join(f"{key} = {json.dumps(word)}" for key, word in words.items()) + "}")
    return rules


def policy_of(draw, trees, homes, views):
    tree = draw.choice(trees.trees)
    head, options = [], ["--profile", "p"]
    view = draw.choice(views)
    if view != views[0] or draw.random() < 0.5:
        head.append(f"view = {json.dumps(view)}")
    host_shown = view != views[0]
    if draw.random() < 0.6:
        head.append(f"home = {json.dumps(draw.choice(homes))}")
    if draw.random() < 0.15:
        options.append("--read-only")
    workspace = draw.choice(trees.workspaces(tree))
    if draw.random() < 0.5:
        options += ["--workspace", workspace]
    rules = {path: flag for flag, path in
             [(draw.choice(["--ro", "--rw", "--hide"]), draw.choice([*tree.named, *HOME_PATHS[-20:]]))
              for _ in range(draw.choice([0, 0, 1, 2]))]}
    return Policy(tree, head, [layer_of(draw, tree, host_shown, 5, 0.5), layer_of(draw, tree, host_shown, 2, 0)], options,
                  [[flag, path] for path, flag in rules.items()], workspace,
                  draw.choice([PLAIN, f"{HOME}/.local/bin:{HOME}/.cargo/bin:{HOME}/bin:{PLAIN}"]))
