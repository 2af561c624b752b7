#!/usr/bin/python3
"""The own floor, attacked in every way that grants, links, names and processes offer (FS-31), and
workspaces that would put it at risk (FS-32).

Configuration, state and the sockets in it are hidden and the installed programs read-only, whatever
is granted. Each way has its control: the command that plan --argv prints, less exactly the mounts of
the own floor, lets the same attempt through. Where the start is refused there is no plan to take
anything out of; there the same tree under a neutral name is the control.

Usage: own_floor_test.py AGENT_SANDBOX BUILD_DIR
"""
import os
import shutil
import socket
import subprocess
import sys

import attack_frame
from attack_frame import (BWRAP, HOME, SHOP, Attacks, Program, Refused, check, empty_home, on_a_host_with, run, stock,
                          write)

# The documented exit codes: 3 for a policy that is refused; 125 is for a wall that cannot be built.
POLICY = 3
PENDING = {}

CONFIG, STATE = f"{HOME}/.config/agent-sandbox", f"{HOME}/.local/state/agent-sandbox"
PROGRAM, INIT = f"{HOME}/.local/bin/agent-sandbox", f"{HOME}/.local/libexec/agent-sandbox/agent-sandbox-init"
USUAL = {"config": CONFIG, "state": STATE, "program": PROGRAM, "init": INIT}
listener = None


def install(top, argv):
    """As installed below the home by the documented command."""
    done = run(["cmake", "--install", argv[1], "--prefix", f"{top}/prefix"])
    if done.returncode != 0:
        sys.exit(f"cmake --install: {done.stderr}")
    del argv[1]


def installed():
    """Puts the programs below the home unless they are there as they were."""
    source, target = f"{os.environ[attack_frame.SCRATCH]}/prefix", f"{HOME}/.local"
    same = True
    for name in ("bin/agent-sandbox", "libexec/agent-sandbox/agent-sandbox-init"):
        try:
            one, two = os.stat(f"{source}/{name}"), os.lstat(f"{target}/{name}")
            same = same and [one.st_mode, one.st_size, one.st_mtime_ns, 1
                             ] == [two.st_mode, two.st_size, two.st_mtime_ns, two.st_nlink]
            same = same and not os.listxattr(f"{target}/{name}") and len(
                os.listdir(os.path.dirname(f"{target}/{name}"))) == 1
        except OSError:
            same = False
    if not same:
        subprocess.run(["rm", "-rf", target], check=True)
        shutil.copytree(source, target)


def floor_home():
    empty_home(keep=(".local", ))
    installed()
    shutil.rmtree(f"{HOME}/.local/state", ignore_errors=True)
    write(f"{CONFIG}/config.toml", "# canary\nnetwork = \"none\"\n")
    write(f"{CONFIG}/profiles/site.toml", "# canary\n")
    os.makedirs(SHOP)
    a_state(STATE)


def a_state(at):
    """State with a socket in it that this process listens on."""
    global listener
    write(f"{at}/trust/pin")
    if listener:
        listener.close()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{at}/control.sock")
    listener.listen()


# What is tried, with the places as arguments: NAME=PATH.
REACH = """
if "chdir" in sys.argv: os.chdir(H)
if "descriptor" in sys.argv: os.dup2(os.open(H, os.O_PATH), 9)
def config(at):
    t("config read", lambda: read(at + "/config.toml")[:8])
    t("config list", lambda: len(os.listdir(at)) and None)
    t("config profile", lambda: read(at + "/profiles/site.toml"))
    t("config write", lambda: put(at + "/config.toml", how=os.O_WRONLY | os.O_APPEND))
    t("config create", lambda: put(at + "/new.toml"))
    t("config chmod", lambda: os.chmod(at, 0o777))
def state(at):
    t("state read", lambda: read(at + "/trust/pin"))
    t("state connect", lambda: connect(at + "/control.sock"))
    t("state write", lambda: put(at + "/trust/pin", how=os.O_WRONLY | os.O_TRUNC))
    t("state create", lambda: put(at + "/trust/new"))
    t("state chmod", lambda: os.chmod(at, 0o777))
def a_program(name, at):
    def replace():
        put(at + "-other")
        os.rename(at + "-other", at)
    t(name + " chmod", lambda: os.chmod(at, 0o777))
    t(name + " utime", lambda: os.utime(at, (1, 1)))
    t(name + " setxattr", lambda: os.setxattr(at, "user.planted", b"x"))
    t(name + " truncate", lambda: os.close(os.open(at, os.O_WRONLY | os.O_TRUNC)))
    t(name + " replace", replace)
    t(name + " unlink", lambda: os.unlink(at))
    t(name + " create anew", lambda: put(at, how=os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    t(name + " rename away", lambda: os.rename(at, at + "-old"))
for name, _, at in (word.partition("=") for word in sys.argv[1:] if "=" in word):
    if name == "config": config(at)
    elif name == "state": state(at)
    else: a_program(name, at)
"""
STEPS = {
    "config": ("read", "list", "profile", "write", "create", "chmod"),
    "state": ("read", "connect", "write", "create", "chmod")
}
PROGRAM_STEPS = ("chmod", "utime", "setxattr", "truncate", "replace", "unlink", "create anew", "rename away")


