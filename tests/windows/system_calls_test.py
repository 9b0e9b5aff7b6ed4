#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""system_calls_test.py SOURCE - system_calls.txt says of each system call that waits, signals or belongs to its
thread whether it is hooked, or why it is not; the sources hook those that are to be, and no others."""

import pathlib
import re
import sys

PATTERNS = {
    "platform/windows/calls.def": r"^CALL\((Nt\w+),",
    "platform/windows/os/originals.h": r"\(NTAPI \*(Nt\w+)\)",
    "winapi/windows/thread_control.c": r'\.name = "(Nt\w+)"',
}


def hooked_by_sources(root):
    names = set()
    for path, pattern in PATTERNS.items():
        found = re.findall(pattern, (root / path).read_text(), re.MULTILINE)
        if not found:
            sys.exit(f"{path}: no hook is found by {pattern}")
        names.update(found)
    return names


def main():
    root = pathlib.Path(sys.argv[1])
    listed, wrong = {}, []
    for number, line in enumerate((root / "tests/windows/system_calls.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, _, why = line.partition(" ")
        if not re.fullmatch(r"Nt[A-Z]\w+", name):
            wrong.append(f"line {number}: {name} is no name of a system call")
        if name in listed:
            wrong.append(f"line {number}: {name} is there twice")
        if "docs/windows.md" in why and name not in (root / "docs/windows.md").read_text():
            wrong.append(f"{name}: docs/windows.md does not name it")
        listed[name] = why
    hooked = hooked_by_sources(root)
    wrong += [f"{name}: hooked, and not in the list" for name in sorted(hooked - listed.keys())]
    wrong += [f"{name}: not hooked, and the list has no reason" for name, why in listed.items()
              if not why and name not in hooked]
    wrong += [f"{name}: hooked, and the list has a reason why it is not" for name, why in listed.items()
              if why and name in hooked]
    print("\n".join(wrong))
    print(f"{len(listed)} system calls, {len(hooked)} of them hooked")
    return 1 if wrong else 0


sys.exit(main())
