# SPDX-License-Identifier: MIT
"""gdb_test.py CASE ZOO LIBRARY - gdb's extension on a process of tests/inspect/zoo.c.

  live        at a breakpoint in a worker: all commands, and gdb's own on parked workers
  attached    gdb comes to a process that is there already
  core        on a core file
  stripped    on a core file of an optimised program and a library without symbols or debug information
  kernel      workers that block in bare system calls and in a mutex of libc's
  many        a thousand workers
  suspends    a program that suspends a running thread: gdb delivers the signal
  refused     no process; a library of another layout; numbers that nobody has; arguments that are none

Every gdb has a limit. The lines that a case asks for are regular expressions.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from judge import end, failures

LIMIT = 50


def skip(why):
    print(f"[  SKIPPED ] gdb_test: {why}")
    sys.exit(77)


def gdb(commands, *arguments, library, env=None):
    """What gdb says, its errors included."""
    folder = os.path.dirname(os.path.realpath(library))
    line = ["gdb", "-nx", "-batch", "-iex", f"add-auto-load-safe-path {folder}", "-iex", "set width 0",
            "-iex", "set print thread-events off", "-iex", "set debuginfod enabled off"]
    for command in commands:
        line += ["-ex", command]
    # A process group of its own: what gdb has started ends with it.
    with subprocess.Popen(line + list(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                          env={**os.environ, **(env or {})}) as process:
        try:
            text = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            text = process.communicate()[0]
            failures.append(f"gdb did not end within {LIMIT} seconds")
    return text


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            failures.append(f"there is no line like: {pattern}")


def expect_none(text, *patterns):
    for pattern in patterns:
        found = re.search(pattern, text, re.M)
        if found:
            failures.append(f"there is a line that should not be: {found.group(0)}")


# What a process of zoo stop, crash and stay looks like.
EVERYBODY = [
    r'^scheduler \d+ +thread \d+, processor \d+, "boss", list 1, entered [1-9]\d* times: ',
    r'^worker 1 +blocked +\d\S* s +worker_main "sleeper": Sleep',
    r'^worker 2 +blocked +\d\S* s +worker_main "event waiter": shared manual-reset event 0x[0-9a-f]+ "dawn-\d+"$',
    r'^worker 3 +ready +\d\S* s +worker_main "mutex holder": waits to be executed$',
    r'^worker 4 +blocked .*"many waiter": shared manual-reset event \S+ "dawn-\d+" and shared mutex \S+ "treasure-\d+", held by worker 3 ',
    r'^worker 5 +blocked .*"reader": read\(\d+, 0x[0-9a-f]+, 16\)',
    r'^worker 7 +blocked .*EnterCriticalSection\(0x[0-9a-f]+\), held by worker 6 "section holder" \(ready\)$',
    r'^worker 9 +blocked .*AcquireSRWLockShared\(0x[0-9a-f]+\), ',
    r'^worker 10 +blocked .*shared mutex 0x[0-9a-f]+ "treasure-\d+", held by worker 3 "mutex holder" \(ready\)$',
    r'^worker 11 +blocked .*WaitOnAddress\(0x[0-9a-f]+\)$',
    r"^worker 12 +blocked .*: a completion port's packets$",
    r'^worker 13 +ready +\d\S* s +worker_main "yielder": waits to be executed$',
]
RUNNER = [r'^scheduler 16 .*: runs worker 15 "runner" on thread \d+$',
          r'^worker 15 +running +worker_main "runner": on scheduler 16 "boss", thread \d+$']
PARKED = [r'^worker 13 "yielder": ready waits to be executed$',
          r'^#\d+ .* in descend \(.*roles\.c:\d+$', r'^#\d+ .* in worker_main \(', r'^#\d+ .* in ctx_first \(']
NO_ERRORS = [r"Python Exception", r"^Error", r"Traceback"]


def live(zoo, library):
    text = gdb(["break look_here", "run", "info ums", "info ums schedulers", "info threads", "ums bt 13",
                "echo --- bt 15\\n", "ums bt 15", "echo --- bt 16\\n", "ums bt 16", "echo --- selected\\n", "frame",
                "ums thread 13", "backtrace", "frame function descend", "info locals", "print own_number",
                "echo --- apply\\n", "thread apply all backtrace", "echo --- on\\n", "delete", "continue"],
               "--args", zoo, "stop", library=library)
    expect(text, *EVERYBODY, *RUNNER, *PARKED,
           r'LWP \d+\) "scheduler 16 "boss": worker 15 "runner"" +look_here', r'LWP \d+\) "idle carrier"',
           r'^marker = "at the bottom', r"^twice = 6$", r"^\$1 = 4711$", r"exited normally")
    expect(text.split("--- bt 15")[1].split("--- bt 16")[0], r"^#0 +look_here ", r"worker_main \(")
    expect(text.split("--- selected")[1], r"^#0 +look_here ") # ums bt leaves the selection as it was
    applied = text.split("--- apply")[1].split("--- on")[0]
    expect(applied, r"in reader \(\)", r"in packet_waiter \(\)", r"in descend \(")
    expect_none(text, *NO_ERRORS)
    return text


def make_core(zoo, library, folder, env=None):
    core = os.path.join(folder, "core")
    text = gdb(["run", f"generate-core-file {core}", "kill"], "--args", zoo, "crash", library=library, env=env)
    expect(text, r"received signal SIGSEGV")
    if not os.path.exists(core):
        failures.append("gdb wrote no core file")
    return core, text


def core(zoo, library):
    with tempfile.TemporaryDirectory() as folder:
        file, text = make_core(zoo, library, folder)
        text += gdb(["info ums", "info threads", "ums bt 13", "ums thread 13", "frame function descend",
                     "info locals", "ums bt all"], zoo, file, library=library)
    expect(text, *EVERYBODY, *RUNNER, *PARKED, r'^marker = "at the bottom', r"^twice = 6$",
           r'LWP \d+.* "scheduler 16 "boss": worker 15 "runner""', r"in section_wanter \(\)|in worker_main \(",
           r"^#0 .*\brunner \(\)")
    expect_none(text, *NO_ERRORS)
    return text


def stripped(zoo, library):
    """A copy of both without any symbol that a dynamic linker does not need; the script lies beside."""
    with tempfile.TemporaryDirectory() as folder:
        bare_zoo = os.path.join(folder, "zoo")
        subprocess.run(["strip", "-o", bare_zoo, zoo], check=True)
        name = os.path.basename(os.path.realpath(library))
        bare_library = os.path.join(folder, name)
        subprocess.run(["strip", "-o", bare_library, library], check=True)
        os.symlink(name, os.path.join(folder, "libumsshim.so.0"))
        script = os.path.realpath(library) + "-gdb.py"
        with open(script, encoding="utf-8") as file:
            text = file.read()
        relative = re.search(r'_here, "([^"]*)"', text).group(1)
        package = os.path.normpath(os.path.join(os.path.dirname(script), relative))
        with open(bare_library + "-gdb.py", "w", encoding="utf-8") as file:
            file.write(text.replace(relative, package))
        env = {"LD_LIBRARY_PATH": folder}
        file, text = make_core(bare_zoo, bare_library, folder, env)
        text += gdb(["info ums", "ums bt 13", "ums bt 5", "ums thread 7", "backtrace"], bare_zoo, file,
                    library=bare_library, env=env)
    expect(text, r"No symbol|\(No debugging symbols found|SIGSEGV")
    expect(text, *[pattern.replace("worker_main", r"\S+") for pattern in EVERYBODY + RUNNER],
           r"^#\d+ .* in read \(\) from .*/libumsshim\.so\.", # exported: gdb knows the name
           r"^#\d+ .* in EnterCriticalSection \(\) from ")
    # The frames of a program without symbols are addresses in it, all the way to the first.
    frames = re.search(r'^worker 13 "yielder".*\n((?:#.*\n)+)', text, re.M)
    if not frames or len(frames.group(1).splitlines()) < 7:
        failures.append("the stack of worker 13 is not whole")
    expect_none(text, *NO_ERRORS)
    return text


def started(zoo, library, *arguments):
    process = subprocess.Popen([zoo, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library)})
    if process.stdout.readline() != "ready\n":
        failures.append("zoo did not get ready")
    return process


def attached(zoo, library):
    with started(zoo, library, "stay") as process:
        text = gdb(["info ums", "ums bt 13", "thread apply all backtrace"], "-p", str(process.pid),
                   library=library)
        process.stdin.close()
        if process.wait(20) != 0:
            failures.append(f"the process ended with {process.returncode} after gdb had left it")
    expect(text, *EVERYBODY, *PARKED, r'^scheduler 16 .*: idle: waits for completion list 1 on thread \d+$',
           r'^worker 15 +blocked .*"runner": auto-reset event 0x[0-9a-f]+$')
    expect_none(text, *NO_ERRORS)
    return text


def many(zoo, library):
    # Numbers have gaps where the creator changed its processor, so the listing says who is there to be asked for.
    with started(zoo, library, "stay", "1000") as process:
        text = gdb(["python import time; began = time.monotonic()", "info ums",
                    'python print(f"took {time.monotonic() - began:.2f} s")'], "-p", str(process.pid), library=library)
        numbers = re.findall(r"^worker (\d+) +blocked +\d\S* s +worker_main: shared manual-reset event", text, re.M)
        if len(numbers) != 1000:
            failures.append(f"{len(numbers)} of 1000 workers are there")
        asked_for = numbers[len(numbers) // 2] if numbers else "1"
        of_one = gdb([f"ums bt {asked_for}"], "-p", str(process.pid), library=library)
        process.stdin.close()
    took = re.search(r"^took ([\d.]+) s$", text, re.M)
    if not took or float(took.group(1)) > 20: # a second on a machine that does nothing else
        failures.append("info ums took more than 20 seconds")
    expect(of_one, rf"^worker {asked_for}: blocked", r"in event_waiter \(\)|in worker_main \(")
    expect_none(text + of_one, *NO_ERRORS)
    return text + of_one


def kernel(zoo, library):
    text = gdb(["break look_here", "run", "info ums", "info threads", "ums bt 1", "ums bt 3"], "--args", zoo,
               "kernel", library=library)
    expect(text, r'^worker 1 +blocked .*"bare sleeper": nanosleep\(0x[0-9a-f]+, 0\), 3\d\d\d s left$',
           r'^worker 3 +blocked .*"posix wanter": pthread mutex 0x[0-9a-f]+: futex\(.*, held by worker 2 "posix holder" \(ready\)',
           r"in bare_sleeper \(\)|in worker_main \(")
    expect(text.split('worker 3 "posix wanter": blocked')[-1], r"^#\d+ .*pthread_mutex_lock", r"worker_main \(")
    expect_none(text, *NO_ERRORS)
    return text


def refused(zoo, library):
    # Numbers and arguments; then another layout; then no process.
    text = gdb(["break look_here", "run", "info ums nonsense", "ums bt", "ums bt 4711", "ums bt xyz",
                 "ums thread 14", "ums thread", "info ums ended",
                 "set var *(int *)((char *)&umsshim_layout + 8) = 4711", "info ums", "ums bt all", "backtrace 1",
                 "kill", "info ums"], "--args", zoo, "stop", library=library)
    expect(text, r'^"info ums nonsense": no such state', r"^whose\?", r'^no worker or scheduler "4711"',
           r'^no worker or scheduler "xyz"', r"^worker 14 has no stack: end(ed|ing)", r"^which\?",
           r"^umsshim: the library's layout has version 4711; this program reads 1", r"^#0 +look_here",
           r"^umsshim: there is no process and no core file$")
    expect_none(text, r"Python Exception", r"Traceback")
    return text


def suspends(zoo, library):
    text = gdb(["handle SIG59 nostop noprint", "run"], "--args", zoo, "suspends", library=library)
    expect(text, r"^suspended and resumed", r"exited normally")
    expect_none(text, r"received signal", *NO_ERRORS)
    return text


def main():
    case, zoo, library = sys.argv[1], sys.argv[2], sys.argv[3]
    if not shutil.which("gdb"):
        skip("gdb is not installed (Debian: gdb)")
    probe = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex",
                            "python print('python ' + 'speaks')", "-ex", "run", "--args", "/bin/true"],
                           capture_output=True, text=True, timeout=LIMIT, check=False)
    if "python speaks" not in probe.stdout:
        skip("this gdb has no Python")
    if "exited normally" not in probe.stdout:
        skip("gdb may not trace processes here: " + probe.stderr.strip().split("\n")[-1])
    text = globals()[case](zoo, library)
    end("gdb_test", case, text)


main()