def outcome(name, around):
    """What the floor answers: in a writable folder, in a read-only one, in one that is not shown."""
    steps = STEPS.get(name, PROGRAM_STEPS)
    if around == "absent":
        return {f"{name} {step}": "ENOENT" for step in steps}
    if name in STEPS:
        return {f"{name} {step}": "EACCES" for step in steps} | {f"{name} chmod": "EROFS"}
    answers = dict.fromkeys(steps, "EROFS") | {"create anew": "EEXIST"}
    if around == "writable":
        answers |= {"replace": "EBUSY", "unlink": "EBUSY", "rename away": "EBUSY"}
    return {f"{name} {step}": answer for step, answer in answers.items()}


def without_floor(name, around):
    """The same attempts when the floor is out of the plan. None: they all succeed."""
    steps = STEPS.get(name, PROGRAM_STEPS)
    if around == "absent":
        return {f"{name} {step}": "ENOENT" for step in steps}
    if around == "writable":
        return {f"{name} {step}": "ok"
                for step in steps} | {
                    "config": {"config read": "# canary", "config profile": "# canary"},
                    "state": {"state read": "canary"}
                }.get(name, {})
    if name in STEPS:
        return without_floor(name, "writable") | {f"{name} {step}": "EROFS" for step in ("write", "create", "chmod")}
    return outcome(name, "read-only")  # the wall is the read-only folder around it


def is_floor(mount):
    return mount["origin"]["place"] == "own floor"


class Floor:
    """Counts the ways."""
    def __init__(self, attacks, program):
        self.attacks, self.program, self.ways = attacks, program, []

    def way(self, title, options, around, places=None, *, scene=None, words=(), control=None, **start):
        """REACH at the places, with these options. around: what is around each place."""
        places = places or USUAL
        arounds = around if isinstance(around, dict) else dict.fromkeys(places, around)
        arguments = [*words, *(f"{name}={at}" for name, at in places.items())]
        expected, freed = {}, {}
        for name in places:
            expected |= outcome(name, arounds[name])
            freed |= without_floor(name, arounds[name])
        control = control or self.program.printed(*options, drop=is_floor, **start)
        self.attacks.hold("FS-31", title, REACH, self.program(*options, **start), expected, control,
                          control_gives=freed, scene=scene, arguments=arguments,
                          canaries=[f"{CONFIG}/config.toml", CONFIG, f"{STATE}/trust/pin", STATE, PROGRAM, INIT])
        self.ways.append(title)

    def probe(self, title, options, probe, expected, **more):
        """Another attempt, all of whose steps succeed without the floor."""
        more.setdefault("control", self.program.printed(*options, drop=is_floor))
        self.attacks.hold("FS-31", title, probe, self.program(*options), expected, **more)
        self.ways.append(title)

    def refused(self, title, options, twin, said, probe, **more):
        """A start that is refused; twin: the same options for a tree of a neutral name."""
        self.attacks.hold("FS-31", title, probe, self.program(*options), Refused(POLICY, said), self.program(*twin),
                          **more)
        self.ways.append(title)


def moved(prefix):
    return {name: at.replace(HOME, prefix) for name, at in USUAL.items()}


