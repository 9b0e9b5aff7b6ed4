# SPDX-License-Identifier: MIT
"""dump_test.py CASE WINE.SH ZOO UMSRUN - umsrun --dump PID FILE.

  inplace  workers are switched in place: the thread of each that is parked has the worker's registers in the dump, its
           stack is there, and leads back through the library to what the worker called. The process goes on
  pinned   each worker is on its own thread, and nothing is changed; it has its stack all the same
  running  a worker that runs is on its scheduler's thread
  many     hundreds of workers
  refused  no such process, no file, one that cannot be made, too many words: one line, exit code 2, no file
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

wine, zoo, umsrun = sys.argv[2:5]
THREADS, MODULES, MEMORY = 3, 4, 5 # streams
MARK = struct.pack("<Q", 0x6b72616d2d6f6f7a) # zoo.c
NEAR = 4096 # from a worker's registers to its own frames


class Dump:
    """What the format has, as far as it is wanted here."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = data = file.read()
        magic, _, count, table = struct.unpack_from("<4sIII", data)
        check(magic == b"MDMP", "no minidump")
        places = {kind: place for kind, _, place in struct.iter_unpack("<III", data[table:table + 12 * count])}
        self.ranges = [(start, size, place) for start, size, place in self.items(places[MEMORY], "<QII")]
        self.threads = {}
        for thread, _, _, _, _, start, size, place, bytes_, context in self.items(places[THREADS], "<IIIIQQIIII"):
            check(bytes_ >= 0x4d0, f"thread {thread} has registers of {bytes_} bytes")
            rsp, = struct.unpack_from("<Q", data, context + 0x98)
            rip, = struct.unpack_from("<Q", data, context + 0xf8)
            self.threads[thread] = rip, rsp, (start, size, place)
        self.modules = {}
        for base, size, name in self.items(places[MODULES], "<QI8xI84x"):
            length, = struct.unpack_from("<I", data, name)
            text = data[name + 4:name + 4 + length].decode("utf-16-le")
            self.modules[text.replace("/", "\\").rsplit("\\", 1)[-1].lower()] = base, size

    def items(self, place, form):
        count, = struct.unpack_from("<I", self.data, place)
        each = struct.calcsize(form)
        check(place + 4 + count * each <= len(self.data), "a stream reaches over the end")
        return list(struct.iter_unpack(form, self.data[place + 4:place + 4 + count * each]))

    def memory(self, address, most):
        """What the memory list has from there on; b"": nothing."""
        for start, size, place in self.ranges:
            if start <= address < start + size:
                first = place + address - start
                return self.data[first:first + min(most, start + size - address)]
        return b""

    def is_in(self, address, module):
        base, size = self.modules[module]
        return base <= address < base + size


def run(*words):
    done = subprocess.run(["sh", wine, umsrun, *words], capture_output=True, text=True, timeout=40, check=False)
    return done.returncode, done.stdout.replace("\r", ""), done.stderr.replace("\r", "")


def dump_of(words, path, **env):
    """(Dump, {worker: (state, thread)}) of a process in that state, which goes on and ends as it should."""
    with subprocess.Popen(["sh", wine, zoo, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **env}) as process:
        said = process.stdout.readline().split() # it has a limit of its own, and says what it saw
        if not said:
            sys.exit(f"dump_test: zoo {words} did not get ready")
        time.sleep(0.3) # after "ready" the last step, into the lock, is still to come
        status, out, problem = run("--dump", said[1], path)
        process.stdin.close() # who ends it is a thread that stood still for the dump
        try:
            check(process.wait(20) == 0, f"{words} ended with {process.returncode}")
        except subprocess.TimeoutExpired:
            process.kill()
            check(False, f"{words} did not end after its input did")
    check(status == 0, f"umsrun ended with {status}: {out}{problem}")
    found = re.findall(r'^worker (\d+)(?: "[^"]*")?, (\w+): ~~\[([0-9a-f]+)\]k$', out, re.M)
    workers = {int(number): (state, int(thread, 16)) for number, state, thread in found}
    return Dump(path), workers, out


