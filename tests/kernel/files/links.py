"""Links, and the names that rules are written with: FS-03 to FS-08, FS-13, FS-14, FS-33, FS-43."""

import os
import unicodedata

from attack_frame import HOME, SHOP, Refused, check, on_a_host_with, outside, run, sh, stock, write

# The documented exit codes: 3 for a policy that is refused, 2 for a command line that makes no sense;
# 125 is for a wall that cannot be built.
POLICY, COMMAND_LINE = 3, 2


def reading_through(attacks, program):
    probe = """
os.makedirs("deep/er", exist_ok=True)
for name, target in (("one", H + "/.ssh/id"), ("folder", H + "/.ssh"), ("home", H), ("proc", "/proc/self/root" + H),
                     ("three", "two"), ("two", "one"), ("deep/er/up", "../../.."), ("shadow", "/etc/shadow")):
    os.symlink(target, name)
t("file", lambda: read("one"))
t("folder", lambda: read("folder/id"))
t("home", lambda: read("home/.ssh/id"))
t("proc", lambda: read("proc/.ssh/id"))
t("chain of three", lambda: read("three"))
t("climbing", lambda: read("deep/er/up/.ssh/id"))
t("shadow", lambda: os.stat("shadow") and None)
"""
    steps = ("file", "folder", "home", "proc", "chain of three", "climbing", "shadow")
    attacks.hold("FS-03", "reading through links made in the workspace", probe, program(),
                 dict.fromkeys(steps, "ENOENT"), outside, canaries=[f"{HOME}/.ssh/id"])


def writing_through(attacks, program):
    probe = """
targets = {"bashrc": H + "/.bashrc", "keys": H + "/.ssh/authorized_keys", "canary": H + "/canary", "granted": H + "/data/plain"}
for name, target in targets.items():
    os.symlink(target, name)
    t(name + " write", lambda: put(name, how=os.O_WRONLY))
    t(name + " O_APPEND", lambda: put(name, how=os.O_WRONLY | os.O_APPEND))
    t(name + " O_TRUNC", lambda: put(name, how=os.O_WRONLY | os.O_TRUNC))
"""
    ways = ("write", "O_APPEND", "O_TRUNC")
    attacks.hold("FS-04", "writing through links made in the workspace", probe, program("--ro", "~/data"),
                 {f"{name} {way}": "ENOENT"
                  for name in ("bashrc", "keys", "canary")
                  for way in ways} | {f"granted {way}": "EROFS"
                                      for way in ways}, outside, scene=lambda: write(f"{HOME}/.ssh/authorized_keys"),
                 canaries=[f"{HOME}/{name}" for name in (".bashrc", ".ssh/authorized_keys", "canary", "data/plain")])


def hides_and_links(attacks, program):
    def scene():
        os.symlink("secret", f"{HOME}/data/link")
        os.symlink(f"{HOME}/data", f"{HOME}/parent")
        os.symlink("nowhere", f"{HOME}/data/dangling")
        os.symlink("loop2", f"{HOME}/data/loop1")
        os.symlink("loop1", f"{HOME}/data/loop2")

    probe = """
t("by the target", lambda: read(H + "/data/secret/file"))
t("by the link", lambda: read(H + "/data/link/file"))
"""
    both = {"by the target": "EACCES", "by the link": "EACCES"}
    for title, rule in (("the link", "~/data/link"), ("the target", "~/data/secret"), ("a linked parent",
                                                                                       "~/parent/secret")):
        attacks.hold("FS-05", f"a hide that names {title}", probe, program("--ro", "~/data", "--hide", rule), both,
                     program("--ro", "~/data"), scene=scene, canaries=[f"{HOME}/data/secret/file"])
    create = 't("create through it", lambda: put(H + "/data/dangling"))'
    attacks.hold("FS-05", "a hide that names a dangling link", create,
                 program("--rw", "~/data", "--hide", "~/data/dangling"),
                 Refused(POLICY, "leads through the link", "which the sandbox can write"), program("--rw", "~/data"),
                 scene=scene)
    attacks.hold("FS-05", "a hide that names a dangling link, read-only", create,
                 program("--ro", "~/data", "--hide", "~/data/dangling"), {"create through it": "EROFS"}, None,
                 scene=scene)
    attacks.hold("FS-05", "a hide that names a loop", probe, program("--ro", "~/data", "--hide", "~/data/loop1"),
                 Refused(POLICY, "loop"), program("--ro", "~/data"), scene=scene)


