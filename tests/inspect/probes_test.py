# SPDX-License-Identifier: MIT
"""probes_test.py CASE LIBRARY DOCUMENT TRACE PROGRAM - libumsshim.so's probes for perf, bpftrace, gdb, SystemTap.

  notes     the notes in the file are those that the document lists, with so many arguments; the probes of a switch
            have no semaphore, and all others one that is in the file and may be written to
  gdb       gdb stops at each of them: it sees what the trace of the same run records, in the same order
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 50
SWITCH = {"execute", "leave"}
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def skip(why):
    print(f"[  SKIPPED ] probes_test: {why}")
    sys.exit(77)


def output(*line):
    return subprocess.run(line, capture_output=True, text=True, timeout=LIMIT, check=True).stdout


def documented(document):
    """{probe: its arguments' names}, by the table."""
    with open(document, encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\w+)` \| ((?:[\w' ]+(?:, )?)+) \|", file.read(), re.M)
    return {name: arguments.split(", ") for name, arguments in rows}


def notes(library, document, *_):
    found = re.findall(r"Provider: umsshim\s+Name: (\w+)\s+Location: \w+, Base: \w+, Semaphore: (\w+)\s+Arguments: (.*)",
                       output("readelf", "-n", "--wide", library))
    wanted = documented(document)
    check({note[0] for note in found} == set(wanted) and len(wanted) > 10,
          f"there are {sorted({note[0] for note in found})}, documented are {sorted(wanted)}")
    section = re.search(r" \.data +PROGBITS +(\w+) +\w+ +(\w+) +\w+ +(\w+)", output("readelf", "-S", "--wide", library))
    begin, size, flags = int(section.group(1), 16), int(section.group(2), 16), section.group(3)
    check(flags == "WA", f".data is {flags}")
    for name, semaphore, arguments in found:
        check(len(arguments.split()) == len(wanted.get(name, ())), f"{name} has the arguments {arguments}")
        inside = begin <= int(semaphore, 16) < begin + size
        check(inside != (name in SWITCH) and inside != (int(semaphore, 16) == 0),
              f"{name}: the semaphore is at {semaphore}, .data at {begin:x}")
    relro = re.search(r"GNU_RELRO +\w+ +(\w+) +\w+ +\w+ +(\w+)", output("readelf", "-l", "--wide", library))
    check(not relro or begin >= int(relro.group(1), 16) + int(relro.group(2), 16), ".data becomes read-only")


# What a record says, as the probe's arguments: (who, value, extra, more) of the record to as many as are compared.
RECORDED = {
    "execute": lambda who, value, extra, more: [who, None, more],
    "leave": lambda who, value, extra, more: [who],
    "wait_call": lambda who, value, extra, more: [who, None, None, extra, value],
    "wait_object": lambda who, value, extra, more: [who, None, None, value, more],
    "block": lambda who, value, extra, more: [who, None, extra, value],
    "complete": lambda who, value, extra, more: [who],
    "birth": lambda who, value, extra, more: [who, extra],
    "end": lambda who, value, extra, more: [who],
    "enter": lambda who, value, extra, more: [who, extra, value - 1],
    "left": lambda who, value, extra, more: [who],
    "load": lambda who, value, extra, more: [who, extra],
    "sleep": lambda who, value, extra, more: [who],
    "wake": lambda who, value, extra, more: [who],
    "arrive": lambda who, value, extra, more: [who, value],
    "dequeue": lambda who, value, extra, more: [who, value, extra],
}


def gdb(library, document, tool, program):
    if not shutil.which("gdb"):
        skip("there is no gdb")
    if "yes" not in output("gdb", "-nx", "-batch", "-ex", "python print('yes')"):
        skip("gdb has no Python")
    sys.path.insert(0, os.path.dirname(tool))
    from umsshim_inspect import trace # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as folder:
        file, seen_file = os.path.join(folder, "trace"), os.path.join(folder, "seen")
        script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "probes_gdb.py")
        with subprocess.Popen(["gdb", "-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off",
                               "-x", script, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                              env={**os.environ, "UMSSHIM_TRACE": file, "PROBES_SEEN": seen_file,
                                   "PROBES": " ".join(documented(document))}) as process:
            try:
                said = process.communicate(timeout=LIMIT)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                said = process.communicate()[0]
                failures.append(f"gdb did not end within {LIMIT} seconds")
        if not os.path.exists(seen_file):
            failures.append(f"gdb has seen nothing: {said[-1500:]}")
            return
        with open(seen_file, encoding="utf-8") as told:
            seen = json.load(told)
        records, lost = trace.read(file)[1:]
    check(lost == 0, f"{lost} records were lost")
    for name, values in RECORDED.items():
        kind = getattr(trace, name.upper())
        recorded = sorted(str(values(*record[2:3], record[1], *record[3:5])) for record in records if record[5] == kind)
        told = sorted(str([None if pattern is None else value
                           for pattern, value in zip(values(0, 0, 0, 0), arguments)]) for arguments in seen[name])
        check(recorded == told, f"{name}: {len(told)} times, and recorded {len(recorded)} times:\n"
              f"  {told[:6]}\n  {recorded[:6]}")
    for name in "execute", "wait_call", "complete", "arrive", "dequeue", "birth", "end":
        check(seen[name], f"{name} was never reached")
    calls = {arguments[2] for arguments in seen["wait_call"]}
    check({"read", "clock_nanosleep", "futex"} <= calls, f"the calls were {sorted(calls)}")


def main():
    case = sys.argv[1]
    globals()[case](*sys.argv[2:6])
    for failure in failures:
        print("probes_test:", failure)
    if failures:
        sys.exit(1)
    print(f"probes_test: {case}: as it should be")


main()
