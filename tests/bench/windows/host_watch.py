#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""host_watch.py - tells probes under Wine how often the kernel woke them while they waited.

    host_watch.py FOLDER

The other side is watch.c: a probe puts the file "waiting" into FOLDER, which its environment names
in BENCH_WATCH, with the length of a window in milliseconds. The sums over all threads of its process
are read twice, that far apart; "told" then holds the seconds between the two, both sums and the
number of threads. A sum is that of voluntary context switches (a thread that is woken and waits
again makes one) and of nanoseconds of processor time. The reader starts no processes and looks for
work twenty times a second, so that it is hardly seen in what is measured. Runs until it is killed.
"""
import os
import pathlib
import sys
import time

LOOK_EVERY_S = 0.05


def find_probe(folder):
    """The process that asks: a probe, with our folder in its environment."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            if b"--probe" in arguments and folder.encode() in (process / "environ").read_bytes():
                return process
        except OSError:
            continue  # gone, or somebody else's
    return None


def read_sums(process):
    switches = nanoseconds = threads = 0
    for task in (process / "task").iterdir():
        try:
            for line in (task / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    switches += int(line.split()[1])
            nanoseconds += int((task / "schedstat").read_text().split()[0])
            threads += 1
        except FileNotFoundError:
            continue  # a thread that has just ended
    return time.monotonic(), switches, nanoseconds, threads


def answer(folder, window_s):
    process = find_probe(folder)
    if process is None:
        print("host_watch.py: a probe asks, but no process is found", file=sys.stderr)
        return
    first = read_sums(process)
    time.sleep(window_s)
    then = read_sums(process)
    path = os.path.join(folder, "told")
    with open(path + ".new", "w", encoding="ascii") as file:
        print(then[0] - first[0], *first[1:3], *then[1:], file=file)
    os.rename(path + ".new", path)


def main():
    folder = sys.argv[1]
    question = os.path.join(folder, "waiting")
    while True:
        try:
            with open(question, encoding="ascii") as file:
                window_s = int(file.read()) / 1000
            os.remove(question)
            answer(folder, window_s)
        except FileNotFoundError:
            time.sleep(LOOK_EVERY_S)


if __name__ == "__main__":
    main()
