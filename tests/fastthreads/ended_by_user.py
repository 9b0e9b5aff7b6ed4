#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ended_by_user.py - ft_allocator ends when its user says so at the keyboard: `ended_by_user.py WINE.SH FT_ALLOCATOR.EXE`

Wine makes SIGINT of a program's Unix process its Ctrl-C. Without a handler that ends the program with status 0 as well,
so the last line is what counts. The handler is the same for Ctrl-Break, which Wine 8 gives to
nobody: GenerateConsoleCtrlEvent fails there, with a console and without. It is the Unix process that is started here, so
on a stricter Windows (scripts/wine.sh), where another one starts the program, this runs as without."""

import os
import signal
import subprocess
import sys

LIMIT = 20  # seconds


def check(fact, text):
    if not fact:
        sys.exit("ended_by_user.py: " + text)


def main():
    name = "ended-by-user-%d" % os.getpid()
    environment = {key: value for key, value in os.environ.items() if key != "UMSSHIM_TEST_AS_WINDOWS"}
    allocator = subprocess.Popen(["sh", sys.argv[1], sys.argv[2], "--verbose", "--name", name], stdout=subprocess.PIPE, text=True,
                                 env=environment)
    try:
        line = allocator.stdout.readline()
        check("ready as " + name in line, "it says: %r" % line)
        allocator.send_signal(signal.SIGINT)
        status = allocator.wait(LIMIT)
        line = allocator.stdout.readline()
        check(status == 0 and name + " is over" in line, "it does not come to its end: status %d, %r" % (status, line))
    except subprocess.TimeoutExpired:
        check(False, "Ctrl-C does not end it")
    finally:
        allocator.kill()
        allocator.wait()


main()
