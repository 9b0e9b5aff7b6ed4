# SPDX-License-Identifier: MIT
"""trace_test.py CASE ZOO TRACE TOUR DELEGATE - UMSSHIM_TRACE, and what umsshim-trace makes of its file.

  whole       samples: every execution is there, times fit, names and calls are told, in all three forms
  refused     a file that cannot be written, a full disk, FIFOs and links of others, a file that is none, a truncated one, bad sizes
  small       a small ring: what is kept and what was lost are all there was
  full        there is room for a part of the trace only
  ends        the process ends by _exit, is killed, or forks: the file is good up to there
  browser     the page in headless Chromium
"""
import collections
import json
import os
import re
import resource
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from judge import check, end


def run(line, status=0, **env):
    done = subprocess.run(line, capture_output=True, text=True, timeout=50, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **env})
    check(done.returncode == status, f"{line[:4]}: status {done.returncode}, not {status}: {done.stdout[-1500:]}{done.stderr[-400:]}")
    check("Traceback" not in done.stderr, f"{line}: {done.stderr}")
    return done.stdout, done.stderr


def json_of(tool, file):
    return json.loads(run([*tool, "json", file])[0])


def whole(folder, zoo, tool, tour, delegate):
    file = os.path.join(folder, "trace")
    out, said = run([*tool, "record", "-o", file, "--", delegate])
    activations = int(re.search(r"(\d+) activations", out).group(1))
    check(re.search(r"^umsshim-trace: \S+: \d+ bytes$", said, re.M), said)
    trace = json_of(tool, file)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    runs = [event for event in slices if event["cat"] == "run" and event["pid"] == 1]
    # Each activation but the last one, which leaves, ends in an execution or in a sleep.
    executed = sum(event["name"].startswith("worker") for event in runs)
    check(600 <= executed < activations, f"{executed} executions, {activations} activations")
    check({event["name"] for event in runs} == {f'worker {n} "writer {n - 1}"' for n in (1, 2, 3)},
          f"workers that ran: {sorted({event['name'] for event in runs})}")
    tracks = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    check('scheduler 4 "scheduler"' in tracks, f"the scheduler, which was named before it became one, is not in {tracks}")
    check(any(event["name"] == "EnterCriticalSection" and event["cat"] == "blocked" for event in slices),
          "nobody waited for the critical section")
    for pid in 1, 2: # on a track nothing overlaps
        for tid in {event["tid"] for event in slices if event["pid"] == pid}:
            track = sorted((event["ts"], event["dur"]) for event in slices if (event["pid"], event["tid"]) == (pid, tid))
            for (start, length), (after, _) in zip(track, track[1:]):
                if start + length > after + 0.01:
                    check(False, f"track {pid}/{tid}: a slice of {length} us at {start} reaches over {after}")
                    break
    starts = [event for event in trace["traceEvents"] if event["ph"] == "s"]
    ends = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "f"}
    check(starts and all(ends[event["id"]]["ts"] >= event["ts"] for event in starts), "flows go back in time")
    check(trace["otherData"]["lost"] == 0, "records were lost")

    run([tour], UMSSHIM_TRACE=file)
    text = run([*tool, "summary", file])[0]
    for pattern in (r"1 schedulers, 6 workers", r"^scheduler +executed", r'^7 "scheduler" ', r'^4 "contender" ', r" read \dx ", r"clock_nanosleep \dx ",
                    r"from completion to execution, \d+ times: median "):
        check(re.search(pattern, text, re.M), f"no {pattern} in the summary:\n{text}")
    page = os.path.join(folder, "page.html")
    run([*tool, "html", "-o", page, file])
    with open(page, encoding="utf-8") as made:
        text = made.read()
    check("<canvas" in text and "from completion to execution" in text, "the page lacks something")
    check(not re.search(r"(src|href)=", text), "the page needs another file")


