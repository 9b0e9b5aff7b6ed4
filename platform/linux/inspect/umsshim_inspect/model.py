# SPDX-License-Identifier: MIT
"""model.py - schedulers, workers, completion lists and carriers, as memory has them at one moment.

A live process may run on meanwhile. So the reader follows each chain up to a bound only, and leaves out what it
cannot read.
"""
from .layout import Layout, text_at, wide_text_at
from .memory import Unreadable

CHAIN = 1 << 18 # the most contexts that can exist
REGISTERS = ("rbx", "rbp", "r12", "r13", "r14", "r15")


class Context:
    """A worker or scheduler. number: its name in reports, the same as long as it lives."""

    def __init__(self, model, number, address, fields):
        self.model, self.number, self.address, self.fields = model, number, address, fields
        self.plat = address + model.plat_offset
        self.state = model.states.get(fields.state, f"state {fields.state}")
        self.is_scheduler = self.state == "SCHEDULER"
        self.tid = fields.plat_tid
        self.list = fields.list
        self.queued_on = None # the completion list that the worker is on
        self._thread = self._name = None

    @property
    def thread(self):
        """Its thread object; None after its end, for then no handle may keep the object."""
        if self._thread is None and self.fields.plat_thread and (self.is_alive or self.is_scheduler):
            self._thread = self.model.read(self.model.thread, self.fields.plat_thread)
        return self._thread

    @property
    def name(self):
        """The text that SetThreadDescription set, or ''."""
        if self._name is None:
            self._name = wide_text_at(self.model.memory, self.thread.description) if self.thread else ""
        return self._name

    @property
    def call(self):
        return self.model.call.within(self.model.contexts_data, self.address - self.model.contexts_base
                                      + self.model.call_offset)

    @property
    def suspended(self):
        """Its suspend count."""
        return self.fields.stop & self.model.suspends

    @property
    def is_alive(self):
        return self.state in ("STARTING", "QUEUED", "READY", "RUNNING", "BLOCKED", "STOPPED")

    @property
    def waits_in_kernel(self):
        """Whether its carrier sleeps in a page fault or a lent call, with the worker's stack loaded."""
        return self.state == "BLOCKED" and self.fields.plat_kernel_at != 0

    @property
    def is_parked(self):
        """Whether no thread runs on its stack: then the saved registers tell where it goes on."""
        return (self.state in ("QUEUED", "READY", "BLOCKED", "STOPPED") and not self.waits_in_kernel
                and self.fields.plat_sp != 0)

    @property
    def scheduler_address(self):
        plat = self.fields.plat_scheduler
        return plat - self.model.plat_offset if plat else 0

    @property
    def scheduler(self):
        return self.model.by_address.get(self.scheduler_address)

    @property
    def carrier(self):
        """The carrier that has it loaded, or None."""
        model = self.model
        if self.is_scheduler:
            return model.read(model.carrier, self.fields.plat_runs_carrier)
        if self.waits_in_kernel:
            return model.read(model.carrier, self.fields.plat_kernel_at)
        scheduler = self.scheduler
        return scheduler.carrier if self.state == "RUNNING" and scheduler else None

    @property
    def runs(self):
        """The worker that is loaded on this scheduler, or None."""
        carrier = self.carrier
        return self.model.by_plat.get(carrier.context if carrier else self.fields.plat_runs_worker)

    def registers(self):
        """The registers with which a parked context goes on, by name."""
        model = self.model
        frame = model.frame.at(self.fields.plat_sp)
        found = {name: getattr(frame, name) for name in REGISTERS}
        found["rip"] = frame.rip
        found["rsp"] = self.fields.plat_sp + model.frame_bytes
        return found


class List:
    def __init__(self, model, number, address, fields):
        self.number, self.address, self.event = number, address, fields.event
        self.queued = []
        at = fields.head
        while at and len(self.queued) < CHAIN:
            context = model.by_address.get(at)
            if context is None or context in self.queued[-1:]:
                break
            self.queued.append(context)
            context.queued_on = self
            at = context.fields.list_next


