#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""claims.py REPORT.json... - what umsshim's pages say about Windows, held against reports of umsshim-evidence.

Prints a table in Markdown: each claim, where it is made, and for each report whether it confirms or refutes the claim,
and by which line. "no word": the part was not run there, or does not say it. Exit status 1 if a report refutes a claim, 2 if a
file is no report.

A report says a thing of one system and one moment; races that it does not find may be there.
"""
import json
import re
import sys

CONFIRMED, REFUTED, NO_WORD = "confirmed", "REFUTED", "no word"
BAD = ("failed", "crashed", "hung")


class Report:
    def __init__(self, path, data):
        if not isinstance(data, dict) or data.get("schema") != 1 or not isinstance(data.get("parts"), list):
            raise ValueError("it has not the schema 1")
        self.path = path
        self.brief = bool(data.get("brief"))
        self.parts = {part["name"]: part for part in data["parts"]}

    def part(self, name):
        part = self.parts.get(name)
        return part if part and part["verdict"] != "not run" else None

    def text(self, name):
        part = self.part(name)
        return part["text"] if part else ""

    def find(self, name, pattern):
        return re.search(pattern, self.text(name), re.M)

    def system(self):
        version, display = self.find("system", r"^version: (\S+)"), self.find("system", r"^display version: (\S+)")
        wine = self.find("system", r"^wine: (?!no\b)(\S+)")
        words = ["Windows", version.group(1) if version else "of no version"]
        if display and display.group(1) != "not":
            words.append(display.group(1))
        if wine:
            words.append(f"(Wine {wine.group(1)})")
        if self.is_emulated():
            words.append("on Arm64")
        if self.brief:
            words.append("(brief)")
        return " ".join(words)

    def is_emulated(self):
        return bool(self.find("system", r"^native machine: 0xaa64"))


# ---- Ways to judge: each gives a verdict and the words that it goes by ----------------------------------------------

def first_failure(text):
    found = re.search(r"^(?:FAILED|hung|crashed)\b.*$", text, re.M) or re.search(r"^.*\bFAILED\b.*$", text, re.M)
    return found.group(0).strip() if found else ""


def passes(name):
    """The part's verdict."""
    def judge(report):
        part = report.part(name)
        if not part:
            return NO_WORD, ""
        if part["verdict"] in BAD:
            words = [part["verdict"], part["reason"], first_failure(part["text"])]
            return REFUTED, ": ".join(word for word in words if word)
        return CONFIRMED, part["verdict"]
    return judge


def says(name, right, wrong):
    """Lines of the part: the first pattern confirms, the second refutes."""
    def judge(report):
        bad = report.find(name, wrong)
        if bad:
            return REFUTED, bad.group(0)
        good = report.find(name, right)
        return (CONFIRMED, good.group(0)) if good else (NO_WORD, "")
    return judge


def all_names(report):
    found = report.find("names", r"^kernel32\.dll: (\d+) of (\d+) names, (\d+) distinct addresses")
    if not found:
        return NO_WORD, ""
    return (CONFIRMED if found.group(1) == found.group(2) else REFUTED), found.group(0)


def in_place(report):
    """Told by the check, which runs without a wish and after the trial. On an emulated system the claim is another."""
    if report.is_emulated():
        return NO_WORD, "x64 is emulated"
    return says("check", r"^switching: in place.*$", r"^switching: pinned.*$")(report)


def pinned_on_arm(report):
    if not report.is_emulated():
        return NO_WORD, ""
    return says("check", r"^switching: pinned.*$", r"^switching: in place.*$")(report)


def nanoseconds(report, name, what):
    found = report.find(name, rf"^{re.escape(what)}: (\d+) ns")
    return int(found.group(1)) if found else None


def cheap_switch(report):
    switch = nanoseconds(report, "timings-inplace", "a worker's yield and the execute after it")
    threads = nanoseconds(report, "timings-inplace", "two threads, an event there and one back")
    if report.is_emulated() or not switch or not threads:
        return NO_WORD, ""
    return (CONFIRMED if 5 * switch <= threads else REFUTED), f"{switch} ns, threads {threads} ns"


