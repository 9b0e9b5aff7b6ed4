#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - shows that the conformance kit notices when the library is broken.

    mutate.py SCRATCH            every mutant of mutants.py, in a copy of the sources in SCRATCH
    mutate.py SCRATCH --short    the three of mutants.SHORT
    mutate.py SCRATCH NAME...    those whose name contains one of these
    mutate.py --check            builds nothing: fails if a mutant's text is not in the sources once

Prints a line a mutant: who caught it, or SURVIVED. The exit status is the number of survivors.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIT_LIMIT = 240


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **more)


def must(command):
    done = run(command)
    if done.returncode:
        sys.exit("mutate.py: %s failed\n%s" % (" ".join(map(str, command)), done.stdout))


def copy_sources(scratch, *more):
    """Writes what differs only: a second run builds little, and a mutant left behind anew."""
    wanted = ["CMakeLists.txt", "LICENSE"]
    for folder in ("cmake", "docs", "platform", "tests", "umsshim", "winapi", *more):
        wanted += [p.relative_to(ROOT) for p in (ROOT / folder).rglob("*") if p.is_file()]
    for name in wanted:
        source, target = ROOT / name, scratch / "src" / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def configure(scratch):
    must(["cmake", "-G", "Ninja", "-S", scratch / "src", "-B", scratch / "build",
          "-DCMAKE_BUILD_TYPE=Debug",
          "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DUMSSHIM_BUILD_BENCH=OFF",
          "-DUMSSHIM_BUILD_SAMPLES=OFF"])
    must(build_command(scratch))


def build_command(scratch):
    return ["cmake", "--build", scratch / "build", "--target", "ums_conformance", "-j2"]


def run_kit(scratch, clauses=None):
    """The ids of the clauses that noticed."""
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    command = [scratch / "build/tests/conformance/ums_conformance", "--quiet", "--strict",
               "--first", "--limit=12", "--json=%s" % report]
    if clauses:
        command.append("--clause=" + clauses)
    try:
        done = run(command, timeout=KIT_LIMIT)
    except subprocess.TimeoutExpired:
        return ["no end after %d s" % KIT_LIMIT]
    if not report.exists():
        return ["the program does not run: %s" % done.stdout[-200:]]
    clauses = json.loads(report.read_text())["clauses"]
    return [c["id"] for c in clauses if c["result"] in ("FAILED", "CRASHED", "HUNG")]


def places(text, old):
    """Where a mutant's text is, whatever its layout: between words and signs there may be any space or none. A
    line's end at the text's end is meant as such."""
    tokens = re.findall(r"\w+|[^\w\s]", old)
    pattern = re.escape(tokens[0])
    for before, token in zip(tokens, tokens[1:]):
        words = re.match(r"\w", before) and re.match(r"\w", token)
        pattern += (r"\s+" if words else r"\s*") + re.escape(token)
    return list(re.finditer(pattern + (r"[ \t]*\n" if old.endswith("\n") else ""), text))


def put(text, place, old, new):
    """The text with the mutant in that place. What the old one begins with stays: the place's own indentation."""
    indent = len(old) - len(old.lstrip(" "))
    return text[:place.start()] + new.removeprefix(" " * indent) + text[place.end():]


def try_mutant(scratch, mutant, build, judge):
    """Builds with the mutant in its place. The verdict is that of judge(who is meant to notice): a text, and whether
    somebody noticed."""
    _, meant, path, old, new = mutant
    target = scratch / "src" / path
    original = target.read_text()
    found = places(original, old)
    if len(found) != 1:
        return "NOT APPLIED: the text is there %d times" % len(found), False
    target.write_text(put(original, found[0], old, new))
    try:
        built = run(build)
        if built.returncode:
            return "NOT BUILT\n" + built.stdout[-1500:], False
        return judge(meant)
    finally:
        target.write_text(original)


def by_clauses(scratch, meant):
    """First those that should notice, then all."""
    caught = run_kit(scratch, meant) or run_kit(scratch)
    by_others = "" if set(caught) & set(meant.split(",")) else ", not by " + meant
    return ("caught by " + ", ".join(caught) + by_others, True) if caught else ("SURVIVED", False)


def by_tests(tests, passes):
    caught = next((test for test in tests if not passes(test)), None)
    return ("caught by " + caught, True) if caught else ("SURVIVED", False)


def try_all(chosen, try_one, unnoticed=()):
    """Prints a line a mutant, and ends with the number of survivors that are not known."""
    survivors = caught = 0
    for mutant in chosen:
        verdict, fine = try_one(mutant)
        known = mutant[0] in unnoticed
        survivors += not fine and not known
        print("%-60s %s%s" % (mutant[0], verdict, " (known)" if known else ""), flush=True)
        caught += fine
    print("%d mutants, %d caught, %d not" % (len(chosen), caught, len(chosen) - caught))
    sys.exit(min(survivors, 100))


def choose(mutants, names):
    if names == ["--short"]:
        return [m for m in mutants.MUTANTS if m[0] in mutants.SHORT]
    return [m for m in mutants.MUTANTS if not names or any(n in m[0] for n in names)]


def check(mutants):
    """A mutant whose text has been rewritten breaks nothing any more: it wants to be written anew."""
    counts = [(name, path, len(places((ROOT / path).read_text(), old)))
              for name, _, path, old, _ in mutants.MUTANTS]
    stale = ["%s: %s has its text %d times" % entry for entry in counts if entry[2] != 1]
    names = [mutant[0] for mutant in mutants.MUTANTS]
    stale += ["%s: no mutant is called that" % name
              for name in mutants.SHORT + getattr(mutants, "UNNOTICED", []) if name not in names]
    stale += ["%s: two mutants are called that" % name for name in sorted(set(names)) if names.count(name) > 1]
    sys.exit("\n".join(stale) if stale else None)


def main():
    if sys.argv[1:] == ["--check"]:
        check(mutants)
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    scratch = pathlib.Path(sys.argv[1]).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    chosen = choose(mutants, sys.argv[2:])
    if not chosen:
        sys.exit("mutate.py: no mutant is called that")
    copy_sources(scratch)
    configure(scratch)
    noticed = run_kit(scratch)
    if noticed:
        sys.exit("mutate.py: the kit fails on the sources as they are: " + ", ".join(noticed))
    try_all(chosen, lambda mutant: try_mutant(scratch, mutant, build_command(scratch),
                                              lambda meant: by_clauses(scratch, meant)))


if __name__ == "__main__":
    main()