def grants(floor):
    floor.way("--rw ~", ["--rw", "~"], "writable")
    floor.way("--ro ~, sockets too", ["--ro", "~"], "read-only")
    floor.way("home = write", ["--home", "write"], "writable")
    floor.way("home = read", ["--home", "read"], "read-only")
    floor.way("blacklist", ["--blacklist", "--home", "read"], "read-only")
    floor.way("blacklist with --rw ~", ["--blacklist", "--rw", "~"], "writable")
    floor.way("--rw of the folders above", ["--rw", "~/.config", "--rw", "~/.local"], "writable")
    floor.way("--rw by pattern", ["--rw", "~/.*"], "writable")
    floor.way("a bind of the home elsewhere", ["--bind", "~:/mnt/h:rw"], "writable", moved("/mnt/h"))
    floor.way("a read-only bind of the home", ["--bind", "~:/mnt/h"], "read-only", moved("/mnt/h"))
    floor.way(
        "binds of the folders above", ["--bind", "~/.config:/mnt/c:rw", "--bind", "~/.local:/mnt/l:rw"], "writable", {
            "config": "/mnt/c/agent-sandbox", "state": "/mnt/l/state/agent-sandbox",
            "program": "/mnt/l/bin/agent-sandbox", "init": "/mnt/l/libexec/agent-sandbox/agent-sandbox-init"
        })


def workspaces(floor):
    alone = dict.fromkeys(USUAL, "absent")
    floor.way("workspace above the configuration", ["-w", "~/.config"], alone | {"config": "writable"})
    floor.way("workspace = install prefix", ["-w", "~/.local"],
              dict.fromkeys(USUAL, "writable") | {"config": "absent"})
    floor.way("workspace = folder of the program", ["-w", "~/.local/bin"], alone | {"program": "writable"})
    floor.way("workspace = folder of init", ["-w", "~/.local/libexec"], alone | {"init": "writable"})


def links(floor):
    def planted():
        os.symlink(CONFIG, f"{SHOP}/c")
        os.symlink(f"{HOME}/.local", f"{SHOP}/l")

    floor.way(
        "links in the workspace", ["--rw", "~"], "writable", {
            "config": f"{SHOP}/c", "state": f"{SHOP}/l/state/agent-sandbox", "program": f"{SHOP}/l/bin/agent-sandbox",
            "init": f"{SHOP}/l/libexec/agent-sandbox/agent-sandbox-init"
        }, scene=planted)

    def dotfiles():
        os.makedirs(f"{HOME}/dotfiles")
        os.rename(f"{HOME}/.config", f"{HOME}/dotfiles/config")
        os.symlink("dotfiles/config", f"{HOME}/.config")

    floor.way("a linked ~/.config, by where it leads", ["--rw", "~/dotfiles"], "writable",
              {"config": f"{HOME}/dotfiles/config/agent-sandbox"}, scene=dotfiles)
    floor.refused("a linked ~/.config that could be replaced", ["--rw", "~"], ["--rw", "~/dotfiles"],
                  "own configuration", 't("replace", lambda: put(H + "/dotfiles/evil"))', scene=dotfiles)
    floor.refused("a grant of a link that an earlier run made", ["--rw", "./c"], ["--ro", "~/.config/twin"],
                  "own configuration", 't("read", lambda: read(H + "/.config/twin/config.toml"))',
                  scene=lambda: [planted(), twin()])
    made = """
t("of the configuration", lambda: os.link(H + "/.config/agent-sandbox/config.toml", H + "/alias"))
t("of the program", lambda: os.link(H + "/.local/bin/agent-sandbox", H + "/.local/bin/alias"))
t("of init", lambda: os.link(H + "/.local/libexec/agent-sandbox/agent-sandbox-init", H + "/alias2"))
"""
    floor.probe("hard links made inside", ["--rw", "~"], made,
                {"of the configuration": "EACCES", "of the program": "EXDEV", "of init": "EXDEV"})
    # Made before the start, by the person: no rule knows the other name, but the plan says that there is one.
    def linked():
        os.link(f"{CONFIG}/config.toml", f"{SHOP}/alias")

    floor.attacks.scene()
    linked()
    floor.attacks.gap(
        "FS-31", "hard links made before the start", "prelinked",
        't("read", lambda: read("alias")[:8])\nt("write", lambda: put("alias", how=os.O_WRONLY | os.O_APPEND))',
        floor.program(), {"read": "# canary", "write": "ok"}, floor.program.gaps(), scene=linked)