class Model:
    def __init__(self, memory, mark):
        self.memory = memory
        layout = self.layout = Layout(memory, mark)
        self.states = layout.names("state.")
        self.types = layout.names("object_type.")
        self.suspends = layout.number("stop.suspends")
        self.plat_offset = layout.offset("context.plat")
        self.call_offset = self.plat_offset + layout.offset("plat.call")
        self.frame_bytes = layout.size("frame")
        self.code = layout.address("library.start"), layout.address("library.end")
        self._context = layout.record(
            "context", "state stop list_next list",
            [(["context.plat"], "plat", "scheduler sp fs_base kernel_at runs.hosted reason left_at lane runs.carrier "
                                        "runs.worker runs.hold signals.at_home thread tid")])
        self._activations = layout.offset("context.plat") + layout.offset("plat.activations")
        self._clock = layout.address("clock")
        self._arena = layout.record("arena", "base bytes used")
        self._list = layout.record("list", "head live event")
        self.call = layout.record("call", "entry args deadline realtime next watch.given_fd in_flight")
        self._call_row = layout.record("call_row", "nr name told")
        self._call_rows, self._call_row_bytes = layout.variable("call_rows"), layout.size("call_row")
        self.carrier = layout.record("carrier", "context scheduler tid next_idle")
        self.lane = layout.record("lane", "cpu hosting.idle hosting.starving_count readiness.watched.first")
        self.thread = layout.record("thread", "context tid ended description waits_at sleep sitter begin.start")
        self._sitter = layout.record("sitter", "wait")
        self.wait = layout.record("wait", "blocks thread next_at address why count all alertable packets timed "
                                          "timer.deadline")
        self.wait_block = layout.record("wait_block", "object wait next")
        self._waits_at = layout.number("waits_at.bucket"), layout.number("waits_at.time")
        self._waits_for_any = layout.number("waits_at.any")
        self.wait_block_bytes = layout.size("wait_block")
        self.object = layout.record("object", "type signal first name")
        self._bucket = layout.record("bucket", "first")
        self.mutex = layout.record("mutex", "owner abandoned")
        self.semaphore = layout.record("semaphore", "limit")
        self.frame = layout.record("frame", " ".join(REGISTERS) + " rip")
        self._name_text = layout.offset("object_name.text")
        self._slots = layout.number("contexts.slot"), layout.number("lists.slot")
        self._arenas = layout.address("contexts"), layout.address("lists")
        self._handle_rows = (layout.address("handles.pages"), layout.address("handles.used"),
                             layout.number("handles.page"))
        self._names_of_calls = None
        self.threads = None # ids of the process's threads, where they are known
        self.look()

    def look(self):
        """Reads everything anew."""
        slot, list_slot = self._slots
        self._handles = self._watched = self._plain = None
        self._waiters = {}
        arena = self._arena.at(self._arenas[0])
        self.contexts_base = arena.base
        self.contexts_data = self.memory.read(arena.base, arena.used * slot) if arena.base else b""
        self.contexts = []
        for index in range(len(self.contexts_data) // slot):
            fields = self._context.within(self.contexts_data, index * slot)
            if self.states.get(fields.state) != "FREE":
                self.contexts.append(Context(self, index + 1, arena.base + index * slot, fields))
        self.by_address = {context.address: context for context in self.contexts}
        self.by_plat = {context.plat: context for context in self.contexts}
        self.by_number = {context.number: context for context in self.contexts}
        self.by_thread = {context.fields.plat_thread: context for context in self.contexts}
        self.by_tid = {context.tid: context for context in self.contexts
                       if context.is_alive or context.is_scheduler}
        self.schedulers = [context for context in self.contexts if context.is_scheduler]
        self.workers = [context for context in self.contexts if not context.is_scheduler]
        self.lists = []
        arena = self._arena.at(self._arenas[1])
        data = self.memory.read(arena.base, arena.used * list_slot) if arena.base else b""
        for index in range(len(data) // list_slot):
            fields = self._list.within(data, index * list_slot)
            if fields.live:
                self.lists.append(List(self, index + 1, arena.base + index * list_slot, fields))
        self.list_of = {found.address: found for found in self.lists}
        self.list_of_event = {found.event: found for found in self.lists}

    def clock(self):
        """The time of the engine's clock: the low 32 bits of CLOCK_MONOTONIC in milliseconds."""
        return int.from_bytes(self.memory.read(self._clock, 4), "little")

    def activations(self, scheduler):
        """How often the scheduler was entered up to now: 32 bits."""
        return int.from_bytes(self.memory.read(scheduler.address + self._activations, 4), "little")

    def read(self, record, address):
        """A structure, or None if the memory cannot be read."""
        if not address:
            return None
        try:
            return record.at(address)
        except Unreadable:
            return None

    def idle_carriers(self):
        """By lane, for each lane that a scheduler lives in: its carriers, and those that carry no context."""
        found = {}
        for scheduler in self.schedulers:
            address, idle = scheduler.fields.plat_lane, []
            lane = self.read(self.lane, address)
            carrier = self.read(self.carrier, lane.hosting_idle) if lane and address not in found else None
            while carrier and len(idle) < 4096:
                idle.append(carrier)
                carrier = self.read(self.carrier, carrier.next_idle)
            found.setdefault(address, idle)
        return found

    def call_row(self, entry):
        """The system call's name and its column `told`, of a row of traps/calls.def."""
        row = self.read(self._call_row, entry)
        return (text_at(self.memory, row.name), text_at(self.memory, row.told)) if row else ("?", "")

    def call_of_number(self, number):
        """The name of a system call, or its number if the library does not know the call."""
        if self._names_of_calls is None:
            first, size = self._call_rows
            rows = self.memory.read(first, size)
            found = (self._call_row.within(rows, at) for at in range(0, size, self._call_row_bytes))
            self._names_of_calls = {row.nr: text_at(self.memory, row.name) for row in found}
        return self._names_of_calls.get(number, str(number))

    def is_watched(self, address):
        """Whether the poller watches the call, by a duplicate of the call's descriptor."""
        if self._watched is None:
            self._watched = set()
            for lane in {scheduler.fields.plat_lane for scheduler in self.schedulers}:
                lane = self.read(self.lane, lane)
                at = lane.readiness_watched_first if lane else 0
                while at and at not in self._watched:
                    self._watched.add(at)
                    offset = at - self.contexts_base
                    if not 0 <= offset <= len(self.contexts_data) - self.call.bytes:
                        break
                    at = self.call.within(self.contexts_data, offset).next
        return address in self._watched

    def has_thread(self, tid):
        return tid in self.by_tid or (self.threads is not None and tid in self.threads)

    def handles(self):
        """The handles of each object, by the object's address."""
        if self._handles is None:
            self._handles = {}
            pages, used, page = self._handle_rows
            count = int.from_bytes(self.memory.read(used, 8), "little")
            count = min(count, 1 << 24)
            for first in range(0, count, page):
                start = int.from_bytes(self.memory.read(pages + first // page * 8, 8), "little")
                if not start:
                    continue
                data = memoryview(self.memory.read(start, min(page, count - first) * 8)).cast("Q")
                for index, value in enumerate(data):
                    if value and not value & 1:
                        self._handles.setdefault(value, []).append((first + index) * 4)
        return self._handles

    def plain_threads(self):
        """(address, thread object) by thread id, of the plain threads that have a handle."""
        if self._plain is None:
            self._plain = {}
            for address in self.handles():
                found = self.read(self.object, address)
                thread = self.read(self.thread, address) \
                    if found and self.types.get(found.type) == "THREAD" else None
                if thread and not thread.context and not thread.ended:
                    self._plain[thread.tid] = address, thread
        return self._plain

    def wait_of_thread(self, address, thread):
        """The address of the wait that a thread object is in, or 0. waits_at tells which list the wait is on
        (dispatch/waiters.h). The model reads each list once, because it may have many waits."""
        at, (bucket, time) = thread.waits_at, self._waits_at
        if not at or at == time:
            return thread.sleep if at else 0
        if at == self._waits_for_any:
            sitter = self.read(self._sitter, thread.sitter)
            return sitter.wait if sitter else 0
        if at not in self._waiters:
            self._waiters[at] = dict(self._waits_in_bucket(at & ~bucket) if at & bucket else
                                     self._waits_for_object(at))
        return self._waiters[at].get(address, 0)

    def _waits_in_bucket(self, address):
        head = self.read(self._bucket, address)
        at, left = head.first if head else 0, CHAIN
        while at and left:
            wait = self.read(self.wait, at)
            if wait is None:
                break
            yield wait.thread, at
            at, left = wait.next_at, left - 1

    def _waits_for_object(self, address):
        head = self.read(self.object, address)
        at, left = head.first if head else 0, CHAIN
        while at and left:
            block = self.read(self.wait_block, at)
            wait = self.read(self.wait, block.wait) if block else None
            if wait is None:
                break
            yield wait.thread, block.wait
            at, left = block.next, left - 1

    def object_name(self, address):
        return text_at(self.memory, address + self._name_text) if address else ""