def paths(folder, delegate):
    """FIFOs without a reader, with one that goes away, and one that does not read; links of one's own and of others."""
    fifo, file, link = (os.path.join(folder, name) for name in ("fifo", "file", "link"))
    os.mkfifo(fifo)
    said = run([delegate], UMSSHIM_TRACE=fifo)[1]
    check(re.fullmatch(rf"umsshim: UMSSHIM_TRACE={fifo}: it cannot be opened: No such device or address; [^\n]*\n", said), said)
    for reads in True, False:
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        with subprocess.Popen([delegate], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "UMSSHIM_TRACE": fifo}) as program:
            while reads and program.poll() is None: # the first bytes, and then no reader any more
                if select.select([reader], [], [], 0.1)[0] and os.read(reader, 40):
                    break
            if reads:
                os.close(reader)
            said = program.communicate(timeout=20)[1]
        if not reads:
            os.close(reader)
        check(program.returncode == 0, f"a FIFO ended the program: {program.returncode} {said}")
        check(not said or re.search("writing stopped: (Broken pipe|Resource temporarily unavailable); ", said), said)

    def told(path):
        with open(file, "w", encoding="ascii") as before:
            before.write("kept")
        said = run([delegate], UMSSHIM_TRACE=path)[1]
        with open(file, "rb") as after:
            return said, after.read(8)

    deep = os.path.join(folder, "deep")
    os.makedirs(os.path.join(deep, "er"))
    os.symlink("../file", os.path.join(deep, "link"))
    os.symlink(os.path.join(folder, "deep", "link"), link)
    os.symlink(folder, os.path.join(deep, "er", "folder"))
    os.symlink("loop", os.path.join(folder, "loop"))
    for path in file, link, os.path.join(deep, "er", "..", "er", "folder", "file"):
        check(told(path) == ("", b"UMSTRACE"), f"{path}: {told(path)}")
    check("Too many levels of symbolic links" in told(os.path.join(folder, "loop"))[0], "a loop")
    if os.geteuid() == 0:
        for path, of in (link, link), (link, os.path.join(deep, "link")), \
                        (os.path.join(deep, "er", "folder", "file"), os.path.join(deep, "er", "folder")):
            os.chown(of, 65534, 65534, follow_symlinks=False)
            said, holds = told(path)
            check("it cannot be opened: Too many levels of symbolic links" in said and holds == b"kept", f"{path}: {said} {holds}")
            os.chown(of, 0, 0, follow_symlinks=False)


