# SPDX-License-Identifier: MIT
"""trace.py - a trace that is damaged anywhere (UMSSHIM_TRACE, umsshim-trace): its readers say what is in it, or that it is
no trace, and end.

  trace.py --changes N | --seconds N [--found FOLDER] [FILE...]

Tries a whole trace, the files, and changed ones: as many, the same in each run, or for as long. One that breaks a reader
is told in hexadecimal, and written to the folder.
"""
import argparse
import io
import json
import os
import random
import signal
import struct
import sys
import tempfile
import time
import traceback

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "platform", "linux", "inspect"))

from umsshim_inspect import page, summary, trace # noqa: E402

HEAD = struct.Struct("<8sIIQQQ")
LIMIT = 60 # seconds for one trace
ODD = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 62, (1 << 63) - 1, (1 << 64) - 1)


def text_of(kind, who, extra, text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 8)
    return [(0, word, who, extra, number, kind) for number, (word,) in enumerate(struct.iter_unpack("<Q", data))]


def whole(module="/no/such/module.so"):
    """A trace with a record of each kind: a scheduler and two workers, which are called from a module."""
    records = [(10, 1 << 20, 1, 0, 0, trace.PORTION), (10, 0, 1, 0, 0, trace.ENTER), (11, 2, 1, 1, 0, trace.LANE),
               (12, 7, 2, 100, 0, trace.BIRTH), (12, 7, 3, 101, 0, trace.BIRTH), (13, 0x400000, 16, 1, 0, trace.MODULE),
               (14, 3, 2, 0, 0, trace.ARRIVE), (15, 3, 2, 1, 0, trace.DEQUEUE), (16, 0, 2, 50, 0, trace.EXECUTE),
               (17, 0x401000, 2, 0, 0, trace.SITE), (17, 0x402000, 2, 0, 1, trace.SITE),
               (18, 5, 2, 0, 3, trace.WAIT_CALL), (19, 0, 2, 0, 0, trace.LEAVE), (20, 0, 3, 50, 0, trace.EXECUTE),
               (21, 0x1234, 3, 2, 4, trace.WAIT_OBJECT), (22, 0, 3, 0, 0, trace.LEAVE), (23, 0, 1, 0, 0, trace.SLEEP),
               (24, 0, 2, 0, 0, trace.COMPLETE), (25, 0, 1, 0, 0, trace.WAKE), (26, 0, 2, 50, 0, trace.EXECUTE),
               (27, 0x4000, 2, 1, 0, trace.WAIT_ADDRESS), (28, 9, 2, 7, 1, trace.BLOCK), (29, 0, 1, 51, 0, trace.LOAD),
               (30, 0, 2, 0, 0, trace.COMPLETE), (31, 0, 3, 0, 0, trace.WAIT_TIME), (32, 0, 3, 51, 0, trace.EXECUTE),
               (33, 0, 3, 0, 0, trace.END), (34, 0, 1, 0, 0, trace.LEFT)]
    for what, number, text in ((trace.OF_CALL, 0, "read"), (trace.OF_ADDRESS_CALL, 1, "EnterCriticalSection"),
                               (trace.OF_DOOR, 3, "libc"), (trace.OF_MODULE, 1, module),
                               (trace.OF_PROGRAM, 0, "program --with arguments")):
        records += text_of(trace.CALL_NAME, what, number, text)
    records += text_of(trace.NAME, 2, 0, "worker \u20ac") + text_of(trace.NAME, 1, 0, "scheduler")
    return HEAD.pack(b"UMSTRACE", 2, trace.RECORD.size, 10, 1_700_000_000_000_000_000, 4711) + b"".join(
        trace.RECORD.pack(*record) for record in records)


def changed(data, draw):
    data = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        how, at = draw.randrange(6), draw.randrange(max(len(data) - 8, 1))
        record = HEAD.size + 32 * draw.randrange(max((len(data) - HEAD.size) // 32, 1))
        field = draw.choice((0, 8, 16, 20, 24, 28)) # of a record
        if how == 0:
            data[at:at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            width = 8 if field < 16 else 4
            data[record + field:record + field + width] = (draw.choice(ODD) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        elif how == 2:
            data[record + 28:record + 32] = struct.pack("<I", draw.randrange(26))
        elif how == 3:
            other = HEAD.size + 32 * draw.randrange(max((len(data) - HEAD.size) // 32, 1))
            data[record:record] = data[other:other + 32]
        elif how == 4:
            del data[record:record + 32]
        elif draw.randrange(4) == 0:
            del data[at:]
    return bytes(data)


def read(path):
    """All that umsshim-trace makes of a trace."""
    try:
        timeline = trace.Timeline(path)
    except trace.BadTrace:
        return
    "\n".join(summary.lines(timeline))
    for event in trace.events(timeline):
        json.dumps(event)
    page.write(timeline, io.StringIO())


def end_it(_number, _frame):
    raise RuntimeError(f"a trace took {LIMIT} seconds")


def attempt(data, path, found):
    """False: a reader broke."""
    with open(path, "wb") as file:
        file.write(data)
    signal.signal(signal.SIGALRM, end_it)
    signal.alarm(LIMIT)
    try:
        read(path)
        return True
    except Exception: # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        print("the trace was, in hexadecimal:\n" + data.hex())
        if found:
            with open(os.path.join(found, f"trace-{hash(data) & 0xFFFFFFFF:08x}"), "wb") as file:
                file.write(data)
        return False
    finally:
        signal.alarm(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--changes", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--found")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    arguments.found = arguments.found and os.path.abspath(arguments.found)
    draw = random.Random(None if arguments.seconds else 1)
    seeds = [whole()]
    for name in arguments.files:
        with open(name, "rb") as file:
            seeds.append(file.read())
    end, tried = time.monotonic() + arguments.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder) # whose name is another each time: the traces have none of it
        path, pipe = "trace", "pipe"
        os.mkfifo(pipe) # a module may be said to be what nobody can read to its end
        seeds.append(whole(pipe))
        for seed in (seeds[0], seeds[-1]):
            with open(path, "wb") as file:
                file.write(seed)
            if len(trace.Timeline(path).workers) != 2:
                sys.exit("the whole trace does not read as what it is")
        good = all([attempt(seed, path, arguments.found) for seed in seeds])
        while good and (tried < arguments.changes or time.monotonic() < end):
            good = attempt(changed(draw.choice(seeds), draw), path, arguments.found)
            tried += 1
    print(f"{len(seeds)} traces, and {tried} changed ones" + ("" if good else ": FAILED"))
    return not good


if __name__ == "__main__":
    sys.exit(main())
