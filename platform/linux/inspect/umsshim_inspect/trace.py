# SPDX-License-Identifier: MIT
"""trace.py - a file of UMSSHIM_TRACE (platform/linux/trace/trace.h), and what it says: slices of time.

A file that ends in the middle is good up to there. Records of different rings are put in order by their time.
"""
import struct

from .waits import OBJECTS

(PORTION, EXECUTE, LEAVE, WAIT_CALL, WAIT_OBJECT, WAIT_ADDRESS, WAIT_TIME, BLOCK, COMPLETE, BIRTH, END, ENTER, LEFT,
 LOAD, SLEEP, WAKE, NAME, CALL_NAME) = range(1, 19)
TYPES = list(OBJECTS.values()) # in the order of enum object_type
REASONS = ["startup", "blocked", "yield"]
RECORD = struct.Struct("<QQIIII")


class BadTrace(Exception):
    """No trace, or of another version."""


class Slice:
    """kind: scheduler, worker or carrier, of that number. what: run, entry, idle, hand-over, ready, blocked."""
    __slots__ = ("kind", "number", "what", "name", "start", "end")

    def __init__(self, kind, number, what, name, start, end):
        self.kind, self.number, self.what, self.name = kind, number, what, name
        self.start, self.end = start, max(end, start)


def read(path):
    """(head, records, lost): records as (time, value, who, extra, more, kind, ring)."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 40 or data[:8] != b"UMSTRACE":
        raise BadTrace("this is no trace of umsshim's")
    version, record_bytes, monotonic, realtime, pid = struct.unpack_from("<IIQQQ", data, 8)
    if version != 1 or record_bytes != RECORD.size:
        raise BadTrace(f"a trace of version {version}, which this program does not read")
    records, lost, ring, left = [], {}, 0, 0
    for record in RECORD.iter_unpack(data[40:40 + (len(data) - 40) // 32 * 32]):
        time, value, who, extra, more, kind = record
        if kind == PORTION:
            ring, left = who, value
            if extra:
                lost[who] = extra
        elif kind and kind <= CALL_NAME:
            records.append((time, value, who, extra, more, kind, ring if left else 0))
            left -= left > 0
    records.sort(key=lambda record: record[0])
    return {"start": monotonic, "realtime": realtime, "pid": pid, "size": len(data)}, records, sum(lost.values())


class Worker:
    def __init__(self, number, time):
        self.number, self.state, self.since, self.on = number, "ready", time, 0
        self.wait, self.completed, self.ended = None, None, False


class Scheduler:
    def __init__(self, number):
        self.number, self.what, self.name, self.since, self.worker = number, None, "", 0, 0
        self.entries = 0


class Timeline:
    """slices, flows (from, to: a worker's completion and where it went on), names, latencies."""

    def __init__(self, path):
        self.head, records, self.lost = read(path)
        self.slices, self.flows, self.latencies = [], [], []
        self.names, self._texts, self.calls, self.address_calls = {}, {}, {}, {}
        self.workers, self.schedulers, self.carriers = {}, {}, {}
        self.begin = records[0][0] if records else self.head["start"]
        self.end = records[-1][0] if records else self.begin
        for record in records: # names are told after what they name
            if record[5] in (NAME, CALL_NAME):
                self._name(record)
        for record in records:
            self._take(record)
        for scheduler in self.schedulers.values():
            self._close_scheduler(scheduler, self.end)
        for worker in self.workers.values():
            self._close_worker(worker, self.end)

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
                (self.address_calls if who else self.calls)[extra] = text

    def label(self, number):
        name = self.names.get(number)
        return f'{number} "{name}"' if name else str(number)

    def _wait_name(self, record):
        _, value, _, extra, more, kind, _ = record
        if kind in (WAIT_CALL, BLOCK):
            return self.calls.get(extra, "a function of libc's" if extra == 0xFFFFFFFF else f"call {extra}")
        if kind == WAIT_OBJECT:
            text = TYPES[extra] if extra < len(TYPES) else "object"
            return f"{text} {value:#x}" + (f" and {more - 1} more" if more > 1 else "")
        if kind == WAIT_ADDRESS:
            return self.address_calls.get(extra, "address")
        return "Sleep"

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
        if worker.state == "run":
            name = f"scheduler {self.label(worker.on)}"
        else:
            name = worker.wait or "waits" if worker.state == "blocked" else worker.state
        if not worker.ended:
            self.slices.append(Slice("worker", worker.number, worker.state, name, worker.since, time))

    def _worker(self, number, state, time, on=0):
        worker = self.workers.setdefault(number, Worker(number, time))
        self._close_worker(worker, time)
        worker.state, worker.since = state, time
        worker.on = on or worker.on
        return worker

    def _take(self, record):
        time, _, who, extra, more, kind, ring = record
        if kind == EXECUTE:
            worker = self._worker(who, "run", time, ring)
            worker.wait = None
            scheduler = self._scheduler(ring, "run", f"worker {self.label(who)}", time, who)
            scheduler.entries += 1
            if worker.completed is not None:
                self.latencies.append(time - worker.completed)
                self.flows.append((who, worker.completed, ring, time))
                worker.completed = None
        elif kind == LEAVE:
            worker = self.workers.get(who)
            if worker is None or worker.state != "run":
                return
            blocked = worker.wait is not None
            self._worker(who, "blocked" if blocked else "ready", time)
            self._scheduler(ring, "entry", "entry point: " + ("blocked" if blocked else "yield"), time)
        elif kind in (WAIT_CALL, WAIT_OBJECT, WAIT_ADDRESS, WAIT_TIME):
            self.workers.setdefault(who, Worker(who, time)).wait = self._wait_name(record)
        elif kind == BLOCK:
            worker = self._worker(who, "blocked", time)
            worker.wait = self._wait_name(record)
            if worker.on:
                self._scheduler(worker.on, "hand-over", f"{worker.wait} of worker {self.label(who)}", time)
        elif kind == COMPLETE:
            worker = self._worker(who, "ready", time)
            worker.completed = time
        elif kind == BIRTH:
            self.workers[who] = Worker(who, time)
        elif kind == END:
            worker = self.workers.get(who)
            if worker:
                self._close_worker(worker, time)
                worker.ended = True
                self._scheduler(ring, "entry", "entry point: blocked", time)
        elif kind == LOAD:
            scheduler = self.schedulers.get(who)
            if extra in self.carriers and self.carriers[extra][0] == who:
                return
            for tid, (carried, since) in list(self.carriers.items()):
                if carried == who or tid == extra:
                    self.slices.append(Slice("carrier", tid, "run", f"scheduler {self.label(carried)}", since, time))
                    del self.carriers[tid]
            self.carriers[extra] = who, time
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
    for part in timeline.slices:
        yield {"ph": "X", "name": part.name, "cat": part.what, "pid": PROCESSES[part.kind], "tid": part.number,
               "ts": (part.start - begin) / 1e3, "dur": (part.end - part.start) / 1e3}
    for index, (worker, completed, _, executed) in enumerate(timeline.flows):
        yield {"ph": "s", "id": index, "name": "goes on", "cat": "flow", "pid": 2, "tid": worker,
               "ts": (completed - begin) / 1e3}
        yield {"ph": "f", "bp": "e", "id": index, "name": "goes on", "cat": "flow", "pid": 2, "tid": worker,
               "ts": (executed - begin) / 1e3}
