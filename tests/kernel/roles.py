"""Which process plays which role in a run, found in /proc from outside."""

ROLES = ["supervisor", "launcher", "bubblewrap", "init", "warden"]


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def children(pid):
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def name_of(pid):
    return read(f"/proc/{pid}/comm").decode().strip()


def role_pid(supervisor, role):
    """The process that plays `role` in this run right now, or nothing."""
    if role == "supervisor":
        return supervisor
    for child in children(supervisor):
        name = name_of(child)
        if role == "warden" and name == "asb-warden":
            return child
        if role == "launcher" and name == "agent-sandbox":
            return child
        if name != "bwrap":
            continue
        if role == "bubblewrap":
            return child
        for inner in children(child):
            if name_of(inner) == "agent-sandbox-i":
                return inner
    return None
