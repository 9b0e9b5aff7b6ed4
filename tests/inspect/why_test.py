# SPDX-License-Identifier: MIT
"""why_test.py CASE ZOO TRACE - the report of umsshim-trace why about processes of tests/inspect/zoo.c.

  stay        everybody, what each waits for and who has it; nothing is changed by looking
  deadlock    two workers and two critical sections
  scheduler   a scheduler that wants what its own worker has
  kernel      bare system calls, a mutex of libc's
  fault       a worker in a page fault, in the report and in the trace
  hog         a worker that does not yield, also before others were executed at all; one that yields while
              another is not executed; one that sleeps in a call that nobody sees
  sample      samples/delegate --wrong, as docs/debugging.md has it
  watch       UMSSHIM_WATCH: what stands still is told once, and what does not is not; bad values
  many        5,000 workers: in groups, and soon
  refused     no such process; one without us; arguments that are none; a reader that goes away
"""
import os
import re
import select
import subprocess
import sys
import tempfile
import time

from judge import end, failures


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            failures.append(f"there is no line like: {pattern}")


def run(trace, *arguments):
    done = subprocess.run([sys.executable, "-B", trace, *arguments], capture_output=True, text=True, timeout=40,
                          check=False)
    return done.returncode, done.stdout + done.stderr


