"""What is protected inside a writable folder stays protected: FS-15 to FS-18, FS-35, FS-37."""

import os

from attack_frame import HOME, SHOP, Refused, check, in_userns, outside, run, stock, write


def repository():
    for folder in (f"{SHOP}/.git", f"{SHOP}/sub/.git"):
        write(f"{folder}/hooks/pre-commit", "#!/bin/sh\n")
        write(f"{folder}/index", "index")
    write(f"{SHOP}/evil/hooks/post-checkout", "#!/bin/sh\n")


HOOKS = ("--ro", "./.git/hooks", "--ro", "./sub/.git/hooks")
ONLY_HOOKS = stock("--ro-bind", f"{SHOP}/.git/hooks", f"{SHOP}/.git/hooks", "--ro-bind", f"{SHOP}/sub/.git/hooks",
                   f"{SHOP}/sub/.git/hooks")
CANARIES = [
    f"{SHOP}/{name}"
    for name in (".git/hooks/pre-commit", ".git/hooks", "sub/.git/hooks", "sub/.git/hooks/pre-commit")
]


def renamed_ancestors(attacks, program):
    probe = """
import shutil
def replaced(folder, inside):
    os.rename(folder, folder + "-away")
    shutil.copytree(folder + "-away", folder)
    put(f"{inside}/hooks/post-checkout", "#!/bin/sh")
t("the folder above", lambda: replaced(".git", ".git"))
t("two levels up", lambda: replaced("sub", "sub/.git"))
"""
    attacks.hold("FS-15", "renaming what lies above a protected folder", probe, program(*HOOKS),
                 {"the folder above": "EBUSY", "two levels up": "EBUSY"}, ONLY_HOOKS, scene=repository,
                 canaries=CANARIES)
    probe = """
put(".git/index.lock", "new index")
t("rename inside", lambda: os.rename(".git/index.lock", ".git/index"))
t("link inside", lambda: os.link(".git/index", ".git/index2"))
t("rename across", lambda: os.rename(".git/index", "taken"))
t("link across", lambda: os.link(".git/index", "linked"))
t("a hook", lambda: put(".git/hooks/post-checkout"))
"""
    attacks.hold(
        "FS-15", "git goes on working in a pinned folder", probe, program(*HOOKS), {
            "rename inside": "ok", "link inside": "ok", "rename across": "EXDEV", "link across": "EXDEV",
            "a hook": "EROFS"
        }, outside, control_gives={
            "rename inside": "ok", "link inside": "ok", "rename across": "ok", "link across": "ENOENT", "a hook": "ok"
        }, scene=repository)


def exchanged(attacks, program):
    probe = """
t("the folder above", lambda: exchange(".git", "evil"))
t("two levels up", lambda: exchange("evil", "sub"))
os.makedirs(".git/other", exist_ok=True)
t("the folder itself", lambda: exchange(".git/hooks", ".git/other"))
"""
    steps = ("the folder above", "two levels up", "the folder itself")
    # With nothing pinned at all; a stock read-only bind on the hooks alone still keeps these themselves.
    attacks.hold("FS-16", "RENAME_EXCHANGE", probe, program(*HOOKS), dict.fromkeys(steps, "EBUSY"), program(),
                 scene=repository, canaries=CANARIES)
    attacks.hold(
        "FS-16", "RENAME_WHITEOUT of what is protected", """
t("the folder above", lambda: exchange(".git", "gone", 4))
t("the folder itself", lambda: exchange(".git/hooks", ".git/gone", 4))
""", program(*HOOKS), {"the folder above": "EBUSY", "the folder itself": "EBUSY"}, None, scene=repository,
        canaries=CANARIES)
    attacks.pending(
        "FS-16", "RENAME_WHITEOUT leaves a device node 0:0 in the workspace", """
put("plain")
t("rename", lambda: exchange("plain", "moved", 4))
t("what is left", lambda: stat.filemode(os.lstat("plain").st_mode)[0])
""", program(), {"rename": "ok", "what is left": "c"})


def masks_pulled_off(attacks, program):
    probe = """
put("other", "x")
os.mkdir("folder")
t("rename over the file", lambda: os.rename("other", ".env"))
t("rename the file away", lambda: os.rename(".env", "env2"))
t("rename over the folder", lambda: os.rename("folder", "keys"))
t("rename the folder away", lambda: os.rename("keys", "keys2"))
"""
    rules = ("--hide", "./.env", "--hide", "./keys")

    def scene():
        write(f"{SHOP}/.env")
        os.makedirs(f"{SHOP}/keys")

    canaries = [f"{SHOP}/.env", f"{SHOP}/keys"]
    steps = ("rename over the file", "rename the file away", "rename over the folder", "rename the folder away")
    attacks.hold("FS-17", "renaming masks", probe, program(*rules), dict.fromkeys(steps, "EBUSY"), program(),
                 scene=scene, canaries=canaries)
    attacks.hold("FS-17",
                 "removing masks", 't("unlink", lambda: os.unlink(".env"))\nt("rmdir", lambda: os.rmdir("keys"))',
                 program(*rules), {"unlink": "EBUSY", "rmdir": "EBUSY"}, program(), scene=scene, canaries=canaries)
    # The control has every capability, in a namespace of its own.
    probe = """
t("mount over it", lambda: ask(libc.mount, "none", WS + "/keys", "tmpfs", 0, None))
t("umount", lambda: ask(libc.umount2, WS + "/keys", 2))
t("bind over it", lambda: ask(libc.mount, WS, WS + "/keys", None, 4096, None))
t("move it", lambda: ask(libc.mount, WS + "/keys", "/tmp", None, 8192, None))
"""
    steps = ("mount over it", "umount", "bind over it", "move it")
    attacks.hold("FS-17", "mounting and unmounting", probe, program(*rules), dict.fromkeys(steps, "EPERM"), in_userns,
                 scene=scene, canaries=canaries)


