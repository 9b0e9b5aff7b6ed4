# SPDX-License-Identifier: MIT
"""figures.py BUILD [LIBRARY] - what traces, gdb's extension and reports cost, each with the bar it is held against.

    python3 tests/inspect/figures.py build/linux [build/plain/libumsshim.so]

LIBRARY is one with nothing of traces in it (cmake -DUMSSHIM_TRACING=OFF), for the first figure. Times of yields and
events are the processor time of the kernel thread that makes them, without the thread that writes the file; medians
of rounds that alternate. Takes a minute; it is no test.
"""
import os
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
TOOL = os.path.join(ROOT, "platform", "linux", "inspect", "umsshim-trace")
ROUNDS, YIELDS, WORKERS = 9, 2000000, 10000


def figure(what, value, unit, most):
    print(f"{what:62} {value:10.2f} {unit:4} bar {most:g}: {'pass' if value <= most else 'MISS'}", flush=True)


def yield_ns(zoo, count, **env):
    return float(subprocess.run([zoo, "yields", str(count)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=True, timeout=600, env={**os.environ, **env}).stdout.split()[0])


def portions(file):
    """(records, lost), by the heads of portions alone: a file of ten million is soon read."""
    records, lost, at = 0, {}, 40
    size = os.path.getsize(file)
    with open(file, "rb") as data:
        while at + 32 <= size:
            data.seek(at)
            _, count, ring, missing, _, kind = struct.unpack("<QQIIII", data.read(32))
            if kind != 1:
                sys.exit(f"no portion begins at {at}")
            lost[ring] = missing
            records += count
            at += 32 * (count + 1)
    return records, sum(lost.values())


def tracing_off(zoo, library):
    here, plain = [], []
    for _ in range(ROUNDS):
        here.append(yield_ns(zoo, YIELDS))
        plain.append(yield_ns(zoo, YIELDS, LD_PRELOAD=os.path.realpath(library)))
    print(f"a yield: {statistics.median(here):.2f} ns; without: {statistics.median(plain):.2f} ns, "
          f"of {ROUNDS} rounds {min(plain):.2f} to {max(plain):.2f}")
    figure("tracing compiled in and off, against without", (statistics.median(here) / statistics.median(plain) - 1) * 100,
           "%", 2)


def tracing_on(zoo, folder):
    file, costs = os.path.join(folder, "trace"), []
    for _ in range(ROUNDS):
        off = yield_ns(zoo, YIELDS // 4)
        costs.append((yield_ns(zoo, YIELDS // 4, UMSSHIM_TRACE=file + ",ring=64") - off) / 2)
    figure("tracing on, an event", statistics.median(costs), "ns", 60)


def ten_million(zoo, folder):
    file = os.path.join(folder, "trace")
    began = time.monotonic()
    yield_ns(zoo, 5000000, UMSSHIM_TRACE=file + ",ring=64")
    took = time.monotonic() - began
    records, lost = portions(file)
    if records + lost < 10000000:
        sys.exit(f"there are {records} records only")
    figure(f"{(records + lost) / 1e6:.1f} million events, ring of 64 MiB: took", took, "s", 60)
    figure("of them lost", lost, "", 0)


def crowd(zoo, library):
    with subprocess.Popen([zoo, "stay", str(WORKERS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        said = subprocess.run([sys.executable, "-B", TOOL, "why", str(process.pid)], capture_output=True, text=True,
                              check=True, timeout=100).stdout
        took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if f"{WORKERS + 1} blocked" not in said:
            sys.exit(f"the report lacks them: {said[:500]}")
        own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        figure(f"umsshim-trace why, {WORKERS} workers (processor time {own:.2f} s)", took, "s", 1)
        said = subprocess.run(
            ["gdb", "-nx", "-batch", "-iex", f"add-auto-load-safe-path {os.path.dirname(os.path.realpath(library))}",
             "-iex", "set debuginfod enabled off", "-iex", "set width 0",
             "-ex", "python import time; began, own = time.monotonic(), time.process_time()", "-ex", "info ums", "-ex",
             'python print(f"took {time.monotonic() - began} {time.process_time() - own}")', "-p", str(process.pid)],
            capture_output=True, text=True, check=True, timeout=300).stdout
        process.stdin.close()
    if len(re.findall(r"^worker \d+ +blocked", said, re.M)) < WORKERS:
        sys.exit(f"gdb lacks them: {said[-500:]}")
    took, own = map(float, re.search(r"^took (\S+) (\S+)$", said, re.M).groups())
    figure(f"gdb: info ums, {WORKERS} workers (processor time {own:.2f} s)", took, "s", 3)


def main():
    build = sys.argv[1]
    zoo = os.path.join(build, "tests", "inspect", "inspect_zoo")
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            tracing_off(zoo, sys.argv[2])
        tracing_on(zoo, folder)
        ten_million(zoo, folder)
    crowd(zoo, os.path.join(build, "libumsshim.so"))


main()
