#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py - has spin look at every interleaving of the protocols that are written down here.

    run.py                 every model: its runs, and its mutants
    run.py NAME...         these models
    run.py --by-hand ...   also the runs that take minutes, or gigabytes

A model's head has a line for each way to run it, and for each way to break it:

    run     NAME FLAGS                has to be looked at whole, and without an error
    by hand NAME FLAGS                the same, where --by-hand asks for it
    mutant  NUMBER NAME: WHAT         with `mutant` set to NUMBER, the run NAME has to end with an error and a trail

What bounds a search is memory and depth, never time: a busy machine makes it late and no more. The exit status is 77
where spin is missing.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BOUNDS = ["-m3000000"]
BOUNDS_OF_MUTANTS = ["-m500000", "-w20"]  # an error is found early: less memory to fill with zeroes
MEGABYTES = 6000
LINE = re.compile(r"^ \* (run|by hand|mutant) +(.+)$", re.M)
COMPILE = [os.environ.get("CC") or "cc", "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=%d" % MEGABYTES, "-o",
           "pan", "pan.c"]
CUT_SHORT = ("max search depth too small", "out of memory", "memory limit", "Search not completed", "-DMEMLIM")


class Failure(Exception):
    pass


def call(command, folder, **more):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def must(command, folder):
    done = call(command, folder)
    if done.returncode:
        raise Failure("%s\n%s" % (" ".join(map(str, command)), done.stdout))


def search(folder, mutant):
    """What the checker says, and whether it has left a trail."""
    done = call(["./pan", *(BOUNDS_OF_MUTANTS if mutant else BOUNDS)], folder, env=dict(os.environ, MUTANT=str(mutant)))
    trails = list(folder.glob("*.trail"))
    for trail in trails:
        trail.unlink()
    return done.stdout, done.returncode, bool(trails)


def states(said, seconds):
    found = re.search(r"([\d.e+]+) states, stored", said)
    memory = re.search(r"([\d.]+)\s+total actual memory usage", said)
    return "%d states, %.1f s of processor time, %d MB" % (
        float(found.group(1)) if found else 0, seconds, float(memory.group(1)) if memory else 0)


def look_at_whole(folder, name):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said, status, trail = search(folder, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status or trail or "errors: 0" not in said or any(words in said for words in CUT_SHORT):
        raise Failure("%s: no proof, status %d\n%s" % (name, status, said[-3000:]))
    return states(said, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def break_it(folder, name, number):
    said, _, trail = search(folder, number)
    why = re.search(r"^pan:\d*:? *(.+?) \(at depth", said, re.M)
    if not trail or not why:
        raise Failure("%s, mutant %d: goes unnoticed\n%s" % (name, number, said[-1500:]))
    return why.group(1)


def check(model, by_hand):
    lines = LINE.findall(model.read_text())
    mutants = [re.fullmatch(r"(\d+) (\S+): (.+)", text).groups() for kind, text in lines if kind == "mutant"]
    for kind, text in lines:
        name, *flags = text.split()
        if kind == "mutant" or (kind == "by hand" and not by_hand):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            must(["spin", "-a", *flags, model], folder)
            must(COMPILE, folder)
            print("%s, %s: %s" % (model.stem, name, look_at_whole(folder, name)), flush=True)
            for number, of, what in mutants:
                if of == name:
                    print("    %s: %s" % (what, break_it(folder, name, int(number))), flush=True)


def main():
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    models = [HERE / (name + ".pml") for name in names] or sorted(HERE.glob("*.pml"))
    if not shutil.which("spin"):
        print("run.py: there is no spin here (Debian: spin)")
        sys.exit(77)
    failed = 0
    for model in models:
        try:
            check(model, "--by-hand" in sys.argv)
        except Failure as failure:
            failed += 1
            print("%s, %s" % (model.stem, failure))
    sys.exit(failed)


if __name__ == "__main__":
    main()