def twin():
    """The same tree under a neutral name."""
    shutil.copytree(CONFIG, f"{HOME}/.config/twin")
    shutil.copytree(f"{STATE}/trust", f"{HOME}/.local/state/twin/trust")


def the_very_path(floor):
    read_twin = 't("read", lambda: read(H + "/.config/twin/config.toml"))'
    write_twin = 't("write", lambda: put(H + "/.local/state/twin/trust/pin", how=os.O_WRONLY))'
    floor.refused("--ro of the configuration", ["--ro", CONFIG], ["--ro", "~/.config/twin"], "own configuration",
                  read_twin, scene=twin)
    floor.refused("--ro of a file in it", ["--ro", f"{CONFIG}/config.toml"], ["--ro", "~/.config/twin/config.toml"],
                  "own configuration", read_twin, scene=twin)
    floor.refused("--rw of the state", ["--rw", STATE], ["--rw", "~/.local/state/twin"], "own state", write_twin,
                  scene=twin)
    floor.refused("a bind of the configuration", ["--bind", f"{CONFIG}:/mnt/c"], ["--bind", "~/.config/twin:/mnt/c"],
                  "own configuration", 't("read", lambda: read("/mnt/c/config.toml"))', scene=twin)
    floor.refused("a bind of a file in the state", ["--bind", f"{STATE}/trust/pin:/mnt/p:rw"],
                  ["--bind", "~/.local/state/twin/trust/pin:/mnt/p:rw"], "own state",
                  't("write", lambda: put("/mnt/p", how=os.O_WRONLY))', scene=twin)
    floor.refused("--rw of the program itself", ["--rw", PROGRAM], ["--rw", "~/.config/twin/config.toml"],
                  "agent-sandbox", 't("write", lambda: put(H + "/.config/twin/config.toml", how=os.O_WRONLY))',
                  scene=twin)
    floor.refused("a writable bind of init", ["--bind", f"{INIT}:/mnt/i:rw"],
                  ["--bind", "~/.config/twin/config.toml:/mnt/i:rw"], "agent-sandbox",
                  't("write", lambda: put("/mnt/i", how=os.O_WRONLY))', scene=twin)
    floor.refused("a bind over the configuration", ["--bind", f"~/.config/twin:{CONFIG}:rw"],
                  ["--bind", "~/.config/twin:~/.config/other:rw"], "own configuration",
                  't("write", lambda: put(H + "/.config/other/config.toml"))', scene=twin)
    floor.refused("workspace = configuration", ["-w", CONFIG], ["-w", "~/.config/twin"], "own configuration",
                  't("read", lambda: read("config.toml"))', scene=twin)
    floor.refused("workspace in the state", ["-w", f"{STATE}/trust"], ["-w", "~/.local/state/twin/trust"],
                  "own state", 't("read", lambda: read("pin"))', scene=twin)


def names_and_processes(floor):
    rw = ["--rw", "~"]
    floor.way("/proc/self/root", rw, "writable", moved("/proc/self/root" + HOME))
    floor.way("/proc/self/cwd", rw, "writable", moved("/proc/self/cwd"), words=["chdir"])
    floor.way("/proc/self/fd", rw, "writable", moved("/proc/self/fd/9"), words=["descriptor"])
    probe = """
for name, at in (("root", "/proc/1/root" + H), ("cwd", "/proc/1/cwd/..")):
    t(name + " configuration", lambda: read(at + "/.config/agent-sandbox/config.toml"))
    t(name + " socket", lambda: connect(at + "/.local/state/agent-sandbox/control.sock"))
"""
    steps = [f"{name} {what}" for name in ("root", "cwd") for what in ("configuration", "socket")]
    floor.probe("/proc/1/root and cwd", rw, probe, dict.fromkeys(steps, "EACCES"), control=stock())