class Zoo:
    def __init__(self, zoo, *arguments):
        self._line = [zoo, *arguments]

    def __enter__(self):
        self._process = subprocess.Popen(self._line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._process.stdout.readline() != "ready\n":
            failures.append("zoo did not get ready")
        return self._process.pid

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            if self._process.wait(20) != 0:
                failures.append(f"zoo ended with {self._process.returncode}")
        except subprocess.TimeoutExpired:
            failures.append("zoo did not end")
            self._process.kill()
        self._process.stdout.close()


def report_of(zoo, trace, *arguments, wait=0.6, until=""):
    with Zoo(zoo, *arguments) as pid:
        time.sleep(wait) # what is younger than half a second does not stand out
        deadline = time.monotonic() + 20
        status, text = run(trace, "why", str(pid))
        while until not in text and time.monotonic() < deadline: # what comes and goes is looked for again
            status, text = run(trace, "why", str(pid))
    if status:
        failures.append(f"umsshim-trace ended with {status}")
    return text


def stay(zoo, trace):
    text = report_of(zoo, trace, "stay")
    expect(text, r"^process \d+ \(inspect_zoo\): 1 schedulers; workers: 10 blocked, 4 ready, 1 ended",
           r'^  \* scheduler 16 "boss" sleeps, and does not execute what it was given: 4 workers \(3, 6, 8, 13\), ready for ',
           r'^  \* worker 3 "mutex holder" has shared mutex 0x[0-9a-f]+ "treasure-\d+", for which 2 workers \(4, 10\) wait, and is ready',
           r'^  \* worker 6 "section holder" has critical section 0x[0-9a-f]+, for which worker 7 waits, and is ready',
           r'^  \* worker 8 "lock holder" has SRW lock 0x[0-9a-f]+, for which worker 9 waits, and is ready',
           r'^scheduler 16 .*: idle: waits for completion list 1 on thread \d+$',
           r"^ +last entered because of a worker blocked or ended; its workers: 4 ready, 0 queued, 10 blocked$",
           r'^worker 1 +blocked +\d\S* s +worker_main "sleeper": Sleep, 3\d\d\d s left$',
           r'^worker 5 .*"reader": read\(\d+, 0x[0-9a-f]+, 16\) \[pipe:\[\d+\]\]$',
           r'^worker 12 .*: a completion port\'s packets$')
    return text


def deadlock(zoo, trace):
    text = report_of(zoo, trace, "deadlock")
    expect(text, r"^  \* a circle, which nobody leaves:\n"
                 r'      worker 1 "first crossed" waits for critical section (\S+), which worker 2 "second crossed" has\n'
                 r'      worker 2 "second crossed" waits for critical section (?!\1)\S+, which worker 1 "first crossed" has$')
    if text.count("a circle") != 1:
        failures.append("one circle is named more than once")
    return text


def scheduler(zoo, trace):
    text = report_of(zoo, trace, "scheduler")
    expect(text, r"^  \* a scheduler waits for a worker that only a scheduler can execute:$",
           r'^ +scheduler 2 "boss" waits for critical section \S+, which worker 1 "section holder" has$',
           r'^ +worker 1 "section holder" has to be executed by scheduler 2 "boss"$',
           r"^scheduler 2 .*: its entry point waits: EnterCriticalSection\(0x[0-9a-f]+\), held by worker 1 ")
    return text


def kernel(zoo, trace):
    text = report_of(zoo, trace, "kernel")
    expect(text, r'^  \* worker 2 "posix holder" has pthread mutex 0x[0-9a-f]+, for which worker 3 waits, and is ready',
           r'^worker 1 .*"bare sleeper": nanosleep\(0x[0-9a-f]+, 0\), 3\d\d\d s left$',
           r'^worker 3 .*"posix wanter": pthread mutex \S+: futex\(.*held by worker 2 ')
    return text


def fault(zoo, trace):
    """The worker is in its fault for as long as the process lives, so it is there whenever one looks."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace")
        env = {**os.environ, "UMSSHIM_FAULTS": "1", "UMSSHIM_TRACE": file}
        with subprocess.Popen([zoo, "fault"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
            said = process.stdout.readline()
            if said != "ready\n":
                process.stdin.close()
                if process.wait(20) == 77:
                    print(f"[  SKIPPED ] why_test: {said.strip()}")
                    sys.exit(77)
                failures.append(f"zoo did not get ready: {said}")
            status, text = run(trace, "why", str(process.pid))
            process.stdin.close()
            if process.wait(20) != 0 or status:
                failures.append(f"zoo ended with {process.returncode}, umsshim-trace with {status}")
        expect(text, r'^worker 1 +blocked .*"faulter": a page fault, in the code at 0x[0-9a-f]+, in the kernel on thread \d+$')
        status, summary = run(trace, "summary", file)
        expect(summary, r"^1\b.* page_fault 1x ")
    return text + summary


def hog(zoo, trace):
    text = report_of(zoo, trace, "spin", until="keeps scheduler")
    expect(text, r'^  \* worker 2 "spinner" keeps scheduler 3 "boss" busy, while 1 ready and 0 queued workers wait'
                 r", the longest for \S+ s: it computes, and does not yield$")
    text += report_of(zoo, trace, "fresh", until="keeps scheduler")
    expect(text, r'^  \* worker 1 "spinner" keeps scheduler 4 "boss" busy, while 2 ready and 0 queued workers wait'
                 r", the longest for \S+ s: it computes, and does not yield$",
           r"^ +last entered because of startup; its workers: 2 ready, 0 queued, 0 blocked$",
           r'^worker 2 +ready +\d\S* s +worker_main "section holder": waits to be executed$')
    text += report_of(zoo, trace, "starve", wait=3.2, until="goes on with others") # unless it has to wait for a processor
    expect(text, r'^  \* scheduler 3 "boss" goes on with others, and does not execute what it was given: worker 1, ready for (?:[3-9]|\d\d)')
    text += report_of(zoo, trace, "unseen", until="sleeps in system call close")
    expect(text, r'^  \* worker 2 "unseen" keeps scheduler 3 "boss" busy, while 1 ready and 0 queued workers wait'
                 r", the longest for \S+ s: it sleeps in system call close, which nobody sees$")
    return text


def sample(delegate, trace):
    with subprocess.Popen([delegate, "--wrong"], stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()
        deadline = time.monotonic() + 20
        text = ""
        while "What stands out:" not in text and time.monotonic() < deadline: # until it has got there
            text = run(trace, "why", str(process.pid))[1]
        process.kill()
    expect(text, r"^  \* a scheduler waits for a worker that only a scheduler can execute:$",
           r'^      scheduler \d+ "scheduler" waits for critical section 0x[0-9a-f]+, which worker \d+ "writer \d" has$',
           r'^      worker \d+ "writer \d" has to be executed by scheduler \d+ "scheduler"$')
    return text


def watched(zoo, seconds, *arguments, says=False, wait):
    """What a process says on stderr, in so many seconds after its first line, if it says one."""
    env = {**os.environ, "UMSSHIM_WATCH": seconds}
    with subprocess.Popen([zoo, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=env) as process:
        if process.stdout.readline() != "ready\n":
            failures.append("zoo did not get ready")
        if says:
            select.select([process.stderr], [], [], 20)
        time.sleep(wait)
        process.stdin.close()
        if process.wait(20) != 0:
            failures.append(f"zoo ended with {process.returncode}")
        return process.stderr.read()


def watch(zoo, _):
    line = (r"^umsshim: scheduler %s of thread \d+ %s and was not entered for \d seconds, while 1 workers are ready and "
            r'0 queued \(0 blocked\); last time, because .*\. "umsshim-trace why \d+" says more$')
    text = watched(zoo, "1", "spin", says=True, wait=1.6) # it would say so again by then
    expect(text, line % ("3", "runs worker 2"))
    other = watched(zoo, "1", "scheduler", says=True, wait=0.4)
    expect(other, line % ("2", "is in its entry point"))
    third = watched(zoo, "1", "fresh", says=True, wait=0.4)
    expect(third, line.replace("1 workers", "2 workers") % ("4", "runs worker 1"))
    for said in text, other, third:
        if said.count("\n") != 1:
            failures.append("more or less than one line: " + said)
    for seconds, arguments in (("1", "deadlock"), ("0", "scheduler"), ("60", "scheduler")):
        said = watched(zoo, seconds, arguments, wait=1.5 if seconds == "1" else 0.1)
        if said: # nobody is ready; it is off; it is not so long yet
            failures.append(f"{seconds} {arguments}: " + said)
    for bad in "x", "-1", "86401", "1s":
        expect(watched(zoo, bad, "deadlock", wait=0), rf"^umsshim: UMSSHIM_WATCH={bad} is no number of seconds from 1 to 86400")
    return text + other + third


def many(zoo, trace):
    with Zoo(zoo, "stay", "5000") as pid:
        began = time.monotonic()
        status, text = run(trace, "why", str(pid))
        took = time.monotonic() - began
        whole = run(trace, "why", "--all", str(pid))[1]
    if status or took > 15: # well under a second on a machine that does nothing else
        failures.append(f"status {status} after {took:.1f} seconds")
    expect(text, r"^ +5001 blocked +worker_main: shared manual-reset event 0x[0-9a-f]+ \"dawn-\d+\"; longest \S+ s; \d+, ",
           r"^\(--all: each of them\)$")
    if len(re.findall(r"^worker \d+ +blocked .*manual-reset event \S+ \"dawn-\d+\"$", whole, re.M)) != 5001:
        failures.append("--all has not all of them")
    return text


def refused(zoo, trace):
    said = ""
    with subprocess.Popen(["sleep", "60"]) as other:
        for arguments, status, pattern in (
                (["why", "4194304"], 1, r"^umsshim-trace: there is no process 4194304$"),
                (["why", str(other.pid)], 1, r"^umsshim-trace: process \d+ has not loaded libumsshim\.so$"),
                (["why", "x"], 2, r"invalid int value"), (["why"], 2, r"PID"), ([], 2, r"COMMAND"),
                (["nothing"], 2, r"invalid choice")):
            found, text = run(trace, *arguments)
            said += text
            if found != status:
                failures.append(f"{arguments}: status {found}, not {status}")
            expect(text, pattern)
            if "Traceback" in text:
                failures.append(f"{arguments}: a traceback")
        other.kill()
    with Zoo(zoo, "stay", "2000") as pid:
        with subprocess.Popen(f"{sys.executable} -B {trace} why --all {pid} | head -n 1", shell=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as pipe:
            text = pipe.communicate(timeout=40)[0]
    if len(text.splitlines()) != 1:
        failures.append("who reads one line gets: " + text)
    return said + text


def main():
    case, zoo, trace = sys.argv[1:4]
    text = globals()[case](zoo, trace)
    end("why_test", case, text)


main()