def missing_at_the_start(attacks, program):
    probe = """
import time
os.makedirs(".claude", exist_ok=True)
def until_hidden(name):
    for _ in range(500):
        content = read(name)
        time.sleep(0.01)
    return content
def by(how, name):
    put("draft")
    how("draft", name)
    return until_hidden(name)
t("directly", lambda: by(lambda draft, name: put(name), ".claude/settings.json"))
t("by rename", lambda: by(os.rename, ".claude/hooks.json"))
t("by link", lambda: by(os.link, ".claude/tools.json"))
"""
    rules = [word for name in ("settings", "hooks", "tools") for word in ("--hide", f"./.claude/{name}.json")]
    attacks.hold("FS-18", "what a hide names is hidden as soon as it is created", probe, program(*rules),
                 dict.fromkeys(("directly", "by rename", "by link"), "EACCES"), program(), scene=attacks.scene)
    attacks.gap("FS-18", "until then it is there", "late-hide", 't("create", lambda: put("late"))',
                program("--hide", "./late"), {"create": "ok"}, program.gaps("--hide", "./late"))
    attacks.hold("FS-18", "a policy that does not accept that", 't("create", lambda: put("late"))',
                 program("--hide", "./late", "--require", "late-hide"), Refused(3, "late-hide"), program())
    attacks.hold("FS-18", "in a folder that is read-only nothing appears",
                 't("create", lambda: put(".claude/settings.json"))', program("--ro", "./.claude",
                                                                              *rules), {"create": "EROFS"},
                 program(*rules), scene=lambda: os.makedirs(f"{SHOP}/.claude"))
    attacks.pending("FS-18", "what was created stays on the host after the run",
                    't("left", lambda: put("settings.json"))\n', program("--hide", "./settings.json"), {"left": "ok"})
    check("FS-18 and so it does", os.path.exists(f"{SHOP}/settings.json"))


def device_nodes(attacks, program):
    probe = """
t("fifo", lambda: os.mknod("fifo", stat.S_IFIFO | 0o600))
t("c 1:1", lambda: os.mknod("mem", stat.S_IFCHR | 0o600, os.makedev(1, 1)))
t("b 8:0", lambda: os.mknod("disk", stat.S_IFBLK | 0o600, os.makedev(8, 0)))
"""
    # An ordinary user cannot make them outside either; the fifo shows that the call is right.
    expected = {"fifo": "ok", "c 1:1": "EPERM", "b 8:0": "EPERM"}
    attacks.hold("FS-35", "device nodes", probe, program(), expected, outside, control_gives=expected)
    attacks.pending("FS-35", "a node 0:0, which overlays take for a deleted file",
                    't("c 0:0", lambda: os.mknod("w", stat.S_IFCHR, 0))', program(), {"c 0:0": "ok"})


def setuid_files(attacks, program):
    # A capability of a user namespace, version 3 of the attribute is made from it by the kernel.
    probe = """
put("tool")
capability = struct.pack("<IIIII", 0x02000000, 1 << 21, 0, 0, 0)
t("security.capability", lambda: os.setxattr("tool", "security.capability", capability))
"""
    attacks.hold("FS-37", "file capabilities", probe, program(), {"security.capability": "EPERM"},
                 lambda argv: run(["unshare", "-U", "--map-root-user", *argv], cwd=SHOP))
    attacks.hold(
        "FS-37", "no mount lets setuid files act", """
flags = [line.split()[5] for line in open("/proc/self/mountinfo")]
t("mounts without nosuid", lambda: len([f for f in flags if "nosuid" not in f.split(",")]))
""", program(), {"mounts without nosuid": "ok"}, None)
    probe = """
def made(name, step):
    t(name, step)
    t(name + " bits", lambda: oct(os.stat(name).st_mode & 0o6000))
put("chmod"); put("fchmodat2")
made("chmod", lambda: os.chmod("chmod", 0o6755))
made("fchmodat2", lambda: syscall(452, -100, "fchmodat2", 0o6755, 0))
made("open", lambda: os.close(os.open("open", os.O_CREAT | os.O_WRONLY, 0o6755)))
made("mknod", lambda: os.mknod("mknod", stat.S_IFREG | 0o6755))
"""
    today = {}
    for name in ("chmod", "fchmodat2", "open", "mknod"):
        today |= {name: "ok", f"{name} bits": "0o6000"}
    attacks.pending("FS-37", "setuid files in the workspace", probe, program(), today)
    check("FS-37 they are so on the host", os.stat(f"{SHOP}/chmod").st_mode & 0o6000 == 0o6000)


def run_all(attacks, program):
    for part in (renamed_ancestors, exchanged, masks_pulled_off, missing_at_the_start, device_nodes, setuid_files):
        part(attacks, program)
