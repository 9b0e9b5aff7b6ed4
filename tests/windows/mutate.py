#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py - shows that the tests notice when the Windows engine is broken; under Wine.

    mutate.py SCRATCH            every mutant of mutants.py here, in a copy of the sources in SCRATCH
    mutate.py SCRATCH --short    the three of mutants.SHORT
    mutate.py SCRATCH --review   the ten of mutants.REVIEW
    mutate.py SCRATCH NAME...    those whose name contains one of these
    mutate.py --check            builds nothing: fails if a mutant's text is not in the sources once, or a test
                                 that is meant to notice is not there, or one of the ten is none or unnoticed

Only umsshim.dll is built again for each. Prints a line a mutant: who caught it, or SURVIVED. The exit
status is the number of survivors that mutants.UNNOTICED does not name. The Wine prefix is there:
scripts/wine.sh --boot.
"""
import fnmatch
import functools
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 20  # seconds; a program's own watchdog is sooner, if it still can
DEFAULT = "UMSSHIM_SWITCH=inplace"


def load_other():
    """tests/conformance/mutate.py: its sources are copied and its commands run in the same way."""
    path = ROOT / "tests/conformance/mutate.py"
    sys.path.insert(1, str(path.parent))
    spec = importlib.util.spec_from_file_location("conformance_mutate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kit = load_other()


def build(scratch, *targets):
    return ["cmake", "--build", scratch / "build", "-j2", "--target", *targets]


def is_there(test):
    """Whether the sources have a test that this program and filter name. Some are made by a macro of the file's."""
    program, pattern = test.split()[:2]
    label, name = program.removesuffix("_unlinked").split("_", 1)
    sources = [ROOT / "tests" / label / (name + ending) for ending in (".c", ".cc")]
    text = "".join(source.read_text() for source in sources if source.exists())
    tests = [".".join(words) for words in re.findall(r"^[A-Z_]+\((?:(\w+), )?(\w+)[,)]", text, re.M)]
    return any(fnmatch.fnmatchcase(name, part) for name in tests for part in pattern.split(":"))


def configure(scratch, programs):
    kit.must(["cmake", "-G", "Ninja", "-S", scratch / "src", "-B", scratch / "build", "--toolchain",
              scratch / "src/cmake/mingw-w64.cmake", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
              "-DUMSSHIM_BUILD_BENCH=OFF"])
    kit.must(build(scratch, *sorted(programs)))


def run_program(scratch, program, arguments, settings):
    """Its output and exit status; None: it had to be ended."""
    command = ["sh", ROOT / "scripts/wine.sh", scratch / "build/bin" / ("test_%s.exe" % program)]
    environment = dict(os.environ)
    environment.update(setting.split("=") for setting in settings or [DEFAULT])
    try:
        return kit.run(command + arguments, timeout=LIMIT, env=environment)
    except subprocess.TimeoutExpired:
        return None


@functools.lru_cache(None)
def names(scratch, program, pattern):
    """The program's tests, asked of it while the library is whole."""
    listed = run_program(scratch, program, ["--gtest_list_tests", "--gtest_filter=" + pattern], [])
    lines = listed.stdout.splitlines() if listed else []
    found = [line.strip() for line in lines if line.startswith("  ")]
    if not found:
        sys.exit("mutate.py: %s has no test %s" % (program, pattern))
    return found


def passes(scratch, test):
    """Each in a process of its own, as in ctest."""
    program, pattern, *settings = test.split()
    for name in names(scratch, program, pattern):
        done = run_program(scratch, program, ["--gtest_filter=*." + name], settings)
        if not done or done.returncode:
            return False
    return True


def targets_of(chosen):
    """The products, and the tests that are meant to notice: some have a product's source in themselves."""
    tests = [test for mutant in chosen for test in mutant[1]]
    launcher = {"as_windows_launch"} if any("AS_WINDOWS" in test for test in tests) else set()
    return {"umsshim_dll", "umsrun"} | launcher | {"test_" + test.split()[0] for test in tests}


def check(more=()):
    """And that the tests that are meant to notice are there."""
    gone = ["%s: there is no test %s" % (mutant[0], test)
            for mutant in mutants.MUTANTS for test in mutant[1] if not is_there(test)]
    if gone or more:
        sys.exit("\n".join([*gone, *more]))
    kit.check(mutants)


def main():
    if sys.argv[1:] == ["--check"]:
        names_of_all = [mutant[0] for mutant in mutants.MUTANTS]
        check(["%s: of the ten, and no mutant that is noticed" % name for name in mutants.REVIEW
               if name not in names_of_all or name in mutants.UNNOTICED])
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    scratch = pathlib.Path(sys.argv[1]).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    if sys.argv[2:] == ["--review"]:
        chosen = [mutant for mutant in mutants.MUTANTS if mutant[0] in mutants.REVIEW]
    else:
        chosen = kit.choose(mutants, sys.argv[2:])
    if not chosen:
        sys.exit("mutate.py: no mutant is called that")
    kit.copy_sources(scratch, "samples", "scripts")
    tests = sorted({test for mutant in chosen for test in mutant[1]})
    configure(scratch, targets_of(chosen))
    broken = [test for test in tests if not passes(scratch, test) and not passes(scratch, test)]
    if broken:
        sys.exit("mutate.py: fail on the sources as they are: " + ", ".join(broken))
    kit.try_all(chosen, lambda mutant: kit.try_mutant(
        scratch, mutant, build(scratch, *targets_of([mutant])),
        lambda tests: kit.by_tests(tests, lambda test: passes(scratch, test))), mutants.UNNOTICED)


if __name__ == "__main__":
    main()
