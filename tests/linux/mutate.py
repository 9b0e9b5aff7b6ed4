#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - shows that the tests notice when the Linux engine is broken.

    mutate.py SCRATCH            every mutant of mutants.py here, in a copy of the sources in SCRATCH
    mutate.py SCRATCH --short    the three of mutants.SHORT
    mutate.py SCRATCH NAME...    those whose name contains one of these
    mutate.py --check            builds nothing: names the mutants whose text is not in the sources once, or whose test is
                                 not there; fails where there is one

Only the library is built again for each, and the unit tests that are meant to notice, which include the source itself.
Prints a line a mutant: who caught it, or SURVIVED. The exit status is the number of survivors that mutants.UNNOTICED
does not name.
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


def load_other():
    """tests/windows/mutate.py, and by it that of tests/conformance: the steps of a run are theirs."""
    path = ROOT / "tests/windows/mutate.py"
    spec = importlib.util.spec_from_file_location("windows_mutate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


windows = load_other()
kit = windows.kit


def build(scratch, chosen):
    tests = {"test_" + test.split()[0] for mutant in chosen for test in mutant[1]}
    library = [] if all(test.startswith("test_unit_") for test in tests) else ["umsshim"]
    return ["cmake", "--build", scratch / "build", "-j2", "--target", *library, *sorted(tests)]


def configure(scratch, chosen):
    """A mutant may leave a variable unused: no warnings."""
    kit.must(["cmake", "-G", "Ninja", "-S", scratch / "src", "-B", scratch / "build", "-DCMAKE_BUILD_TYPE=Debug",
              "-DCMAKE_C_FLAGS_DEBUG=-O1 -w", "-DUMSSHIM_BUILD_BENCH=OFF", "-DUMSSHIM_BUILD_TESTS=ON"])
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


def main():
    if sys.argv[1:] == ["--check"]:
        windows.check()
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
    kit.try_all(chosen, lambda mutant: kit.try_mutant(
        scratch, mutant, build(scratch, [mutant]),
        lambda tests: kit.by_tests(tests, lambda test: test in broken or passes(scratch, test))), mutants.UNNOTICED)


if __name__ == "__main__":
    main()