def second_mounts(attacks, program):
    """A folder of the host that is mounted at two places has two names, with no link between them."""
    mirror = "/mnt"
    twice = f"mount --bind {HOME} {mirror}"
    probe = """
for name, path in (("credentials", ".ssh/id"), ("named", "data/secret/file"), ("beside", "data/plain")):
    t(name, lambda: read("/mnt/" + path))
"""
    for option in ("--ro", "--rw"):
        attacks.hold("FS-05", f"what is hidden, at a second place of the host ({option})", probe,
                     on_a_host_with(twice, program.path, option, mirror, "--hide", "~/data/secret", "--"),
                     {"credentials": "EACCES", "named": "EACCES", "beside": "canary"}, on_a_host_with(twice))
    attacks.hold("FS-05", "what is hidden, at a second place of the host (blacklist)", probe,
                 on_a_host_with(twice, program.path, "--blacklist", "--hide", "~/data/secret", "--"),
                 {"credentials": "EACCES", "named": "EACCES", "beside": "canary"}, None)


def protected_link(attacks, program):
    probe = """
t("unlink", lambda: os.unlink(".git"))
t("mkdir", lambda: os.makedirs(".git/hooks"))
t("write", lambda: put(".git/hooks/post-checkout"))
"""

    def scene():
        write(f"{SHOP}/decoy/hooks/empty")
        os.symlink("decoy", f"{SHOP}/.git")

    attacks.hold("FS-06", "a protected folder that is a link", probe, program("--ro", "./.git"),
                 Refused(POLICY, "link"), program(), scene=scene, canaries=[f"{SHOP}/.git", f"{SHOP}/decoy/hooks"])


def granted_link(attacks, program):
    for target, said in ((HOME, "leads through the link"), ("/", "'rw' cannot name '/'"), (f"{HOME}/.ssh",
                                                                                           "which is hidden")):
        probe = 't("write", lambda: put("out/planted"))' if target != "/" else 't("write", lambda: put(f"out{H}/planted"))'

        def scene(target=target):
            os.symlink(target, f"{SHOP}/out")

        attacks.hold("FS-07", f"a grant of a link that an earlier run led to {target.replace(HOME, '~')}", probe,
                     program("--rw", "./out"), Refused(POLICY, said), stock("--bind", target, target), scene=scene,
                     canaries=[f"{HOME}/.ssh", HOME])


def spellings(attacks, program):
    secret = f"{HOME}/data/secret"
    variants = [
        "~/data/secret", "~/data//secret", "~/data/./secret", "~/data/secret/", "~/data/secret/.", "~//data/secret",
        f"//{secret[1:]}", f"/.{secret}", "../data/secret"
    ]
    never = [("~/data/sub/../secret", "holds '..'"), (f"/usr/..{secret}", "holds '..'"),
             ("./../data/secret", "holds '..'"), ("~root/data", "not the home of another user")]
    probe = 't("read", lambda: read(H + "/data/secret/file"))\nt("beside", lambda: read(H + "/data/plain"))'

    def scene():
        os.makedirs(f"{HOME}/data/sub")

    for number, spelled in enumerate(variants):
        attacks.hold("FS-08", f"hidden as {spelled.replace(HOME, 'HOME')}", probe,
                     program("--ro", "~/data", "--hide", spelled), {"read": "EACCES", "beside": "canary"},
                     program("--ro", "~/data") if number == 0 else None, scene=scene)
        attacks.hold("FS-08", f"granted as {spelled.replace(HOME, 'HOME')}", probe, program("--ro", spelled),
                     {"read": "canary", "beside": "ENOENT"}, None, scene=scene)
    for spelled, said in never:
        for option in ("--hide", "--ro", "--rw"):
            attacks.hold("FS-08", f"{option} {spelled.replace(HOME, 'HOME')} is refused", probe,
                         program("--ro", "~/data", option, spelled), Refused(COMMAND_LINE, said), None, scene=scene)
    naive = [spelled for spelled in variants if os.path.expanduser(spelled).startswith(secret)]
    check("FS-08 control: a matcher of prefixes misses most of these spellings",
          len(naive) < len(variants) / 2, naive)
    # Where the home is, the password database says.
    for title, env in (("HOME elsewhere", {"HOME": "/tmp"}), ("HOME empty", {"HOME": ""})):
        attacks.hold("FS-08", f"hidden with {title}", probe,
                     program("--ro", "~/data", "--hide", "~/data/secret", env=env),
                     {"read": "EACCES", "beside": "canary"}, None, scene=scene)
    composed, apart = (unicodedata.normalize(form, f"{HOME}/data/schl\u00fcssel") for form in ("NFC", "NFD"))

    def two_names():
        write(composed)
        write(apart)

    probe = f't("composed", lambda: read({composed!r}))\nt("apart", lambda: read({apart!r}))'
    attacks.hold("FS-08", "names are bytes: hiding one form of a letter hides that name", probe,
                 program("--ro", "~/data", "--hide", composed), {"composed": "EACCES", "apart": "canary"},
                 program("--ro", "~/data"), scene=two_names)
    every_case(attacks, program)


