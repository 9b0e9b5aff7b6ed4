#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts through how many files control goes in one operation.

    walks.py [--show] [--addr2line=TOOL] LIBRARY OPERATION=MOST... -- PROGRAM...

Runs PROGRAM with each operation (walk.c) and fails if one visits more than its MOST files. LIBRARY is built with
-finstrument-functions, line tables, and nothing inlined that need not be.

The rule. A *visit* is control's arrival in a file that it is not in already. It arrives by a call, or by a return to a
function that goes on and calls another; a return to one that only returns in its turn is none. A
header's functions, and the assembly, belong to the caller. A file that control comes back to counts
again. The median of some runs is told: on a busy machine an operation meets a contended lock now
and then.
"""
import os
import struct
import subprocess
import sys

RUNS = 5


def preferred_base(library):
    """What a DLL's addresses are counted from."""
    with open(library, "rb") as file:
        head = file.read(4096)
    if head[:2] != b"MZ":
        return 0
    optional = struct.unpack_from("<I", head, 60)[0] + 24
    return struct.unpack_from("<Q", head, optional + 24)[0]


def files_of(tool, library, addresses):
    """The source file of each address."""
    wanted = sorted(addresses)
    base = preferred_base(library)
    text = "\n".join(f"{base + address:#x}" for address in wanted)
    out = subprocess.run([tool, "-f", "-e", library], input=text, capture_output=True, text=True,
                         check=True).stdout.split("\n")
    found = {}
    for i, address in enumerate(wanted):
        file = os.path.normpath(out[2 * i + 1].rsplit(":", 1)[0])
        found[address] = (file, out[2 * i])
    return found


def short(file):
    parts = file.split("/")
    for top in ("platform", "umsshim", "winapi"):
        if top in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(top):])
    return file


def known(file):
    return file.startswith(("platform/", "umsshim/", "winapi/"))


def walk(records):
    """The visits, from (function, call site, function's file, its name, caller's file); call site 0: it was left."""
    visits, stack = [], []

    def arrive(file, name):
        if known(file) and (not visits or visits[-1][0] != file):
            visits.append((file, name))

    for function, site, file, name, caller in records:
        if not site:
            if function in (entry[0] for entry in stack):
                while stack.pop()[0] != function:
                    pass
            continue
        # What is inlined has the call site of the function it lies in.
        if stack and (stack[-1][1] == site or caller.endswith((".h", ".S"))):
            caller = stack[-1][2]
        if file.endswith(".h"):
            file = caller
        stack.append((function, site, file))
        arrive(caller, "(back)")
        arrive(file, name)
    return visits


def record(tool, library, command):
    """What was entered and left in one run of the program, and the visits."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    pairs = [tuple(int(word, 16) for word in line.split()) for line in run.stdout.splitlines()]
    if run.returncode or not pairs:
        sys.exit(f"walks: {command[-1]}: exit status {run.returncode}: {run.stderr}")
    addresses = {function for function, _ in pairs} | {site - 1 for _, site in pairs if site}
    files = files_of(tool, library, addresses)
    records = [(function, site, short(files[function][0]), files[function][1],
                short(files[site - 1][0]) if site else "") for function, site in pairs]
    return records, walk(records)


def main():
    show, tool, arguments = False, "addr2line", sys.argv[1:]
    while arguments and arguments[0].startswith("--") and arguments[0] != "--":
        option = arguments.pop(0)
        show |= option == "--show"
        if option.startswith("--addr2line="):
            tool = option.split("=", 1)[1]
    split = arguments.index("--")
    library, limits, program = arguments[0], arguments[1:split], arguments[split + 1:]
    failed = False
    for limit in limits:
        operation, most = limit.split("=")
        runs = [record(tool, library, program + [operation]) for _ in range(RUNS)]
        records, visits = sorted(runs, key=lambda run: len(run[1]))[RUNS // 2]
        verdict = "" if len(visits) <= int(most) else f": more than {most}"
        failed |= bool(verdict)
        print(f"{operation}: {len(visits)} visits, {len({v[0] for v in visits})} files{verdict}")
        if show or verdict:
            for number, (file, name) in enumerate(visits, 1):
                print(f"  {number:2} {file}: {name}")
        if show:
            for _, site, file, name, caller in records:
                print(f"     {caller} -> {file}: {name}" if site else f"     left {name}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