def inplace(path):
    dump, workers, out = dump_of(["stay"], path, UMSSHIM_SWITCH="inplace")
    check(re.search(r"^[3-6] parked workers have their own registers in the dump$", out, re.M), out)
    check(sorted(workers) == [1, 2, 3, 4, 5, 6], f"workers {workers}")
    parked = 0
    for number, (state, thread) in workers.items():
        rip, rsp, (start, size, place) = dump.threads[thread]
        stack = dump.memory(rsp, NEAR)
        check(len(stack) > 256, f"worker {number}: no stack at {rsp:#x}")
        check(start <= rsp < start + size and dump.data[place + rsp - start:][:64] == stack[:64],
              f"worker {number}: its thread's stack is {start:#x} to {start + size:#x}, not at {rsp:#x}")
        # What switched it away lies below where its stack begins again: the last word is the address it returns to.
        if dump.memory(rsp - 8, 8) != struct.pack("<Q", rip):
            continue
        parked += 1
        words = [rip] + [word for word, in struct.iter_unpack("<Q", stack[:len(stack) // 8 * 8])]
        check(dump.is_in(rip, "umsshim.dll") or dump.is_in(rip, "zoo.exe"), f"worker {number} goes on at {rip:#x}")
        check(any(dump.is_in(word, "zoo.exe") for word in words), f"worker {number}: nothing of zoo.exe's on its stack")
        if number in (2, 5):
            check(MARK in stack, f"worker {number}, {state}: what it put on its stack is not within {NEAR} bytes of {rsp:#x}")
    check(f"{parked} parked workers" in out, f"{parked} workers begin at a saved frame: {out}")
    for number in 2, 5:
        rip, rsp, _ = dump.threads[workers[number][1]]
        check(MARK in dump.memory(rsp, NEAR), f"worker {number} is not found by its thread's registers")


def pinned(path):
    dump, workers, out = dump_of(["stay"], path, UMSSHIM_SWITCH="pinned")
    check(out.startswith("0 parked workers have"), out)
    for number in 2, 5:
        _, rsp, _ = dump.threads[workers[number][1]]
        check(MARK in dump.memory(rsp, NEAR), f"worker {number} is not found by its thread's registers")


def running(path):
    dump, workers, out = dump_of(["spin"], path, UMSSHIM_SWITCH="inplace")
    check(workers[2][0] == "running", f"{workers}")
    rip = dump.threads[workers[2][1]][0]
    check(dump.is_in(rip, "zoo.exe"), f"worker 2 runs at {rip:#x}, which is not zoo.exe's: {out}")


def many(path):
    dump, workers, out = dump_of(["stay", "200"], path, UMSSHIM_SWITCH="inplace")
    check(int(out.split()[0]) >= 200 and len(workers) == 40 and re.search(r"^and 166 workers more$", out, re.M), out)
    marked = sum(MARK in dump.memory(rsp, NEAR) for _, rsp, _ in dump.threads.values())
    check(marked == 202, f"{marked} workers are found by their threads' registers, not 202")


def refused(path):
    none = os.path.join(path, "none")
    for words, pattern in ((["999999", path], r"umsrun: process 999999: there is no such process"),
                           (["x", path], r"umsrun: --dump wants the number of a process, and a file"),
                           (["1"], r"umsrun: --dump wants the number of a process, and a file"),
                           (["1", path, "more"], r"umsrun: --dump wants the number of a process, and a file"),
                           ([], r"umsrun: --dump wants the number of a process, and a file")):
        status, out, problem = run("--dump", *words)
        check(status == 2 and not out and re.match(pattern, problem) and problem.count("\n") == 1,
              f"{words}: {status}, {out}{problem}")
        check(not os.path.exists(path), f"{words}: there is a file")
    with subprocess.Popen(["sh", wine, zoo, "stay"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline().split()
        status, out, problem = run("--dump", said[1], none)
        check(status == 2 and re.fullmatch(r"umsrun: process \d+: the file cannot be made\n", problem), f"{status}, {problem}")
        process.stdin.close()
        check(process.wait(20) == 0, "zoo did not go on")


with tempfile.TemporaryDirectory() as folder:
    globals()[sys.argv[1]](os.path.join(folder, "process.dmp"))
end("dump_test", sys.argv[1])
