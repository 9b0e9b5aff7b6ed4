#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shrink.py - makes a random program that fails (random_programs.c) as short as it can be, and writes it as a C test.

    shrink.py [--seconds N] [--out FILE.c] STEPS COMMAND...

STEPS is a file with the lines "step: ..." that the failed run has printed, or "-" for a command that is run with its
UMSSHIM_TEST_SEED until it prints them. COMMAND runs test_stress_random_programs, under Wine through scripts/wine.sh. A
program that is tried counts as good when it passes for N seconds, over and over: 4 unless told. Steps are left out for as
long as what is left fails. Exit status 1 if the whole program does not fail any more.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^step: (\w+ \d+ \d+ \d+ \d+)\s*$", re.M)
HEAD = """/* SPDX-License-Identifier: MIT
 *
 * Made by shrink.py. Builds with the sources of random_programs in tests/stress/CMakeLists.txt, in the place of
 * random_programs.c.
 */
#include "gtest_c.h"
#include "program.h"
#include "program_model.h"

static const struct step steps[] = {
%s};

void model_say_program(void)
{
}

TEST(RandomPrograms, shrunk)
{
    int at = 0;
    long long done = 0;

    for (int i = 0; i < %d; i++)
        EXPECT_THAT(program_run(steps, (int)(sizeof steps / sizeof *steps), &at, &done), "at step %%d", at);
}
"""


def run(command, steps, seconds):
    """Whether these steps fail."""
    with tempfile.NamedTemporaryFile("w", suffix=".steps", delete=False) as file:
        file.write("\n".join(steps) + "\n")
    try:
        environment = dict(os.environ, UMSSHIM_TEST_PROGRAM=file.name, UMSSHIM_STRESS_SECONDS=str(seconds),
                           UMSSHIM_TEST_LIMIT=str(seconds + 60))
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode != 0
    finally:
        os.unlink(file.name)


def shorter(steps, fails):
    """Leaves out pieces, large ones first, while what is left fails."""
    piece = max(1, len(steps) // 2)
    while True:
        at, changed = 0, False
        while at < len(steps):
            rest = steps[:at] + steps[at + piece:]
            if rest and fails(rest):
                steps, changed = rest, True
                print("%d steps" % len(steps), flush=True)
            else:
                at += piece
        if piece == 1 and not changed:
            return steps
        piece = max(1, piece // 2)


def as_c(step):
    words = step.split()
    return "    {op_%s, %s},\n" % (words[0], ", ".join(words[1:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--out", default="shrunk.c")
    parser.add_argument("steps")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.steps == "-":
        said = subprocess.run(options.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace").stdout
    else:
        said = pathlib.Path(options.steps).read_text(errors="replace")
    steps = LINE.findall(said)
    if not steps or not run(options.command, steps, options.seconds * 4):
        print("shrink.py: %d steps, and they do not fail" % len(steps))
        sys.exit(1)
    steps = shorter(steps, lambda rest: run(options.command, rest, options.seconds))
    pathlib.Path(options.out).write_text(HEAD % ("".join(map(as_c, steps)), 1000))
    print("%s: %d steps" % (options.out, len(steps)))


if __name__ == "__main__":
    main()
