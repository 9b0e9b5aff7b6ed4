# SPDX-License-Identifier: MIT
"""trace.py - a file of UMSSHIM_TRACE (platform/trace/trace.h), and its meaning: slices of time.

A file that ends in the middle is good up to there. Records of different rings are put in order by their time.
"""
import struct

from .symbols import Symbols
from .waits import OBJECTS

(PORTION, EXECUTE, LEAVE, WAIT_CALL, WAIT_OBJECT, WAIT_ADDRESS, WAIT_TIME, BLOCK, COMPLETE, BIRTH, END, ENTER, LEFT,
 LOAD, SLEEP, WAKE, NAME, CALL_NAME, ARRIVE, DEQUEUE, LANE, SITE, MODULE) = range(1, 24)
OF_CALL, OF_ADDRESS_CALL, OF_DOOR, OF_MODULE, OF_PROGRAM = range(5) # whose name a CALL_NAME tells
TYPES = list(OBJECTS.values()) # in the order of enum object_type
REASONS = ["startup", "blocked", "yield"]
RECORD = struct.Struct("<QQIIII")


class BadTrace(Exception):
    """The file is no trace, or a trace of another version."""


class Slice:
    """kind: scheduler, worker or carrier, of that number. what: one of run, entry, idle, hand-over, ready, queued,
    blocked. more: further facts: a door, an object, call sites."""
    __slots__ = ("kind", "number", "what", "name", "start", "end", "more")

    def __init__(self, kind, number, what, name, start, end, more=None):
        self.kind, self.number, self.what, self.name = kind, number, what, name
        self.start, self.end, self.more = start, max(end, start), more or {}