ANCESTORS = (".config", ".config/agent-sandbox", ".local", ".local/state", ".local/state/agent-sandbox", ".local/bin",
             ".local/bin/agent-sandbox", ".local/libexec", ".local/libexec/agent-sandbox",
             ".local/libexec/agent-sandbox/agent-sandbox-init")


def renames(floor):
    rw = ["--rw", "~"]
    probe = f"""
for name in {ANCESTORS!r}:
    def there_and_back():
        os.rename(f"{{H}}/{{name}}", f"{{H}}/{{name}}-away")
        os.rename(f"{{H}}/{{name}}-away", f"{{H}}/{{name}}")
    t(name, there_and_back)
"""
    floor.probe("renaming what lies above", rw, probe, dict.fromkeys(ANCESTORS, "EBUSY"))
    probe = f"""
for name in {ANCESTORS!r}:
    at = f"{{H}}/{{name}}"
    (os.mkdir if os.path.isdir(at) else put)(at + "-evil")
    def there_and_back():
        exchange(at, at + "-evil")
        exchange(at, at + "-evil")
    t(name, there_and_back)
"""
    floor.probe("RENAME_EXCHANGE", rw, probe, dict.fromkeys(ANCESTORS, "EBUSY"))
    probe = """
t("rmdir", lambda: os.rmdir(H + "/.config/agent-sandbox"))
t("unlink", lambda: os.unlink(H + "/.local/state/agent-sandbox/control.sock"))
t("over it", lambda: os.rename(H + "/.config/empty", H + "/.config/agent-sandbox"))
"""

    def empty():
        shutil.rmtree(CONFIG)
        os.makedirs(CONFIG)
        os.makedirs(f"{HOME}/.config/empty")

    floor.probe("removing and replacing", rw, probe, {"rmdir": "EBUSY", "unlink": "EACCES", "over it": "EBUSY"},
                scene=empty)


def mounts(floor):
    rw = ["--rw", "~"]
    probe = """
at = H + "/.config/agent-sandbox"
t("mount over it", lambda: ask(libc.mount, "none", at, "tmpfs", 0, None))
t("unmount it", lambda: ask(libc.umount2, at, 2))
t("bind its parent", lambda: ask(libc.mount, H + "/.config", "/tmp", None, 4096, None))
t("a namespace of its own", lambda: ask(libc.unshare, 0x10020000))
"""
    # What holds here is that there is no capability and no further namespace. The control has both.
    floor.probe("mounting and unmounting", rw, probe, {
        "mount over it": "EPERM", "unmount it": "EPERM", "bind its parent": "EPERM",
        "a namespace of its own": "ENOSPC"
    }, control=attack_frame.in_userns)

    mirror = f"{os.environ[attack_frame.SCRATCH]}/mirror"
    os.makedirs(mirror, exist_ok=True)

    def second_place(*command):
        return on_a_host_with(f"mount --bind {HOME} {mirror}", *command)

    hidden, programs = (dict(list(moved(mirror).items())[part]) for part in (slice(2), slice(2, 4)))
    for title, option, around, places in (("a second place of the home, writable", "--rw", "writable", hidden),
                                          ("a second place of the home, read-only", "--ro", "read-only",
                                           hidden), ("the programs at a second place of the home", "--rw", "writable",
                                                     programs)):
        expected, freed = {}, {}
        for name in places:
            expected |= outcome(name, around)
            freed |= without_floor(name, around)
        bind = "--bind" if around == "writable" else "--ro-bind"
        floor.attacks.hold("FS-31", title, REACH, second_place(floor.program.path, option, mirror, "--"), expected,
                           second_place(BWRAP, "--ro-bind", "/", "/", bind, mirror, mirror), control_gives=freed,
                           arguments=[f"{name}={at}" for name, at in places.items()],
                           canaries=[f"{CONFIG}/config.toml", CONFIG, STATE, f"{STATE}/trust/pin", PROGRAM, INIT])
        floor.ways.append(title)


