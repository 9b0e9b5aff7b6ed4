# SPDX-License-Identifier: MIT
"""trace_test.py CASE WINE.SH ZOO INSPECT - UMSSHIM_TRACE on Windows, read by umsshim-trace.

  work, pinned  in place and between threads: all executions, names, calls, doors, by the rules of viewers
  ends          a process that ends by exit while workers run has it all; one that is ended has a usable file
  late          the same run where the scheduler finds each arrival, the last end too, without waiting for it
  refused       a file that cannot be made, a full disk, call sites that are no number: one line, nothing else changes
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position


def run(wine, zoo, words, status, **env):
    """What it said on stderr; its input stays open meanwhile, since the end of that ends it."""
    with subprocess.Popen(["sh", wine, zoo, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, **env}) as process:
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            check(False, f"{words} did not end")
        check(process.returncode == status, f"{words}: status {process.returncode}, not {status}")
        process.stdin.close()
        return "".join(line for line in process.stderr if line.startswith("umsshim"))


def timeline_of(path):
    from umsshim_inspect import trace # pylint: disable=import-outside-toplevel
    import viewer_rules # pylint: disable=import-outside-toplevel
    timeline = trace.Timeline(path)
    for fault in viewer_rules.faults({"traceEvents": list(trace.events(timeline))}):
        check(False, fault)
    return timeline


def judge_work(timeline, door):
    check(timeline.lost == 0, f"{timeline.lost} records were lost")
    check(set(timeline.names.values()) == {"yielder", "napper", "ping", "pong", "boss"},
          f"names: {sorted(timeline.names.values())}")
    number = {name: key for key, name in timeline.names.items()}
    runs = [part for part in timeline.slices if part.kind == "worker" and part.what == "run"]
    of_yielder = sum(part.number == number["yielder"] for part in runs)
    check(of_yielder == 201, f"{of_yielder} executions of 200 yields and an end")
    blocked = [part for part in timeline.slices if part.kind == "worker" and part.what == "blocked"]
    naps = [part for part in blocked if part.number == number["napper"]]
    check(len(naps) == 5 and all(part.name == "NtDelayExecution" for part in naps), f"{len(naps)} naps")
    check(all(part.end - part.start > 3e6 for part in naps), "naps are shorter than what was asked for")
    doors = {part.more.get("door") for part in naps}
    check(doors == {door}, f"doors of naps: {doors}")
    check(len(timeline.flows) >= 5, f"{len(timeline.flows)} flows")
    marks = [name for kind, who, name, _ in timeline.marks]
    check(sum(name.startswith("arrives on list") for name in marks) >= 13, "arrivals are missing")
    check(any(name.startswith("dequeues worker") for name in marks), "dequeues are missing")
    check(sum(name == "ends" for name in marks) == 4, "ends are missing")
    check(sum(name.startswith("is born") for name in marks) == 4, "births are missing")
    check(any(part.what == "idle" for part in timeline.slices), "the scheduler never slept")


def work(file, wine, zoo):
    said = run(wine, zoo, ["work"], 0, UMSSHIM_TRACE=file, UMSSHIM_SWITCH="inplace")
    check(not said, said)
    judge_work(timeline_of(file), "user mode")
    run(wine, zoo, ["work"], 0, UMSSHIM_TRACE=file + ",stacks=3", UMSSHIM_SWITCH="inplace")
    sites = {part.more["called from"] for part in timeline_of(file).slices if "called from" in part.more}
    check(any("zoo.exe+" in site for site in sites), f"call sites: {sorted(sites)[:5]}")


def pinned(file, wine, zoo):
    run(wine, zoo, ["work"], 0, UMSSHIM_TRACE=file, UMSSHIM_SWITCH="pinned")
    judge_work(timeline_of(file), "own thread")


def ends(file, wine, zoo):
    for mode in "inplace", "pinned":
        run(wine, zoo, ["exit"], 7, UMSSHIM_TRACE=file, UMSSHIM_SWITCH=mode)
        timeline = timeline_of(file)
        check(timeline.lost == 0 and len(timeline.workers) == 5, f"exit, {mode}: {len(timeline.workers)} workers")
        # Its hundred yields are the last that was done.
        check(max(sum(part.number == worker and part.what == "run" for part in timeline.slices
                      if part.kind == "worker") for worker in timeline.workers) >= 100, f"exit, {mode}: cut off")
        run(wine, zoo, ["kill"], 9, UMSSHIM_TRACE=file, UMSSHIM_SWITCH=mode)
        timeline = timeline_of(file)
        check(len(timeline.workers) == 5 and len(timeline.slices) > 200, f"kill, {mode}: {len(timeline.slices)} slices")


def late(file, wine, zoo):
    for mode in "inplace", "pinned":
        run(wine, zoo, ["late"], 0, UMSSHIM_SWITCH=mode)
        run(wine, zoo, ["late"], 0, UMSSHIM_TRACE=file, UMSSHIM_SWITCH=mode)
        marks = [name for _, _, name, _ in timeline_of(file).marks]
        check(marks.count("ends") == 1, f"late, {mode}: {marks.count('ends')} ends")
        check(sum(name.startswith("dequeues worker") for name in marks) == 7, f"late, {mode}: not each arrival was taken")


def refused(file, wine, zoo):
    said = run(wine, zoo, ["work"], 0, UMSSHIM_TRACE="Z:\\proc\\none\\trace")
    check(re.fullmatch(r"umsshim: UMSSHIM_TRACE=\S+: it cannot be opened: .*; the program goes on without a trace\n",
                       said), f"one line: {said}")
    said = run(wine, zoo, ["work"], 0, UMSSHIM_TRACE="Z:\\dev\\full")
    check(re.fullmatch(r"umsshim: UMSSHIM_TRACE=\S+: writing stopped: .*; the program goes on without a trace\n", said),
          f"one line: {said}")
    for bad in "stacks=x", "stacks=17", "ring=3":
        said = run(wine, zoo, ["work"], 0, UMSSHIM_TRACE=f"{file},{bad}")
        check(said.startswith(f"umsshim: UMSSHIM_TRACE: {bad} is no ") and said.count("\n") == 1, said)
        timeline_of(file)


def main():
    case, wine, zoo, inspect = sys.argv[1:5]
    sys.path.insert(0, inspect)
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](os.path.join(folder, "trace"), wine, zoo)
    end("trace_test", case)


main()
