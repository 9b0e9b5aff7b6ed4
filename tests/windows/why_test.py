# SPDX-License-Identifier: MIT
"""why_test.py CASE WINE.SH ZOO UMSRUN - umsrun --why PID.

  stay, pinned  in place and between threads: each worker's state, call, object, holder
  deadlock      two workers that want each other's section: a circle
  scheduler     an entry point that wants what its own worker has
  spin          a worker that does not yield; others that nobody has executed yet
  many          hundreds of workers: the report takes less than a second
  watch         UMSSHIM_WATCH: one line for a standstill, none where there is nothing to do; a bad value
  refused       no such process, one that does not use umsshim, no number: one line, exit code 2
"""
import os
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

wine, zoo, umsrun = sys.argv[2:5]


def report(words, times=1, **env):
    """(text, seconds) of a process in that state: the seconds are those of the quickest report, less
    those of the quickest umsrun that has nothing to tell, since to start one is what takes on a loaded machine."""
    with subprocess.Popen(["sh", wine, zoo, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **env}) as process:
        said = process.stdout.readline().split() # it has a limit of its own, and says what it saw
        if not said:
            sys.exit(f"why_test: zoo {words} did not get ready")
        process_id = said[1]
        time.sleep(0.3) # after "ready" the last step, into the lock, is still to come
        took = {"999999": float("inf"), process_id: float("inf")}
        for about in ["999999", process_id] * times:
            began = time.monotonic()
            done = subprocess.run(["sh", wine, umsrun, "--why", about], capture_output=True, text=True, timeout=40,
                                  check=False)
            took[about] = min(took[about], time.monotonic() - began)
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            check(False, f"{words} did not end after its input did")
        check(done.returncode == 0, f"status {done.returncode}: {done.stdout[-300:]}")
        return done.stdout.replace("\r", ""), took[process_id] - took["999999"]


def expect(text, *patterns):
    for pattern in patterns:
        check(re.search(pattern, text, re.M), f"no {pattern} in:\n{text}")


EVERYBODY = (
    r"^process \d+: 1 schedulers; workers: 0 running, 1 ready, 0 queued, 5 blocked",
    r'^scheduler 7 "boss": .* entered \d+ times and not just now, last because a worker (yielded|blocked or ended)',
    r'^worker 1 "sleeper": thread \d+, blocked for \d+\.\d s in NtDelayExecution$',
    r"^worker 2: thread \d+, blocked for .* in NtWaitFor\w+, Event 0x[0-9a-f]+$",
    r'^worker 4 "mutex wanter": .* in NtWaitFor\w+, mutex 0x[0-9a-f]+',
    r'^worker 5 "section holder": thread \d+, ready$',
    r'^worker 6 "section wanter": .*, critical section 0x[0-9a-f]+, held by worker 5 "section holder"$',
    r'^  \* worker 5 "section holder" has what 1 wait for \(critical section 0x[0-9a-f]+\), and is ready')


def stay():
    expect(report(["stay"], UMSSHIM_SWITCH="inplace")[0], *EVERYBODY)


def pinned():
    expect(report(["stay"], UMSSHIM_SWITCH="pinned")[0], *EVERYBODY)


def deadlock():
    text = report(["deadlock"])[0]
    expect(text, r"^  \* a circle: each waits for what the next one has:$",
           r'^      worker 1 "first" waits for critical section 0x[0-9a-f]+, which worker 2 "second" has$',
           r'^      worker 2 "second" waits for critical section 0x[0-9a-f]+, which worker 1 "first" has$')
    check(text.count("a circle") == 1, text)


def scheduler():
    expect(report(["scheduler"])[0], r"^  \* a scheduler waits for a worker that only a scheduler can execute:$",
           r'^      scheduler 7 "boss" waits for critical section 0x[0-9a-f]+, which worker 5 "section holder" has$',
           r'^      worker 5 "section holder" has to be executed by scheduler 7 "boss"$')


def spin():
    expect(report(["spin"])[0], r'^  \* worker 2 "spinner" keeps scheduler 3 "boss", while 1 workers are ready',
           r'^worker 2 "spinner": .*, running on scheduler 3 "boss"$')
    expect(report(["fresh"])[0], r'^  \* worker \d "spinner" keeps scheduler 4 "boss", while 2 workers are ready and 0 queued',
           r'^scheduler 4 "boss": .* entered 1 times and not just now, last because it began; runs worker \d "spinner"; 2 ready, ')


def many():
    text, took = report(["stay", "800"], times=3)
    expect(text, r"805 blocked", r"^and 766 workers more$")
    check(took < 1, f"the quickest of 3 reports took {took:.2f} s more than none")


def told(process, wanted, limit):
    """Its standard error, as far as it has come when this many lines of ours are there, or the limit is over."""
    said, deadline = b"", time.monotonic() + limit
    while said.count(b"\numsshim: ") + said.startswith(b"umsshim: ") < wanted:
        if not select.select([process.stderr], [], [], max(0, deadline - time.monotonic()))[0]:
            break
        piece = os.read(process.stderr.fileno(), 65536)
        if not piece:
            break
        said += piece
    return said


def watch():
    for words, wanted in (["spin"], r"^umsshim: scheduler 3 of thread \d+ runs worker 2 and was not entered for \d seconds, "
                          r'while 1 workers are ready and 0 queued \(0 blocked\); last time, because a worker yielded. '
                          r'"umsrun --why \d+" says more$'), (
            ["fresh"], r"^umsshim: scheduler 4 of thread \d+ runs worker \d and was not entered for \d seconds, while 2 "
                       r"workers are ready and 0 queued \(0 blocked\); last time, because it began\."), (["deadlock"], None):
        with subprocess.Popen(["sh", wine, zoo, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "UMSSHIM_WATCH": "1"}) as process:
            process.stdout.readline()
            said = told(process, 1, 20 if wanted else 3)
            said += told(process, 1, 1.6) # it would say so again by then
            process.stdin.close()
            process.wait(20)
            said = (said + process.stderr.read()).decode().replace("\r", "")
        said = [line for line in said.split("\n") if line.startswith("umsshim")]
        check(len(said) == (wanted is not None), f"{words}: {said}")
        check(not wanted or (said and re.search(wanted, said[0])), f"{words}: {said}")


def refused():
    for words, pattern in ((["999999"], r"umsrun: process 999999: there is no such process"),
                           (["x"], r"umsrun: --why wants the number of a process"),
                           ([], r"umsrun: --why wants the number of a process")):
        done = subprocess.run(["sh", wine, umsrun, "--why", *words], capture_output=True, text=True, timeout=30,
                              check=False)
        check(done.returncode == 2 and re.match(pattern, done.stderr) and done.stderr.count("\n") == 1,
              f"{words}: {done.returncode}, {done.stderr}")


globals()[sys.argv[1]]()
end("why_test", sys.argv[1])
