#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - shows that the tests notice when the Linux engine is broken.

    mutate.py SCRATCH            every mutant of mutants.py here, in a copy of the sources in SCRATCH
    mutate.py SCRATCH --short    the three of mutants.SHORT
    mutate.py SCRATCH NAME...    those whose name contains one of these
    mutate.py --check            builds nothing: names the mutants whose text is not in the sources once, or whose test is
                                 not there; fails where there is one

Only the library is built again for each, and what unit tests include. Prints a line a mutant: who caught it, or
SURVIVED. The exit status is the number of survivors that mutants.UNNOTICED does not name.
"""
import functools
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 40  # seconds for a program; each test's own watchdog is sooner, if it still can
ALONE = {"UMSSHIM_TEST_LIMIT": "15"}


def load(name, path):
    sys.path.insert(1, str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kit = load("conformance_mutate", ROOT / "tests/conformance/mutate.py")
windows = load("windows_mutate", ROOT / "tests/windows/mutate.py")


def build(scratch, chosen):
    tests = {"test_" + test.split()[0] for mutant in chosen for test in mutant[1]}
    return ["cmake", "--build", scratch / "build", "-j2", "--target", "umsshim", *sorted(tests)]


def configure(scratch, chosen):
    kit.must(["cmake", "-G", "Ninja", "-S", scratch / "src", "-B", scratch / "build", "-DCMAKE_BUILD_TYPE=Debug",
              "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DUMSSHIM_BUILD_BENCH=OFF", "-DUMSSHIM_BUILD_TESTS=ON"])
    kit.must(build(scratch, chosen))


@functools.lru_cache(None)
def program_of(scratch, name):
    return next((scratch / "build/tests").rglob("test_" + name))


def run_one(command, environment):
    """Whether it passes. What it leaves running goes with it."""
    started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        return started.wait(LIMIT) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(started.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        started.wait()


@functools.lru_cache(None)
def names(scratch, program, pattern):
    """The program's tests, asked of it while the library is whole."""
    listed = kit.run([program_of(scratch, program), "--gtest_list_tests", "--gtest_filter=" + pattern])
    suite, found = "", []
    for line in listed.stdout.splitlines():
        if line.startswith("  "):
            found.append(suite + line.split()[0])
        elif line.rstrip().endswith("."):
            suite = line.strip()
    if not found:
        sys.exit("mutate.py: %s has no test %s" % (program, pattern))
    return found


def passes(scratch, test):
    """Each in a process of its own, as in ctest."""
    program, pattern, *settings = test.split()
    environment = dict(os.environ, UMSSHIM_STRESS_SECONDS="2", **ALONE)
    environment.update(setting.split("=") for setting in settings)
    return all(run_one([program_of(scratch, program), "--gtest_filter=" + name], environment)
               for name in names(scratch, program, pattern))


def try_mutant(scratch, mutant, broken):
    _, tests, path, old, new = mutant
    target = scratch / "src" / path
    original = target.read_text()
    found = kit.places(original, old)
    if len(found) != 1:
        return "NOT APPLIED: the text is there %d times" % len(found), False
    target.write_text(kit.put(original, found[0], old, new))
    try:
        built = kit.run(build(scratch, [mutant]))
        if built.returncode:
            return "NOT BUILT\n" + built.stdout[-1500:], False
        caught = next((test for test in tests if test not in broken and not passes(scratch, test)), None)
    finally:
        target.write_text(original)
    return ("caught by " + caught, True) if caught else ("SURVIVED", False)


def is_stale(mutant):
    _, tests, path, old, _ = mutant
    target = ROOT / path
    return (not target.exists() or len(kit.places(target.read_text(), old)) != 1 or
            not all(windows.is_there(test) for test in tests))


def check():
    stale = [mutant[0] for mutant in mutants.MUTANTS if is_stale(mutant)]
    print("\n".join("to be written anew: " + name for name in stale))
    names = [mutant[0] for mutant in mutants.MUTANTS]
    sys.exit(bool(stale) or len(set(names)) < len(names) or not set(mutants.SHORT) <= set(names))


def main():
    if sys.argv[1:] == ["--check"]:
        check()
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    scratch = pathlib.Path(sys.argv[1]).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    chosen = kit.choose(mutants, sys.argv[2:])
    if not chosen:
        sys.exit("mutate.py: no mutant is called that")
    kit.copy_sources(scratch, "samples", "scripts")
    configure(scratch, chosen)
    tests = sorted({test for mutant in chosen for test in mutant[1]})
    broken = [test for test in tests if not passes(scratch, test) and not passes(scratch, test)]
    if broken:
        print("fail on the sources as they are, and are left out: " + ", ".join(broken), flush=True)
    survivors = caught = 0
    for mutant in chosen:
        verdict, fine = try_mutant(scratch, mutant, broken)
        known = mutant[0] in mutants.UNNOTICED
        survivors += not fine and not known
        print("%-60s %s%s" % (mutant[0], verdict, " (known)" if known else ""), flush=True)
        caught += fine
    print("%d mutants, %d caught, %d not" % (len(chosen), caught, len(chosen) - caught))
    sys.exit(min(survivors, 100))


if __name__ == "__main__":
    main()