def every_case(attacks, program):
    """A folder in which .ENV and .env are one file, if the kernel has such a file system for users."""
    setup = ("mount -t tmpfs -o casefold none {0} && mkdir {0}/f && chattr +F {0}/f && "
             "echo canary >{0}/f/.env && cat {0}/f/.ENV")
    attacks.scene()
    done = run(["unshare", "-U", "--map-current-user", "--keep-caps", "-m", "/bin/sh", "-c", setup.format(SHOP)])
    if done.returncode != 0:
        attacks.no_rig("FS-08", "a file system for users that ignores case", done.stderr)
        return
    script = setup.format(
        SHOP
    ) + f" && cd {SHOP}/f && setpriv --ambient-caps=-all --inh-caps=-all {program.path} --hide ./.env -- cat .env .ENV .Env"
    done = run(["unshare", "-U", "--map-current-user", "--keep-caps", "-m", "/bin/sh", "-c", script])
    check("FS-08 where case means nothing, a hide covers every case", done.stdout == "canary\n" and
          done.stderr.count("Permission denied") == 3, done)


def hard_links(attacks, program):
    probe = """
AT_EMPTY_PATH, AT_SYMLINK_FOLLOW = 0x1000, 0x400
def by_descriptor(path):
    ask(libc.linkat, os.open(path, os.O_RDONLY), "", -100, "made", AT_EMPTY_PATH)
def by_proc(path):
    ask(libc.linkat, -100, f"/proc/self/fd/{os.open(path, os.O_PATH)}", -100, "made", AT_SYMLINK_FOLLOW)
for name, path in (("granted", H + "/data/plain"), ("mask", H + "/data/secret/file")):
    for how, step in (("link", lambda: os.link(path, "made")), ("linkat by descriptor", lambda: by_descriptor(path)),
                      ("linkat by /proc", lambda: by_proc(path))):
        t(f"{name} {how}", step)
        if notes[f"{name} {how}"] == "ok":
            put("made", "changed", os.O_WRONLY)
            os.unlink("made")
t("unnamed file in a read-only folder", lambda: os.close(os.open(H + "/data", os.O_TMPFILE | os.O_RDWR)))
"""
    rules = ("--ro", "~/data", "--hide", "~/data/secret/file")
    attacks.hold("FS-13", "hard links to what is read-only or hidden", probe, program(*rules),
                 {f"granted {how}": "EXDEV"
                  for how in ("link", "linkat by descriptor", "linkat by /proc")} | {
                      "mask link": "EXDEV", "mask linkat by descriptor": "EACCES", "mask linkat by /proc": "EXDEV",
                      "unnamed file in a read-only folder": "EROFS"
                  }, outside, canaries=[f"{HOME}/data/plain", f"{HOME}/data/secret/file"])


def links_before_the_start(attacks, program):
    def scene():
        os.link(f"{HOME}/.netrc", f"{SHOP}/alias")

    probe = 't("by its name", lambda: read(H + "/.netrc"))\nt("by its second name", lambda: read("alias"))\n'
    # By its own name it is hidden; of a second one no rule knows, but the plan says that there is one.
    attacks.hold("FS-14", "the name that a rule hides, whatever other names there are", probe, program("--ro", "~"),
                 {"by its name": "EACCES", "by its second name": "canary"}, outside, scene=scene)
    attacks.scene()
    check("FS-14 control: without a second name there is no such gap", "prelinked" not in program.gaps())
    scene()
    attacks.gap("FS-14",
                "a second name of a hidden file in the workspace", "prelinked",
                probe + 't("write", lambda: put("alias"))',
                program(), {"by its name": "ENOENT", "by its second name": "canary", "write": "ok"}, program.gaps(),
                scene=scene)
    attacks.hold("FS-14", "a policy that does not accept that", 't("read", lambda: read("alias"))',
                 program("--require", "prelinked"), Refused(3, "prelinked"), program(), scene=scene)