def clauses(name):
    def judge(report):
        found = report.find(name, r"^.*\b(\d+) passed, (\d+) failed, (\d+) crashed, (\d+) hung.*$")
        if not found:
            return passes(name)(report)
        bad = any(int(found.group(i)) for i in (2, 3, 4))
        return (REFUTED if bad else CONFIRMED), found.group(0).strip()
    return judge


CLAIMS = [
    ("kernel32 still has all names of User-Mode Scheduling", "windows.md, Ways in", all_names),
    ("each system call that is hooked has the code that its hook takes", "windows.md, Hooks",
     says("stubs", r"^hooks: \d+, refused: 0\b.*$", r"^hooks: \d+, refused: [1-9].*$")),
    ("the fields of a thread's block are where the table says", "windows.md, In-place mode",
     says("teb", r"^rows: \d+, wrong: 0\b.*$", r"^.*not as the table says.*$")),
    ("in place passes its trial", "windows.md, The trial", says("try", r"^in place: passed.*$", r"^in place: failed.*$")),
    ("workers are switched in place after the trial", "windows.md, When", in_place),
    ("x64 emulated on Arm64: pinned", "windows.md, Held against public facts", pinned_on_arm),
    ("the self-test passes", "umsrun(1), --check", says("check", r"^self-test: passed.*$", r"^self-test: FAILED.*$")),
    ("umsrun serves an old program, in place", "windows.md, umsrun", passes("import-inplace")),
    ("umsrun serves an old program, pinned", "windows.md, umsrun", passes("import-pinned")),
    ("a linked copy runs by itself, in place", "windows.md, A linked copy", passes("copy-inplace")),
    ("a linked copy runs by itself, pinned", "windows.md, A linked copy", passes("copy-pinned")),
    ("the contract is kept by linked programs, in place", "conformance.md", clauses("linked-inplace")),
    ("the contract is kept by linked programs, pinned", "conformance.md", clauses("linked-pinned")),
    ("the contract is kept under umsrun, in place", "conformance.md", clauses("umsrun-inplace")),
    ("the contract is kept under umsrun, pinned", "conformance.md", clauses("umsrun-pinned")),
    ("the contract is what Microsoft's own functions keep", "conformance.md", clauses("own-clauses")),
    ("none of the engine's hazards happens, in place", "tests/windows", passes("hazards-inplace")),
    ("none of the engine's hazards happens, pinned", "tests/windows", passes("hazards-pinned")),
    ("none happens in a program marked for user shadow stacks", "windows.md, Limits", passes("hazards-cet")),
    ("no race is lost in five minutes of them, in place", "tests/windows", passes("races-inplace")),
    ("no race is lost in five minutes of them, pinned", "tests/windows", passes("races-pinned")),
    ("a switch in place takes at most a fifth of a hand-over between threads", "windows.md, In-place mode", cheap_switch),
]


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|")[:120]


def table(reports):
    rows, refuted = [], 0
    rows.append("| claim | made in | " + " | ".join(cell(report.system()) for report in reports) + " |")
    rows.append("|---|---|" + "---|" * len(reports))
    for claim, where, judge in CLAIMS:
        cells = []
        for report in reports:
            verdict, words = judge(report)
            refuted += verdict == REFUTED
            cells.append(cell(f"{verdict}: {words}" if words else verdict))
        rows.append(f"| {claim} | {where} | " + " | ".join(cells) + " |")
    return rows, refuted


def read(path):
    with open(path, encoding="utf-8") as file:
        return Report(path, json.load(file))


def main(paths):
    if not paths:
        print(__doc__)
        return 2
    try:
        reports = [read(path) for path in paths]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    rows, refuted = table(reports)
    print("\n".join(rows))
    print(f"\n{refuted} refuted")
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