def read(path):
    """(head, records, lost): records as (time, value, who, extra, more, kind, ring)."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 40 or data[:8] != b"UMSTRACE":
        raise BadTrace("this is no trace of umsshim's")
    version, record_bytes, monotonic, realtime, pid = struct.unpack_from("<IIQQQ", data, 8)
    if version != 2 or record_bytes != RECORD.size:
        raise BadTrace(f"a trace of version {version}, which this program does not read")
    records, lost, ring, left = [], {}, 0, 0
    for record in RECORD.iter_unpack(data[40:40 + (len(data) - 40) // 32 * 32]):
        time, value, who, extra, more, kind = record
        if kind == PORTION:
            ring, left = who, value
            if extra:
                lost[who] = extra
        elif kind and kind <= MODULE:
            records.append((time, value, who, extra, more, kind, ring if left else 0))
            left -= left > 0
    records.sort(key=lambda record: record[0])
    return {"start": monotonic, "realtime": realtime, "pid": pid, "size": len(data)}, records, sum(lost.values())


class Worker:
    def __init__(self, number, time):
        self.number, self.state, self.since, self.on = number, "ready", time, 0
        self.wait, self.completed, self.ended = None, None, False
        self.blocked_at, self.blocked_on, self.wait_more, self.sites = None, 0, {}, []


class Scheduler:
    def __init__(self, number):
        self.number, self.what, self.name, self.since, self.worker = number, None, "", 0, 0
        self.entries = 0


class Timeline:
    """slices, marks (kind, number, name, time), names, latencies; flows: (worker, when it blocked or None, on
    which scheduler, when it was completed, by which scheduler it was executed, when)."""

    def __init__(self, path):
        self.head, records, self.lost = read(path)
        self.slices, self.flows, self.latencies, self.marks = [], [], [], []
        self.names, self._texts, self._told, self._modules = {}, {}, {}, []
        self.workers, self.schedulers, self.carriers = {}, {}, {}
        self.begin = records[0][0] if records else self.head["start"]
        self.end = records[-1][0] if records else self.begin
        for record in records: # names are told after what they name
            if record[5] in (NAME, CALL_NAME):
                self._name(record)
        self.command = "".join(self._told.get((OF_PROGRAM, piece), "") for piece in range(4)) # none in older traces
        self._symbols = Symbols((value, pages * 4096, self._told.get((OF_MODULE, number), "?"))
                                for _, value, pages, number, _, kind, _ in records if kind == MODULE)
        for record in records:
            self._take(record)
        for scheduler in self.schedulers.values():
            self._close_scheduler(scheduler, self.end)
        for worker in self.workers.values():
            self._close_worker(worker, self.end)
        for tid, (carried, since) in self.carriers.items():
            self.slices.append(Slice("carrier", tid, "run", f"scheduler {self.label(carried)}", since, self.end))

    # ---- Names -------------------------------------------------------------------------------------------

    def _name(self, record):
        _, value, who, extra, more, kind, _ = record
        key = kind, who, extra
        if more == 0:
            self._texts[key] = b""
        self._texts[key] = self._texts.get(key, b"") + struct.pack("<Q", value)
        if b"\0" in self._texts[key]:
            text = self._texts[key].split(b"\0")[0].decode("utf-8", "replace")
            if kind == NAME:
                self.names[who] = text
            else:
                self._told[who, extra] = text

    def label(self, number):
        name = self.names.get(number)
        return f'{number} "{name}"' if name else str(number)

    def _wait_name(self, record):
        _, value, _, extra, more, kind, _ = record
        if kind in (WAIT_CALL, BLOCK):
            other = "a function of libc's" if extra == 0xFFFFFFFF else f"call {extra}"
            return self._told.get((OF_CALL, extra), other)
        if kind == WAIT_OBJECT:
            text = TYPES[extra] if extra < len(TYPES) else "object"
            return f"{text} {value:#x}" + (f" and {more - 1} more" if more > 1 else "")
        if kind == WAIT_ADDRESS:
            return self._told.get((OF_ADDRESS_CALL, extra), "address")
        return "Sleep"

    def _wait_more(self, record):
        _, value, _, _, more, kind, _ = record
        if kind in (WAIT_CALL, BLOCK):
            door = self._told.get((OF_DOOR, more))
            return {"first argument": f"{value:#x}", **({"door": door} if door else {})}
        return {"address": f"{value:#x}", "door": "Win32 call"} if value else {"door": "Win32 call"}

    # ---- Time --------------------------------------------------------------------------------------------

    def _close_scheduler(self, scheduler, time):
        if scheduler.what:
            self.slices.append(Slice("scheduler", scheduler.number, scheduler.what, scheduler.name,
                                     scheduler.since, time))

    def _scheduler(self, number, what, name, time, worker=0):
        scheduler = self.schedulers.setdefault(number, Scheduler(number))
        self._close_scheduler(scheduler, time)
        scheduler.what, scheduler.name, scheduler.since, scheduler.worker = what, name, time, worker
        return scheduler

    def _close_worker(self, worker, time):
        more = {}
        if worker.state == "run":
            name = f"scheduler {self.label(worker.on)}"
        elif worker.state == "blocked":
            name, more = worker.wait or "waits", dict(worker.wait_more)
        else:
            name = worker.state
        if worker.state != "run" and worker.sites:
            more["called from"] = " < ".join(worker.sites)
        if not worker.ended:
            self.slices.append(Slice("worker", worker.number, worker.state, name, worker.since, time, more))

    def _worker(self, number, state, time, on=0):
        worker = self.workers.setdefault(number, Worker(number, time))
        self._close_worker(worker, time)
        worker.state, worker.since = state, time
        worker.on = on or worker.on
        return worker

    def _blocked(self, number, time, wait, more):
        worker = self._worker(number, "blocked", time)
        worker.wait, worker.wait_more, worker.blocked_at, worker.completed = wait, more, time, None
        return worker

    def _carried(self, tid, scheduler, time):
        """Notes that the scheduler is on this kernel thread from now on. False: it was there already."""
        if tid in self.carriers and self.carriers[tid][0] == scheduler:
            return False
        for other, (carried, since) in list(self.carriers.items()):
            if carried == scheduler or other == tid:
                self.slices.append(Slice("carrier", other, "run", f"scheduler {self.label(carried)}", since, time))
                del self.carriers[other]
        self.carriers[tid] = scheduler, time
        return True

    def _take(self, record):
        time, _, who, extra, more, kind, ring = record
        if kind == EXECUTE:
            worker = self._worker(who, "run", time, ring)
            worker.wait, worker.sites = None, []
            scheduler = self._scheduler(ring, "run", f"worker {self.label(who)}", time, who)
            scheduler.entries += 1
            if worker.completed is not None:
                self.latencies.append(time - worker.completed)
                self.flows.append((who, worker.blocked_at, worker.blocked_on, worker.completed, ring, time))
                worker.completed = worker.blocked_at = None
            if extra:
                self._carried(extra, ring, time)
        elif kind == LEAVE:
            worker = self.workers.get(who)
            if worker is None or worker.state != "run":
                return
            blocked = worker.wait is not None
            if blocked:
                self._blocked(who, time, worker.wait, worker.wait_more).blocked_on = ring
            else:
                self._worker(who, "ready", time)
            self._scheduler(ring, "entry", "entry point: " + ("blocked" if blocked else "yield"), time)
        elif kind in (WAIT_CALL, WAIT_OBJECT, WAIT_ADDRESS, WAIT_TIME):
            worker = self.workers.setdefault(who, Worker(who, time))
            worker.wait, worker.wait_more = self._wait_name(record), self._wait_more(record)
        elif kind == SITE:
            worker = self.workers.setdefault(who, Worker(who, time))
            worker.sites = worker.sites[:record[4]] + [self._symbols.text(record[1])]
        elif kind == BLOCK:
            worker = self._blocked(who, time, self._wait_name(record), self._wait_more(record))
            worker.blocked_on = worker.on
            if worker.on:
                self._scheduler(worker.on, "hand-over", f"{worker.wait} of worker {self.label(who)}", time)
        elif kind == COMPLETE:
            worker = self.workers.setdefault(who, Worker(who, time))
            worker.completed = time
        elif kind == ARRIVE:
            worker = self.workers.get(who)
            if worker is None or not worker.ended: # else it is its end that arrives
                self._worker(who, "queued", time).wait_more = {"list": record[1]}
            self.marks.append(("worker", who, f"arrives on list {record[1]}", time))
        elif kind == DEQUEUE:
            worker = self.workers.get(who)
            if worker and not worker.ended and worker.state == "queued":
                self._worker(who, "ready", time)
            self.marks.append(("scheduler", extra, f"dequeues worker {self.label(who)}", time) if extra else
                              ("worker", who, "is dequeued", time))
        elif kind == LANE:
            several = f" and {extra - 1} more" if extra > 1 else ""
            self.marks.append(("scheduler", who, f"keeps to processor {record[1] - 1}{several}", time))
        elif kind == BIRTH:
            self.workers[who] = Worker(who, time)
            self.workers[who].state = "born"
            self.marks.append(("worker", who, f"is born, thread {extra}", time))
        elif kind == END:
            worker = self.workers.get(who)
            if worker:
                self._close_worker(worker, time)
                worker.ended = True
                self.marks.append(("worker", who, "ends", time))
                self._scheduler(ring, "entry", "entry point: blocked", time)
        elif kind == LOAD:
            scheduler = self.schedulers.get(who)
            if not self._carried(extra, who, time):
                return
            if scheduler is None or scheduler.what != "run":
                self._scheduler(who, "entry", "entry point: " + ("blocked" if scheduler else "startup"), time)
        elif kind == ENTER:
            self._scheduler(who, "entry", "entry point: startup", time)
        elif kind == SLEEP:
            self._scheduler(who, "idle", "sleeps", time)
        elif kind == WAKE:
            self._scheduler(who, "entry", "entry point: woken", time)
        elif kind == LEFT:
            scheduler = self.schedulers.get(who)
            if scheduler:
                self._close_scheduler(scheduler, time)
                scheduler.what = None


# ---- As ui.perfetto.dev, chrome://tracing and Speedscope read it ------------------------------------------------

PROCESSES = {"scheduler": 1, "worker": 2, "carrier": 3}


def events(timeline):
    """The events of Chrome's format, one after the other."""
    begin = timeline.begin
    for name, number in PROCESSES.items():
        yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name + "s"}}
        yield {"ph": "M", "name": "process_sort_index", "pid": number, "args": {"sort_index": number}}
    tracks = sorted({(part.kind, part.number) for part in timeline.slices})
    for kind, number in tracks:
        label = str(number) if kind == "carrier" else timeline.label(number)
        yield {"ph": "M", "name": "thread_name", "pid": PROCESSES[kind], "tid": number,
               "args": {"name": f"{kind} {label}"}}
    known = set(tracks)
    for part in timeline.slices:
        event = {"ph": "X", "name": part.name, "cat": part.what, "pid": PROCESSES[part.kind], "tid": part.number,
                 "ts": (part.start - begin) / 1e3, "dur": (part.end - part.start) / 1e3}
        if part.more:
            event["args"] = part.more
        yield event
    for kind, number, name, time in timeline.marks:
        if (kind, number) in known:
            yield {"ph": "i", "s": "t", "name": name, "cat": "mark", "pid": PROCESSES[kind], "tid": number,
                   "ts": (time - begin) / 1e3}
    # An arrow starts and ends in a slice: from the worker's run to its wait, and from there to its next run.
    for index, (worker, blocked, _, completed, _, executed) in enumerate(timeline.flows):
        steps = [("s", blocked)] if blocked is not None else []
        steps += [("t" if steps else "s", completed), ("f", executed)]
        for phase, time in steps:
            yield {"ph": phase, "id": index, "name": "goes on", "cat": "flow", "pid": 2, "tid": worker,
                   "ts": (time - begin) / 1e3, **({"bp": "e"} if phase != "s" else {})}
