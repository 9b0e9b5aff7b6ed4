#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""claims_test.py - claims.py, on reports made by hand: a good one confirms, and for each claim one that is bad in just
that refutes it and nothing else; what was not run says nothing."""
import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile

import claims

KIT = "clauses: 200 passed, 0 failed, 0 crashed, 0 hung"
GOOD = {
    "system": ("told", "version: 10.0.26100\ndisplay version: 24H2\nwine: no\nnative machine: 0x8664\n"),
    "names": ("told", "kernel32.dll: 14 of 14 names, 12 distinct addresses\n"),
    "stubs": ("passed", "hooks: 72, refused: 0\n"),
    "teb": ("passed", "rows: 60, wrong: 0\n"),
    "try": ("passed", "in place: passed, after 1.2 s\nkept in C:\\\\x\n"),
    "check": ("passed", "UMS: on\nswitching: in place\nself-test: passed (200 yields, 4 blocks)\n"),
    "import-inplace": ("passed", "workers ended: 2\n"), "import-pinned": ("passed", "workers ended: 2\n"),
    "copy-inplace": ("passed", "linked copy: runs, and can be undone\n"),
    "copy-pinned": ("passed", "linked copy: runs, and can be undone\n"),
    "linked-inplace": ("passed", KIT), "linked-pinned": ("passed", KIT),
    "umsrun-inplace": ("passed", KIT), "umsrun-pinned": ("passed", KIT), "own-clauses": ("passed", KIT),
    "hazards-inplace": ("passed", ""), "hazards-pinned": ("passed", ""), "hazards-cet": ("passed", ""),
    "races-inplace": ("passed", ""), "races-pinned": ("passed", ""),
    "timings-inplace": ("told", "a worker's yield and the execute after it: 60 ns\n"
                                "two threads, an event there and one back: 9000 ns\n"),
}
# What is bad in a report: the part, its verdict, its text; and words of the one claim that it refutes.
BAD = [
    ("names", "told", "kernel32.dll: 13 of 14 names, 12 distinct addresses\n", "all names"),
    ("stubs", "failed", "hooks: 72, refused: 3\n", "system call that is hooked"),
    ("teb", "failed", "locale: 0x0108, 4 bytes, own; not as the table says\nrows: 60, wrong: 1\n", "thread's block"),
    ("try", "failed", "in place: failed, it hangs, after 10.0 s\n", "passes its trial"),
    ("check", "passed", "switching: pinned (in place did not pass its trial)\nself-test: passed\n", "after the trial"),
    ("check", "failed", "switching: in place\nself-test: FAILED at creating a worker, last error 5\n", "self-test"),
    ("import-inplace", "failed", "umsrun: cannot be started: error 225\n", "an old program, in place"),
    ("copy-pinned", "hung", "", "linked copy runs by itself, pinned"),
    ("linked-inplace", "failed", KIT.replace("0 hung", "1 hung"), "by linked programs, in place"),
    ("umsrun-pinned", "crashed", "", "under umsrun, pinned"),
    ("own-clauses", "failed", KIT.replace("0 failed", "7 failed"), "Microsoft's own functions"),
    ("hazards-inplace", "failed", "FAILED Ownership.owner, 0x1\n", "hazards happens, in place"),
    ("hazards-cet", "crashed", "", "user shadow stacks"),
    ("races-inplace", "failed", "hung Loader.load in round 7, 0x1\n", "in five minutes of them, in place"),
    ("timings-inplace", "told", GOOD["timings-inplace"][1].replace("60 ns", "8000 ns"), "a fifth"),
]
failures = []


def expect(holds, text):
    if not holds:
        failures.append(text)
        print("claims_test:", text, file=sys.stderr)


def report(changes, without=()):
    parts = copy.deepcopy(GOOD)
    parts.update(changes)
    return {"schema": 1, "own_ums": False, "parts": [
        {"name": name, "verdict": "not run" if name in without else verdict, "ms": 1, "what": "",
         "reason": "it ended with 1" if verdict in claims.BAD else "", "text": text}
        for name, (verdict, text) in parts.items()]}


def run(*reports):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, data in enumerate(reports):
            paths.append(pathlib.Path(folder, f"{number}.json"))
            paths[-1].write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = claims.main([str(path) for path in paths])
    return status, [line for line in said.getvalue().splitlines() if line]


def rows_with(lines, word):
    return [line for line in lines if line.startswith("|") and word in line]


def main():
    status, lines = run(report({}))
    expect(status == 0 and not rows_with(lines, "REFUTED"), f"a good report: {status}\n" + "\n".join(lines))
    expect(len(rows_with(lines, "confirmed")) == len(claims.CLAIMS) - 1, "a good report confirms all but the one for Arm64")
    expect("Windows 10.0.26100 24H2" in lines[0], f"the system is not told: {lines[0]}")
    for name, verdict, text, words in BAD:
        status, lines = run(report({name: (verdict, text)}))
        refuted = rows_with(lines, "REFUTED")
        expect(status == 1 and len(refuted) == 1 and words in refuted[0],
               f"bad in {name}, wanted \"{words}\" refuted, saw {status} and {refuted}")
    for name in GOOD:
        status, lines = run(report({}, without=[name]))
        expect(status == 0 and not rows_with(lines, "REFUTED"), f"{name} was not run, and something is refuted")
    arm = GOOD["system"][1].replace("0x8664", "0xaa64")
    status, lines = run(report({"system": ("told", arm)}))
    expect(status == 1 and "Arm64: pinned" in "".join(rows_with(lines, "REFUTED")), f"in place on Arm64: {lines}")
    status, lines = run(report({"system": ("told", arm), "check": ("passed", "switching: pinned (emulated)\nself-test: passed\n")}))
    expect(status == 0, f"pinned on Arm64 is refuted: {lines}")
    status, lines = run(report({}), report({"names": BAD[0][1:3]}))
    expect(status == 1 and lines[2].count("confirmed") == 1 and lines[2].count("REFUTED") == 1, f"two reports: {lines[2]}")
    for text in ("", "{}", "[1]", '{"schema": 2, "parts": []}', '{"schema": 1, "parts": [{}]}'):
        status, lines = run(text)
        expect(status == 2 and len(lines) == 1, f"{text!r} is taken for a report: {status}, {lines}")
    print("claims_test:", "FAILED" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