GIT = "git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main"


def worktrees(attacks, program):
    """A worktree's git folder lies elsewhere: it is believed only when it points back."""
    main, common = f"{HOME}/main", f"{HOME}/main/.git"

    def repository():
        made = sh(
            f"set -e; rmdir {SHOP}; {GIT} init -q {main}; cd {main}; echo 1 >file; {GIT} add file; {GIT} commit -qm one; "
            f"{GIT} worktree add -q {SHOP} -b side")
        assert made.returncode == 0, made.stderr

    probe = f"""
import subprocess
def git(*words):
    done = subprocess.run("{GIT}".split() + list(words), capture_output=True, text=True)
    return "ok" if done.returncode == 0 else done.stderr[-300:]
put("new", "text")
for words in (["status"], ["add", "new"], ["commit", "-m", "two"], ["log"]): t(words[0], lambda: git(*words))
for path in ("config", "hooks/post-checkout", "HEAD", "worktrees/shop/commondir", "worktrees/shop/gitdir"):
    t(path, lambda: put("{common}/" + path))
t("the pointer", lambda: put(".git"))
t("the main files", lambda: read("{main}/file"))
"""
    held = dict.fromkeys(("status", "add", "commit", "log"), "ok")
    steps = ("config", "hooks/post-checkout", "HEAD", "worktrees/shop/commondir", "worktrees/shop/gitdir",
             "the pointer")
    attacks.hold(
        "FS-33", "a worktree commits, and its git folder is protected", probe, program(),
        held | dict.fromkeys(steps, "EROFS") | {"the main files": "ENOENT"}, outside,
        control_gives=held | dict.fromkeys(steps, "ok") | {"the main files": "1"}, scene=repository, canaries=[
            f"{common}/{name}"
            for name in ("config", "hooks", "HEAD", "worktrees/shop/commondir", "worktrees/shop/gitdir")
        ])

    def own_settings():
        repository()
        made = sh(f"git -C {main} config extensions.worktreeConfig true && git -C {SHOP} config --worktree core.bare false")
        assert made.returncode == 0, made.stderr

    # A worktree's settings name programs that git runs on the host, just as the common ones do.
    probe = f"""
settings = "{common}/worktrees/shop/config.worktree"
t("append", lambda: put(settings, "[core]\\n\\tfsmonitor = touch ran\\n", os.O_WRONLY | os.O_APPEND))
t("replace", lambda: [put(settings + "2"), os.rename(settings + "2", settings)] and None)
"""
    attacks.hold("FS-33", "settings of the worktree's own", probe, program(), {"append": "EROFS", "replace": "EBUSY"},
                 outside, scene=own_settings, canaries=[f"{common}/worktrees/shop/config.worktree"])

    def pointing(where, back=None, common_is=None):
        def scene():
            target = f"{HOME}/{where}"
            os.makedirs(f"{target}/objects", exist_ok=True)
            write(f"{target}/HEAD", "ref: refs/heads/main\n")
            write(f"{SHOP}/.git", f"gitdir: {target}\n")
            if back:
                write(f"{target}/gitdir", back)
            if common_is:
                write(f"{target}/commondir", common_is)

        return scene

    cases = [("a pointer to credentials", ".ssh", None, None),
             ("a pointer without a back pointer", "main/.git/worktrees/shop", None, "../..\n"),
             ("a back pointer to another workspace", "main/.git/worktrees/shop", f"{HOME}/other/.git\n", "../..\n"),
             ("a common folder elsewhere", "main/.git/worktrees/shop", f"{SHOP}/.git\n", f"{HOME}/other\n"),
             ("no folder for worktrees", "other/repo", f"{SHOP}/.git\n", "..\n")]
    for title, where, back, common_is in cases:
        probe = f't("write there", lambda: put(H + "/{where}/objects/planted"))\nt("write in other", lambda: put(H + "/other/planted"))'
        attacks.hold("FS-33", title, probe, program(), {"write there": "ENOENT", "write in other": "ENOENT"}, outside,
                     scene=pointing(where, back, common_is))
        attacks.scene()
        pointing(where, back, common_is)()
        left_out = [row for row in program.plan().get("left-out", []) if ".git" in str(row["what"])]
        good = check(f"FS-33 {title}: the plan says why it is left out", bool(left_out), left_out)
        attacks.note("FS-33", "held" if good else "FAILED")


