#!/usr/bin/python3
"""Attacks on files, group FS: what is not in the view, links and names, pins and masks, what is shared.

Usage: files_attacks_test.py AGENT_SANDBOX [long] [THEME...]
"""
import importlib
import os
import sys

import attack_frame
from attack_frame import Attacks, Program

# The rows of this test. FS-31 and FS-32 are in own_floor_test.py, FS-19 and FS-20 in masks_test.py,
# FS-01, FS-02 and FS-44 in survives_test.py.
ROWS = {f"FS-{number:02}" for number in range(3, 44)} - {"FS-19", "FS-20", "FS-31", "FS-32"}

# What is not built yet, and would be the wall. Where a row also has parts that hold, they are tried.
PENDING = {
    "FS-12": "system call filter",
    "FS-16": "system call filter",
    "FS-18": "held files",
    "FS-23": "secrets in the workspace",
    "FS-24": "secrets in the workspace",
    "FS-34": "--device",
    "FS-35": "system call filter",
    "FS-37": "system call filter",
    "FS-39": "caches through an overlay",
}

# What a test cannot make on every host.
RIGS = {
    "FS-08": "a file system for users that ignores case",
    "FS-40": "a file system of a program",
}


def main():
    attack_frame.in_a_scratch_home()
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "files"))
    words = sys.argv[2:]
    attacks, program = Attacks(PENDING, RIGS, long="long" in words), Program(os.path.abspath(sys.argv[1]))
    themes = [word for word in words if word != "long"]
    for theme in themes or ["view", "links", "pins", "shared"]:
        importlib.import_module(theme).run_all(attacks, program)
    attacks.table(None if themes else ROWS)
    attack_frame.finish()


main()