def other_places(floor):
    elsewhere = {"XDG_CONFIG_HOME": f"{HOME}/cfg", "XDG_STATE_HOME": f"{HOME}/st"}

    def both():
        shutil.copytree(CONFIG, f"{HOME}/cfg/agent-sandbox")
        os.makedirs(f"{HOME}/st/agent-sandbox")

    floor.way("the usual places, while variables name others", ["--rw", "~"], "writable", scene=both, env=elsewhere)
    floor.way("the places that variables name", ["--rw", "~"], "writable", {"config": f"{HOME}/cfg/agent-sandbox"},
              scene=both, env=elsewhere)
    inside = {"XDG_STATE_HOME": f"{SHOP}/st"}
    floor.way("state in the workspace", [], "writable", {"state": f"{SHOP}/st/agent-sandbox"},
              scene=lambda: a_state(f"{SHOP}/st/agent-sandbox"), env=inside)
    probe = """
t("read", lambda: read("policy.toml"))
t("append", lambda: put("policy.toml", how=os.O_WRONLY | os.O_APPEND))
t("chmod", lambda: os.chmod("policy.toml", 0o666))
put("other")
t("replace", lambda: os.rename("other", "policy.toml"))
t("unlink", lambda: os.unlink("policy.toml"))
"""
    floor.probe("the policy that was read, in the workspace", ["-c", f"{SHOP}/policy.toml"], probe,
                {"read": "EACCES", "append": "EACCES", "chmod": "EROFS", "replace": "EBUSY", "unlink": "EBUSY"},
                scene=lambda: write(f"{SHOP}/policy.toml", "# canary\nnetwork = \"none\"\n"),
                canaries=[f"{SHOP}/policy.toml"])

    def deeper():
        write(f"{SHOP}/sub/policy.toml", "network = \"none\"\n")
        os.symlink("sub/policy.toml", f"{SHOP}/link.toml")

    floor.probe("the folder of the policy that was read", ["-c", f"{SHOP}/sub/policy.toml"],
                't("rename", lambda: os.rename("sub", "sub2"))', {"rename": "EBUSY"}, scene=deeper,
                canaries=[f"{SHOP}/sub/policy.toml"])
    floor.refused("a policy found through a link that can be replaced", ["-c", f"{SHOP}/link.toml"], [],
                  "the policy that was read",
                  't("replace", lambda: [os.unlink("link.toml"), put("link.toml")] and None)', scene=deeper,
                  canaries=[f"{SHOP}/link.toml"])


def missing(floor):
    create = """
os.makedirs(H + "/.config/agent-sandbox", exist_ok=True)
t("create", lambda: put(H + "/.config/agent-sandbox/config.toml", "network = 'open'"))
"""

    said = "would let the sandbox create agent-sandbox's own configuration"
    everything = stock("--bind", HOME, HOME)
    for title, options in (("--rw ~", ["--rw", "~"]), ("home = write", ["--home", "write"]),
                           ("blacklist", ["--blacklist", "--rw", "~"]), ("a bind", ["--bind", "~:/mnt/h:rw"])):
        floor.attacks.hold("FS-31", f"no configuration yet, nor a folder for it: {title}", create,
                           floor.program(*options), Refused(POLICY, said), everything,
                           scene=lambda: shutil.rmtree(f"{HOME}/.config"), canaries=[HOME])
        floor.ways.append(f"no configuration yet, nor a folder for it: {title}")
    for title, options in (("--rw of its folder", ["--rw", "~/.config"]), ("a pattern", ["--rw", "~/.c*"]),
                           ("workspace", ["-w",
                                          "~/.config"]), ("a bind of its folder", ["--bind", "~/.config:/mnt/c:rw"])):
        floor.attacks.hold("FS-31", f"no configuration yet: {title}", create, floor.program(*options),
                           Refused(POLICY, said), everything, scene=lambda: shutil.rmtree(CONFIG),
                           canaries=[f"{HOME}/.config"])
        floor.ways.append(f"no configuration yet: {title}")

    def dangling():
        shutil.rmtree(CONFIG)
        os.symlink("nowhere", CONFIG)

    floor.attacks.hold("FS-31", "a dangling link in place of the configuration",
                       create.replace('/agent-sandbox"', '/nowhere"'), floor.program("--rw", "~/.config"),
                       Refused(POLICY, "own configuration"), everything, scene=dangling, canaries=[f"{HOME}/.config"])
    floor.ways.append("a dangling link in place of the configuration")