def odd_bytes(attacks, program):
    names = [
        b"new\nline", b"trailing ", b" leading", b"bad\xff\xfeutf", b"star*", b"what?", b"[x]", b"100%s%n",
        b"back\\slash", b"quote'\"", b"$(touch x)", b"n" * 255, b"\x1b[31mred", b"tab\t", b"-rf", b"a:b", b"comma,b",
        "\u202etxt".encode()
    ]
    data = os.fsencode(f"{HOME}/data/")

    def escaped(name):
        return b"".join(b"\\" + bytes([byte]) if bytes([byte]) in b"*?[]\\" else bytes([byte]) for byte in name)

    def twin(name):
        """A name that a matcher which shortens, trims or guesses would take for the same."""
        return name[:-1] + b"~" if len(name) == 255 else name.strip() + b"~"

    def scene():
        for name in names:
            for path in (data + name, data + twin(name)):
                with open(path, "w", encoding="ascii") as file:
                    file.write("canary")

    probe = """
for name in [bytes.fromhex(text) for text in sys.argv[1:]]:
    t(repr(name)[:40], lambda: read(os.fsencode(H) + b"/data/" + name))
"""
    arguments = [name.hex() for name in names] + [twin(name).hex() for name in names]
    rules = ["--ro", "~/data"]
    for name in names:
        rules += ["--hide", os.fsdecode(data + escaped(name))]
    expected = {repr(name)[:40]: "EACCES" for name in names}
    expected |= {repr(twin(name))[:40]: "canary" for name in names if len(name) < 255}
    keyed = [argument for argument in arguments if argument != twin(b"n" * 255).hex()]
    attacks.hold("FS-43", "rules are matched byte by byte", probe, program(*rules), expected,
                 program("--ro", "~/data"), scene=scene, arguments=keyed)
    attacks.hold("FS-43", "the twin of a name of 255 bytes is another file", probe, program(*rules),
                 {repr(b"n" * 254)[:40]: "canary"}, None, scene=scene, arguments=[twin(b"n" * 255).hex()])
    folders = "/".join(["d" * 250] * 15)

    def deep():
        os.makedirs(f"{HOME}/data/{folders}")
        write(f"{HOME}/data/{folders}/file")
        write(f"{HOME}/data/{folders}/beside")

    probe = 't("hidden", lambda: read(f"{H}/data/{sys.argv[1]}/file"))\nt("beside", lambda: read(f"{H}/data/{sys.argv[1]}/beside"))'
    attacks.hold("FS-43", "a path of 3,800 bytes", probe, program("--ro", "~/data", "--hide",
                                                                  f"~/data/{folders}/file"),
                 {"hidden": "EACCES", "beside": "canary"}, program("--ro", "~/data"), scene=deep, arguments=[folders])
    attacks.hold("FS-43", "a path of 4,270 bytes, which the kernel does not take", probe,
                 program("--ro", "~/data", "--hide", "~/data/" + "/".join(["e" * 250] * 17)),
                 Refused(COMMAND_LINE, "the kernel's limit is 4095"), None, scene=deep, arguments=[folders])
    # No file has a name of 256 bytes. Such a rule hides nothing, and is not shortened to one that does.
    attacks.hold("FS-43", "a name of 256 bytes is not cut to 255", 't("255", lambda: read(H + "/data/" + "e" * 255))',
                 program("--ro", "~/data", "--hide", "~/data/" + "e" * 256), {"255": "canary"}, None,
                 scene=lambda: write(f"{HOME}/data/" + "e" * 255))


def run_all(attacks, program):
    for part in (reading_through, writing_through, hides_and_links, second_mounts, protected_link, granted_link,
                 spellings, hard_links, links_before_the_start, worktrees, odd_bytes):
        part(attacks, program)
