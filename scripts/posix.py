#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posix.py - conformance programs, each in a plain thread and in a worker: which pass only in a thread?

    posix.py [options] FILE.c | DIRECTORY ...

Each C file is a program of its own whose exit status says what it found: 0 is "passed". (1 failed, 2
unresolved, 4 unsupported, 5 untested in suites of this kind; only 0 counts.) It is compiled as it is
and linked with libumsshim and tests/posix/main_as_worker.c, which runs its main in a thread or in a
worker. A program that does not pass in a plain thread is no test here. One that passes there and
not in a worker is printed with its output, and makes the exit status 1. A program that differs is
run again, with fewer beside it, as often as --confirm says, in both: a busy machine fails programs
that measure time.

As root each program runs in pid, mount and ipc namespaces of its own, with a /tmp and /dev/shm of its
own, and may not set the machine's clock. Its children end with it, or with its time limit.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MEANING = {0: "passed", 1: "failed", 2: "unresolved", 4: "unsupported", 5: "untested",
           97: "no thread to run it in", 98: "no namespace to run it in"}
# $1, $2: folders that stay where they are, though they may lie below /tmp; the rest: the command. This
# shell is process 1 of its namespace: a signal that is sent to everybody does not end it, and all
# others end with it.
ISOLATED = """
exec 8<"$1" 9<"$2" &&
    mount -t tmpfs -o size=256m none /tmp && mount -t tmpfs -o size=256m none /dev/shm &&
    mkdir -p "$1" "$2" && mount -c --bind /proc/self/fd/8 "$1" && mount -c --bind /proc/self/fd/9 "$2" ||
    exit 98
mount -t mqueue none /dev/mqueue 2>/dev/null
shift 2
exec 8<&- 9<&-
cd /tmp && setpriv --bounding-set=-sys_time,-sys_boot,-sys_module -- "$@"
exit $?
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="FILE.c|DIRECTORY")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build", "linux"),
                        help="the build directory that has libumsshim.so and main_as_worker")
    parser.add_argument("--objects", help="where programs are built (default: BUILD/posix)")
    parser.add_argument("--modes", default="worker",
                        help="what is compared with a thread: worker, busy (default: worker)")
    parser.add_argument("--baseline", default="thread", help="thread or main (default: thread)")
    parser.add_argument("--pattern", default=r"(^|/)[0-9]+-[0-9]+\.c$",
                        help="which files of a directory are programs")
    parser.add_argument("--only", help="programs whose path matches this expression")
    parser.add_argument("--except", dest="omit", help="and not this one")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--repeat", type=int, default=1, help="runs of each in a worker")
    parser.add_argument("--confirm", type=int, default=2, help="further runs of what differs")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--cflags", default="-std=gnu99 -O1 -g -w -D_XOPEN_SOURCE=600 -D_GNU_SOURCE")
    parser.add_argument("--libs", default="-lpthread -lrt -lm")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--json", help="write all results to this file")
    parser.add_argument("--thread-results", help="a file of --json, whose thread results are taken")
    parser.add_argument("--shared", action="store_true",
                        help="no namespaces: programs share the machine's /tmp and processes")
    parser.add_argument("--lines", type=int, default=6, help="of output shown of what differs")
    return parser.parse_args()


def programs(options):
    found = []
    for path in options.paths:
        if os.path.isfile(path):
            found.append((path, os.path.basename(path)[:-2]))
            continue
        for folder, folders, files in os.walk(path):
            folders.sort()
            for name in sorted(files):
                full = os.path.join(folder, name)
                if re.search(options.pattern, full):
                    found.append((full, os.path.relpath(full, path)[:-2]))
    if options.only:
        found = [f for f in found if re.search(options.only, f[1])]
    if options.omit:
        found = [f for f in found if not re.search(options.omit, f[1])]
    return found


def include_folders(path, options):
    """Suites keep their common headers in a folder `include` above the programs."""
    folders = list(options.include)
    up = os.path.dirname(os.path.abspath(path))
    while len(up) > 1:
        if os.path.isdir(os.path.join(up, "include")):
            folders.append(os.path.join(up, "include"))
            break
        up = os.path.dirname(up)
    return folders


class Runner:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.objects = os.path.abspath(options.objects or os.path.join(self.build, "posix"))
        self.wrapper = os.path.join(self.build, "tests", "posix", "libmain_as_worker_linked.a")
        for needed in (self.wrapper, os.path.join(self.build, "libumsshim.so")):
            if not os.path.exists(needed):
                sys.exit(f"posix.py: {needed} is not there: build the tests first, or give --build")
        self.isolate = not options.shared and self.can_isolate()
        if not options.shared and not self.isolate:
            print("posix.py: no namespaces to be had (needs root): programs share /tmp and processes",
                  flush=True)

    @staticmethod
    def can_isolate():
        return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(
            ["unshare", "-pfmi", "--mount-proc", "true"], stderr=subprocess.DEVNULL).returncode == 0

    def compile(self, source, name):
        """The program, or None and what the compiler said."""
        program = os.path.join(self.objects, name)
        os.makedirs(os.path.dirname(program), exist_ok=True)
        newest = max(os.path.getmtime(source), os.path.getmtime(self.wrapper))
        if os.path.exists(program) and os.path.getmtime(program) > newest:
            return program, ""
        command = ["cc", *self.options.cflags.split(), "-o", program, source, self.wrapper,
                   "-Wl,--wrap=main", "-L", self.build, "-lumsshim", f"-Wl,-rpath,{self.build}",
                   *self.options.libs.split()]
        for folder in include_folders(source, self.options):
            command += ["-I", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None, "the compiler took more than two minutes"
        return (program if done.returncode == 0 else None), done.stderr

    def run(self, program, mode):
        """Status (None: over the limit; negative: a signal), output, seconds."""
        environment = dict(os.environ, UMSSHIM_MAIN_AS=mode)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="posix-") as scratch, \
                tempfile.TemporaryFile() as output:
            command = [program]
            if self.isolate:
                command = ["unshare", "-pfmi", "--mount-proc", "--kill-child", "sh", "-c", ISOLATED,
                           "sh", self.objects, self.build, program]
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, cwd=scratch, env=environment,
                                     start_new_session=True)
            try:
                status = child.wait(self.options.limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                child.wait()
            if self.isolate and status is not None and status > 128:
                status = 128 - status
            output.seek(0)
            text = output.read(20000).decode(errors="replace")
        return status, text, time.monotonic() - began


def told(status):
    if status is None:
        return "not over in time"
    if status < 0:
        try:
            return f"ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended by signal {-status}"
    return MEANING.get(status, f"exit status {status}")


def reap_strays():
    """Without namespaces, processes that outlive their program come to us; none is left behind."""
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def run_all(pool, runner, binaries, mode, results):
    waiting = {pool.submit(runner.run, program, mode): name for name, program in binaries.items()}
    for count, future in enumerate(concurrent.futures.as_completed(waiting), 1):
        name = waiting[future]
        results.setdefault(name, {}).setdefault(mode, []).append(future.result())
        progress(f"{mode}: {count} of {len(waiting)}")


def passed(runs):
    return sum(status == 0 for status, _, _ in runs)


def report(mode, baseline, names, results, lines):
    """Prints what passes in a thread and not in this mode; returns how many those are."""
    differ = [n for n in names if passed(results[n][mode]) < len(results[n][mode])]
    for name in differ:
        runs = results[name][mode]
        bad = next(r for r in runs if r[0] != 0)
        print(f"\n{name}: in a {mode} {told(bad[0])}, {len(runs) - passed(runs)} of {len(runs)} runs "
              f"({baseline}: passed {passed(results[name][baseline])} of "
              f"{len(results[name][baseline])}), {bad[2]:.1f} s")
        text = [line for line in bad[1].splitlines() if line.strip()]
        for line in text[-lines:]:
            print(f"    {line[:160]}")
    return differ


def save(path, results):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file)


def main():
    options = parse()
    runner = Runner(options)
    reap_strays()
    modes = options.modes.split(",")
    found = programs(options)
    if not found:
        sys.exit("posix.py: no program found")
    results, binaries = {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compiled = pool.map(lambda f: (f[1], *runner.compile(*f)), found)
        for count, (name, program, _) in enumerate(compiled, 1):
            progress(f"compiled: {count} of {len(found)}")
            if program:
                binaries[name] = program
        if options.thread_results:
            with open(options.thread_results, encoding="utf-8") as file:
                known = json.load(file)
            for name in binaries:
                results[name] = {options.baseline: known.get(name, {}).get(options.baseline, [])}
        else:
            run_all(pool, runner, binaries, options.baseline, results)
            save(options.json, results)
        tests = {n: p for n, p in binaries.items() if passed(results[n][options.baseline])}
        for mode in modes:
            for _ in range(options.repeat):
                run_all(pool, runner, tests, mode, results)
                save(options.json, results)
    # With less beside it: what differs only then differs for want of time.
    with concurrent.futures.ThreadPoolExecutor(min(options.jobs, os.cpu_count() or 1)) as pool:
        for mode in modes:
            again = {n: p for n, p in tests.items() if passed(results[n][mode]) < options.repeat}
            for _ in range(options.confirm):
                run_all(pool, runner, again, mode, results)
                run_all(pool, runner, again, options.baseline, results)
                save(options.json, results)
    progress("")
    print(f"{len(found)} programs, {len(binaries)} compile, {len(tests)} pass in a {options.baseline}")
    differences = 0
    for mode in modes:
        differ = report(mode, options.baseline, tests, results, options.lines)
        always = [n for n in differ if not passed(results[n][mode])]
        differences += len(differ)
        print(f"\nin a {mode}: {len(tests) - len(differ)} pass, {len(always)} never pass, "
              f"{len(differ) - len(always)} pass now and then")
    return 1 if differences or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