def odd_workspaces(attacks, program):
    """FS-32: a workspace that would make the home writable; a home that a variable names."""
    touch = 't("write", lambda: put(H + "/planted"))'
    for folder, said in ((HOME, "the home folder cannot be the workspace"), ("/", "the home folder is in it"),
                         (os.path.dirname(HOME), "the home folder is in it")):
        for title, start in (("by -w", program("-w", folder)), ("as current directory", program(cwd=folder))):
            attacks.hold("FS-32", f"workspace = {folder.replace(HOME, '~')} {title}", touch, start,
                         Refused(POLICY, said), stock("--bind", HOME, HOME), canaries=[HOME])

    mirror = f"{os.environ[attack_frame.SCRATCH]}/mirror"
    os.makedirs(mirror, exist_ok=True)
    linked = f"{os.environ[attack_frame.SCRATCH]}/linked"
    if not os.path.lexists(linked):
        os.symlink(HOME, linked)
    attacks.hold("FS-32", "workspace = a link to ~", touch, program("-w", linked),
                 Refused(POLICY, "the home folder cannot be the workspace"), stock("--bind", HOME, HOME),
                 canaries=[HOME])
    # The same folder, mounted at a second place of the host.
    touch = f't("write", lambda: put("{mirror}/planted"))'
    attacks.hold(
        "FS-32", "workspace = ~ at a second place", touch,
        on_a_host_with(f"mount --bind {HOME} {mirror}", program.path, "--", cwd=mirror),
        Refused(POLICY, "the home folder"),
        on_a_host_with(f"mount --bind {HOME} {mirror}", BWRAP, "--ro-bind", "/", "/", "--bind", mirror, mirror),
        canaries=[HOME])

    def keys():
        write(f"{HOME}/.ssh/sub/id")
        write(f"{HOME}/foo/file")
        write(f"{HOME}/foobar/file")

    attacks.hold("FS-32", "workspace below credentials", 't("read", lambda: read("id"))',
                 program("-w", f"{HOME}/.ssh/sub"), Refused(POLICY, "~/.ssh"),
                 lambda argv: run(argv, cwd=f"{HOME}/.ssh/sub"), scene=keys)
    attacks.hold("FS-32", "~/foobar when ~/foo is granted",
                 't("foo", lambda: read(H + "/foo/file"))\nt("foobar", lambda: read(H + "/foobar/file"))',
                 program("--ro", "~/foo"), {"foo": "canary", "foobar": "ENOENT"},
                 program("--ro", "~/foo", "--ro", "~/foobar"), scene=keys)
    evil = f"{os.environ[attack_frame.SCRATCH]}/evil"

    def elsewhere():
        keys()
        os.makedirs(f"{evil}/.config/agent-sandbox", exist_ok=True)
        write(f"{evil}/.config/agent-sandbox/config.toml", f"rw = [\"{HOME}/foo\"]\n")
        for name in ("config.toml", ".agent-sandbox.toml", "agent-sandbox.toml", ".agent-sandbox/config.toml"):
            write(f"{SHOP}/{name}", f"rw = [\"{HOME}/foo\"]\n")

    attacks.hold("FS-32", "HOME in the environment, and policies that lie in the workspace",
                 't("home", lambda: os.environ["HOME"] == sys.argv[1])\nt("foo", lambda: put(H + "/foo/file"))',
                 program(env={"HOME": evil}), {"home": True, "foo": "ENOENT"},
                 program("-c", f"{evil}/.config/agent-sandbox/config.toml"), scene=elsewhere, arguments=[HOME],
                 canaries=[f"{HOME}/foo/file"])


def main():
    attack_frame.in_a_scratch_home(install)
    attacks, program = Attacks(PENDING, scene=floor_home), Program(PROGRAM)
    floor = Floor(attacks, program)
    for part in (grants, workspaces, links, the_very_path, names_and_processes, renames, mounts, other_places,
                 missing):
        part(floor)
    odd_workspaces(attacks, program)
    attacks.table({"FS-31", "FS-32"})
    print(f"the own floor was attacked in {len(floor.ways)} ways")
    check("that is at least 20, all different", len(set(floor.ways)) == len(floor.ways) >= 20, floor.ways)
    attack_frame.finish()


main()
