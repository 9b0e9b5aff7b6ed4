#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""two_programs.py - a program on activations and one on kernel threads share two processors as the policy says:
`two_programs.py [WINE.SH] FT_ALLOCATOR FT_SHARER`

Each program computes on all that it gets, and says every 50 ms where it was. On a busy machine one of its threads may
get no time for that long: so what a program has is where it was in WINDOWS of these together. A division holds when that
is what both say twice in a row."""

import functools
import operator
import os
import queue
import subprocess
import sys
import threading
import time

LIMIT = 20  # seconds, for a division to come about
WINDOWS = 6
HERE = os.cpu_count() if not hasattr(os, "sched_getaffinity") else len(os.sched_getaffinity(0))


def check(fact, text):
    if not fact:
        sys.exit("two_programs.py: " + text)


class Program:
    """One that shares, and what it says of where it runs."""

    def __init__(self, start, ground, name, priority=0):
        self.ground = ground
        self.process = subprocess.Popen(start + [ground, name, str(priority)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def windows(self):
        """What it has said since it was last asked."""
        got = []
        while not self.lines.empty():
            line = self.lines.get()
            check(line.startswith("on "), "%s says %r" % (self.ground, line))
            got.append(int(line.split()[1], 16))
        return got

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(LIMIT)
        last = ""
        while not last.startswith("error"):
            last = self.lines.get(timeout=LIMIT)
        check(status == 0 and last.startswith("error 0, lost 0"), "%s ends with %d: %r" % (self.ground, status, last))

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def together(masks):
    return functools.reduce(operator.or_, masks, 0)


def comes_to(what, *shares):
    """Waits until each program has so many processors, no one in two programs, the same ones twice."""
    since = [[] for _ in shares]
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        for past, (program, _) in zip(since, shares):
            past.extend(program.windows())
        before, has = ([together(past[len(past) - end : len(past) - end + WINDOWS]) for past in since] for end in (2 * WINDOWS, WINDOWS))
        if all(len(past) >= 2 * WINDOWS for past in since) and before == has:
            if all(bin(mask).count("1") == number for mask, (_, number) in zip(has, shares)) and sum(has) == has[0] | has[-1]:
                print("%s: %s" % (what, ", ".join("%s on %#x" % (program.ground, mask) for mask, (program, _) in zip(has, shares))))
                return
        time.sleep(0.02)
    check(False, "%s: not within %d s; last said %s" % (what, LIMIT, [["%x" % mask for mask in past[-2 * WINDOWS:]] for past in since]))


def main():
    wine, programs = (["sh", sys.argv[1]], sys.argv[2:]) if sys.argv[1].endswith(".sh") else ([], sys.argv[1:])
    name = "two-programs-%d" % os.getpid()
    start = wine + [programs[1]]
    if HERE < 2:
        print("two_programs.py: one processor only, nothing to divide")
        sys.exit(77)
    allocator = subprocess.Popen(wine + [programs[0], "--name", name], text=True, stdout=subprocess.PIPE)
    started = []

    def begin(*args):
        started.append(Program(start, *args))
        return started[-1]

    try:
        check("ready as " + name in allocator.stdout.readline(), "the allocator does not begin")
        kernel = begin("kernel", name)
        comes_to("alone", (kernel, 2))
        ums = begin("ums", name)
        comes_to("evenly", (kernel, 1), (ums, 1))
        kernel.end()
        comes_to("left alone", (ums, 2))
        kernel = begin("kernel", name, 1)
        comes_to("the one on kernel threads goes first", (kernel, 2), (ums, 0))
        kernel.end()
        comes_to("left alone again", (ums, 2))
        kernel = begin("kernel", name)
        comes_to("evenly again", (kernel, 1), (ums, 1))
        ums.end()
        comes_to("alone again", (kernel, 2))
        ums = begin("ums", name, 1)
        comes_to("the one on activations goes first", (kernel, 0), (ums, 2))
        ums.end()
        comes_to("goes on", (kernel, 2))
        kernel.end()
    finally:
        for program in started:
            program.kill()
        allocator.kill()
        allocator.wait()


main()