def refused(folder, zoo, tool, tour, delegate):
    out, said = run([delegate], UMSSHIM_TRACE="/proc/none/trace")
    check(re.search(r"^umsshim: UMSSHIM_TRACE=/proc/none/trace: it cannot be opened: ", said), said)
    check(said.count("\n") == 1 and "300 pairs" in out, f"not one line: {said}")
    out, said = run([delegate], UMSSHIM_TRACE="/dev/full")
    check(re.search(r"^umsshim: UMSSHIM_TRACE=/dev/full: writing stopped: No space left", said), said)
    check(said.count("\n") == 1 and "300 pairs" in out, f"not one line: {said}")
    paths(folder, delegate)
    file = os.path.join(folder, "trace")
    for option, wrong in (*((f"ring={bad}", "is no power of two from 1 to 1024") for bad in ("x", "0", "3", "2048", "-8", "")),
                          *((f"stacks={bad}", "is no number from 0 to 16") for bad in ("x", "17", "-1", ""))):
        said = run([delegate], UMSSHIM_TRACE=f"{file},{option}")[1]
        check(re.fullmatch(rf"umsshim: UMSSHIM_TRACE: {option} {wrong}.*\n", said), said)
    said = run([delegate], UMSSHIM_TRACE=f"{file},rings=4,ring=4")[1]
    check(said == "umsshim: UMSSHIM_TRACE: no such option, so it is ignored: rings=4; there are: ring stacks\n", said)
    for odd in "a,b", "ring=4,", ",c=,d": # such commas are the name's
        said = run([delegate], UMSSHIM_TRACE=os.path.join(folder, odd) + ",stacks=0")[1]
        check(not said and os.path.exists(os.path.join(folder, odd)), f"{odd}: {said}")
    check(os.path.exists(file), f"{file} has an option in its name")
    with open(file, "rb") as whole_file:
        data = whole_file.read()
    for size in (41, 72, len(data) // 2, len(data) // 2 + 13, len(data) - 1): # truncated anywhere
        with open(file, "wb") as part:
            part.write(data[:size])
        for command in "summary", "json", "html":
            run([*tool, command, file])
    for size in 0, 39:
        with open(file, "wb") as part:
            part.write(data[:size])
        said = run([*tool, "summary", file], 1)[1]
        check(said == f"umsshim-trace: {file}: this is no trace of umsshim's\n", said)
    said = run([*tool, "summary", zoo], 1)[1]
    check("this is no trace" in said, said)
    said = run([*tool, "summary", os.path.join(folder, "none")], 1)[1]
    check("No such file" in said and said.count("\n") == 1, said)
    said = run([*tool, "html", "-o", "/proc/none/x", file], 1)[1]
    check(said.count("\n") == 1, said)
    run([*tool, "record", "--"], 2)
    said = run([*tool, "record", "-o", file, "--", "/none/such"], 1)[1]
    check(said == "umsshim-trace: /none/such: No such file or directory\n", said)
    os.unlink(file)
    said = run([*tool, "record", "-o", file, "--", "sh", "-c", "exit 7"], 7)[1]
    check("made no call of umsshim's" in said, said)


def small(folder, zoo, tool, tour, delegate):
    """What is kept and what was lost add up, however quick the drain was."""
    file = os.path.join(folder, "trace")
    with subprocess.Popen([zoo, "yields"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "UMSSHIM_TRACE": file + ",ring=1"}) as process:
        check(process.stdout.readline() == "ready\n", "zoo did not get ready")
        process.stdin.close()
        check(process.wait(20) == 0, "zoo failed")
    sys.path.insert(0, os.path.dirname(tool[-1]))
    from umsshim_inspect import trace # pylint: disable=import-outside-toplevel
    records, lost = trace.read(file)[1:]
    switches = sum(record[5] in (trace.EXECUTE, trace.LEAVE) for record in records)
    check(200000 <= switches + lost <= 200010, f"{switches} switches and {lost} lost are not all of 100000 yields")
    check(switches > 30000, f"only {switches} switches were kept")
    out = run([*tool, "summary", file])[0]
    told = re.search(r"^(\d+) records did not fit into their rings", out, re.M)
    check(int(told.group(1)) == lost if told else lost == 0, f"{lost} were lost: {out[:300]}")


def whole_file(tool, file):
    """(records that a worker was executed or left, lost), of a file that the tool reads as well."""
    sys.path.insert(0, os.path.dirname(tool[-1]))
    from umsshim_inspect import trace # pylint: disable=import-outside-toplevel
    records, lost = trace.read(file)[1:]
    if os.path.getsize(file) < 2 << 20: # else it takes seconds
        run([*tool, "summary", file])
    return sum(record[5] in (trace.EXECUTE, trace.LEAVE) for record in records), lost


def full(folder, zoo, tool, tour, delegate):
    """As if the disk were full after so much: 16 bytes are less than a trace begins with, which the program's thread
    writes. The signal of such a limit is not for the program, which would write no more than that."""
    file = os.path.join(folder, "trace")
    for room in 16, 1 << 20:
        done = subprocess.run([zoo, "yields"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)), check=False,
                              env={**os.environ, "UMSSHIM_TRACE": file + ",ring=64"})
        check(done.returncode == 0 and done.stdout == "ready\n", f"zoo ended with {done.returncode}: {done.stdout}")
        check(re.fullmatch(r"umsshim: UMSSHIM_TRACE=\S+: writing stopped: File too large; [^\n]*\n", done.stderr), done.stderr)
        check(room - 32 < os.path.getsize(file) <= room, f"the file has {os.path.getsize(file)} bytes")
    switches = whole_file(tool, file)[0]
    check(20000 < switches <= room // 32, f"{switches} switches are in it")


def stacks(folder, zoo, tool, tour, delegate):
    """A wait tells where it was called from: as many frames as were asked for, the innermost first."""
    libc = os.confstr("CS_GNU_LIBC_VERSION") # such as "glibc 2.36"
    if tuple(map(int, libc.split()[1].split(".")[:2])) < (2, 35):
        print(f"[  SKIPPED ] trace_test: {libc}: stacks are recorded from glibc 2.35 on")
        sys.exit(77)
    file = os.path.join(folder, "trace")
    for most in 1, 6:
        run([tour], UMSSHIM_TRACE=f"{file},stacks={most}")
        sites = [event["args"]["called from"].split(" < ") for event in json_of(tool, file)["traceEvents"]
                 if "called from" in event.get("args", {})]
        deepest = max(map(len, sites), default=0)
        check(deepest == 1 if most == 1 else 2 <= deepest <= 6, f"stacks={most}: {deepest} frames at most")
        # The tour's, as many as the compiler has left.
        functions = {re.sub(r"\+0x[0-9a-f]+$", "", frames[0]) for frames in sites}
        check({"receive", "spin", "yield"} & functions, f"stacks={most}: {functions}")


def wait_for_size(file, size):
    began = time.monotonic()
    while not os.path.exists(file) or os.path.getsize(file) < size:
        if time.monotonic() - began > 25:
            check(False, f"{file} has no {size} bytes after 25 seconds")
            return
        time.sleep(0.001)


def ends(folder, zoo, tool, tour, delegate):
    file = os.path.join(folder, "trace")
    for how, size, status in (("leave", 200000 * 32, 0), ("kill", 1 << 20, -9), ("fork", 0, 0)):
        if os.path.exists(file):
            os.unlink(file)
        with subprocess.Popen([zoo, "yields", how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, "UMSSHIM_TRACE": file + ",ring=64"}) as process:
            wait_for_size(file, size)
            if how == "kill":
                process.kill()
            said = process.communicate(timeout=25)
        check(process.returncode == status and not said[1], f"{how}: status {process.returncode}: {said}")
        switches, lost = whole_file(tool, file)
        least = 20000 if size == 1 << 20 else 200000 if how == "fork" else 200000 - 1000
        check(least <= switches <= 200010 and lost == 0, f"{how}: {switches} switches, {lost} lost")
        with open(file, "rb") as written:
            check(written.read().count(b"UMSTRACE") == 1, f"{how}: two wrote into the file")


def pixels_of(png):
    """{(red, green, blue): how many}, of a PNG of 8 bits a channel that is not interlaced."""
    with open(png, "rb") as file:
        data = file.read()
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    channels, at, packed = {2: 3, 6: 4}[colour], 8, b""
    check(depth == 8, f"{depth} bits")
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    raw, above, counts = zlib.decompress(packed), bytearray(width * channels), collections.Counter()
    for row in range(height):
        begin = row * (width * channels + 1)
        how, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * channels])
        for i, value in enumerate(line):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            guess = left + above[i] - corner
            best = min((left, above[i], corner), key=lambda near, guess=guess: abs(guess - near))
            line[i] = (value + (0, left, above[i], (left + above[i]) // 2, best)[how]) & 255
        counts.update(zip(line[0::channels], line[1::channels], line[2::channels]))
        above = line
    return counts


def browser(folder, zoo, tool, tour, delegate):
    if not shutil.which("chromium"):
        print("[  SKIPPED ] trace_test: there is no chromium")
        sys.exit(77)
    picture = os.path.join(folder, "timeline.png")
    script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "timeline.py")
    run([sys.executable, "-B", script, tour, picture])
    counts = pixels_of(picture)
    for what, colour in (("run", (0x4c, 0xaf, 0x50)), ("ready", (0xff, 0xe0, 0x82)), ("blocked", (0x90, 0xa4, 0xae))):
        check(counts[colour] > 2000, f"{what} is drawn on {counts[colour]} pixels only")


def main():
    case, zoo, tool, tour, delegate = sys.argv[1:6]
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](folder, zoo, [sys.executable, "-B", tool], tour, delegate)
    end("trace_test", case)


main()
