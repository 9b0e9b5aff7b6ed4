# SPDX-License-Identifier: MIT
"""why.py - the report about a process that hangs.

The report reads the process's memory, so no code has to run in the process. A process that hangs may be unable to
run any, and one that works is not disturbed. Findings come first:

    circles     threads that wait for each other in a circle. A ready worker waits for its scheduler. A scheduler
                whose entry point waits for a lock waits for the lock's owner
    hogs        a scheduler that was not entered for a while though workers are ready, and its worker: that worker
                computes, or sleeps in a system call that the library does not see
    forgotten   workers that a scheduler took off its list and does not execute, while it sleeps or runs others;
                workers on a list that no scheduler dequeues from
    holders     owners of things that others wait for, if they do not run
"""
import time

from .memory import ProcessMemory, Unreadable, find_layout
from .model import Model
from .process import Activity, Functions, command, descriptor, threads
from .text import REASONS, Describer, STATES, seconds, signed
from .waits import wait_of, wait_of_thread

SAMPLE = 0.1   # seconds between two looks at the running workers
PATIENCE = 500 # milliseconds that are no reason to wonder
STARVED = 3000 # the same, of a ready worker whose scheduler goes on with others


class Edge:
    """A waiter and the target that it waits for, each a context's address or a plain thread's id; and the text."""

    def __init__(self, waiter, target, text):
        self.waiter, self.target, self.text = waiter, target, text


def key(owner):
    return owner.context.address if owner.context else -owner.tid


class Report:
    def __init__(self, pid, every=False):
        self.pid, self.every = pid, every
        self.memory = ProcessMemory(pid)
        mark = find_layout(pid, self.memory)
        self.before = Model(self.memory, mark)
        began = time.monotonic()
        self.activities = self._activities(self.before)
        self.describe = None
        self.tids = threads(pid)
        functions = Functions(pid)
        time.sleep(max(SAMPLE - (time.monotonic() - began), 0))
        self.model = Model(self.memory, mark)
        self.model.threads = self.tids
        self.describe = Describer(self.model, symbol=functions, descriptor=descriptor(pid))
        self.waits = {context.address: self._wait(context) for context in self.model.contexts
                      if context.state == "BLOCKED" or context.is_scheduler}
        self.stuck = {} # schedulers whose entry point waits for something else than arrivals
        for scheduler in self.model.schedulers:
            found = self.waits.get(scheduler.address)
            if found and not found.list and not scheduler.runs:
                self.stuck[scheduler.address] = found

    @staticmethod
    def _wait(context):
        try:
            return wait_of(context)
        except Unreadable:
            return None

    @staticmethod
    def _activities(model):
        found = {}
        for scheduler in model.schedulers:
            runs = scheduler.runs
            found[scheduler.address] = model.activations(scheduler), runs.address if runs else 0
        return found

    # ---- Circles ---------------------------------------------------------------------------------------

    def edges(self):
        """The edges of each waiter. All of them have to go before the waiter goes on."""
        found = {}
        waits = dict(self.waits)
        for tid, (address, thread) in self.model.plain_threads().items():
            waits[-tid] = wait_of_thread(self.model, address, thread)
        for waiter, wait in waits.items():
            if wait is not None and not wait.alternatives:
                for owner in wait.owners:
                    found.setdefault(waiter, []).append(
                        Edge(waiter, key(owner), f"waits for {wait.what}, which %s has"))
        for worker in self.model.workers:
            if worker.state in ("READY", "QUEUED") and worker.scheduler_address in self.stuck:
                found.setdefault(worker.address, []).append(
                    Edge(worker.address, worker.scheduler_address, "has to be executed by %s"))
        return found

    def circles(self):
        """Each circle once, as its edges. Depth first, without recursion: chains may be long."""
        edges, done, found = self.edges(), set(), []
        for start in edges:
            if start in done:
                continue
            path, on_path, choices = [], {start: 0}, [iter(edges[start])]
            while choices:
                edge = next(choices[-1], None)
                if edge is None:
                    choices.pop()
                    done.add(on_path.popitem()[0])
                    if path:
                        path.pop()
                elif edge.target in on_path:
                    found.append(path[on_path[edge.target]:] + [edge])
                elif edge.target in edges and edge.target not in done:
                    path.append(edge)
                    on_path[edge.target] = len(path)
                    choices.append(iter(edges[edge.target]))
        return found

    def name(self, node):
        return self.describe.who(self.model.by_address[node]) if node > 0 else f"thread {-node}"

    def circle_text(self, circle):
        own = [edge for edge in circle if edge.waiter in self.stuck]
        yield ("a scheduler waits for a worker that only a scheduler can execute:" if own else
               "a circle, which nobody leaves:")
        for edge in circle:
            yield f"    {self.name(edge.waiter)} {edge.text % self.name(edge.target)}"
        if own:
            yield "    an entry point must not wait for what a worker may hold: have a plain thread do it"

    # ---- Hogs --------------------------------------------------------------------------------------------

    @staticmethod
    def is_scheduler(context):
        return context is not None and context.is_scheduler

    def work(self, scheduler):
        """(ready, queued): ready workers that this scheduler executed last, and workers on its list. A ready worker
        that no scheduler has executed yet, or whose scheduler has left, is work of each scheduler of its list."""
        ready = [worker for worker in self.model.workers if worker.state == "READY" and
                 (worker.scheduler_address == scheduler.address or
                  worker.list == scheduler.list and not self.is_scheduler(worker.scheduler))]
        arrivals = self.model.list_of.get(scheduler.list)
        return ready, arrivals.queued if arrivals else []

    def hogs(self):
        for scheduler in self.model.schedulers:
            runs = scheduler.runs
            count, ran = self.activities.get(scheduler.address, (None, 0))
            if not runs or ran != runs.address or self.model.activations(scheduler) != count:
                continue
            ready, queued = self.work(scheduler)
            waits = max((self.describe.away(worker) or 0 for worker in ready), default=0)
            if not queued and waits < PATIENCE:
                continue # another scheduler of this list may be about to execute them
            carrier = scheduler.carrier
            tid = self.tids.get(carrier.tid if carrier else scheduler.tid)
            doing = Activity(self.pid, tid) if tid else None
            text = (f"{self.describe.who(runs)} keeps {self.describe.who(scheduler)} busy, while "
                    f"{len(ready)} ready and {len(queued)} queued workers wait")
            if waits >= PATIENCE:
                text += f", the longest for {seconds(waits)}"
            if doing and doing.state == "R":
                text += ": it computes, and does not yield"
            elif doing and doing.call is not None:
                text += f": it sleeps in system call {self.model.call_of_number(doing.call)}, which nobody sees"
            yield text

    # ---- Forgotten ---------------------------------------------------------------------------------------

    def workers(self, workers):
        """"worker 3", "2 workers (3, 4)"."""
        return f"worker {workers[0].number}" if len(workers) == 1 else \
            f"{len(workers)} workers ({self.numbers(workers)})"

    def numbers(self, workers):
        text = ", ".join(str(worker.number) for worker in workers[:8])
        return text + (f" and {len(workers) - 8} more" if len(workers) > 8 else "")

    def old(self, worker):
        away = self.describe.away(worker)
        return away is not None and away >= PATIENCE

    def starves(self, worker):
        """The workers' ages come from the engine's own clock, which may stand while all schedulers are busy: then no age
        is known."""
        away = self.describe.away(worker)
        return away is not None and signed(self.model.clock() - worker.fields.plat_left_at) >= STARVED

    def forgotten(self):
        for scheduler in self.model.schedulers:
            found = self.waits.get(scheduler.address)
            if self.model.activations(scheduler) != self.activities.get(scheduler.address, (None, 0))[0]:
                does, late = "goes on with others", self.starves
            elif not scheduler.runs and found and found.list:
                does, late = "sleeps", self.old
            else:
                continue
            ready = [worker for worker in self.work(scheduler)[0]
                     if late(worker) and not worker.suspended]
            if ready:
                yield (f"{self.describe.who(scheduler)} {does}, and does not execute what it was given: "
                       f"{self.workers(ready)}, ready for {self.describe.age(ready[0])}")
        asked = {found.list.address for found in self.waits.values() if found and found.list}
        asked |= {scheduler.list for scheduler in self.model.schedulers if scheduler.address not in self.stuck}
        for arrivals in self.model.lists:
            old = [worker for worker in arrivals.queued if self.old(worker)]
            if old and arrivals.address not in asked:
                yield f"nobody takes workers off list {arrivals.number}: {self.numbers(old)}"

    # ---- Holders -----------------------------------------------------------------------------------------

    def holders(self, in_circles):
        waiting = {}
        for address, wait in self.waits.items():
            for owner in wait.owners if wait else ():
                if wait.what and owner.context and owner.context.state not in ("RUNNING", "SCHEDULER"):
                    waiting.setdefault((owner.context.address, wait.what), []).append(
                        self.model.by_address[address])
        for (address, what), waiters in waiting.items():
            holder = self.model.by_address[address]
            if address in in_circles or not self.old(holder):
                continue
            does = self.describe.what_it_does(holder)
            yield (f"{self.describe.who(holder)} has {what}, for which {self.workers(waiters)} "
                   f"wait{'s' * (len(waiters) == 1)}, and is {STATES[holder.state]}: {does}")

    # ---- The whole ---------------------------------------------------------------------------------------

    def findings(self):
        in_circles = set()
        for circle in self.circles():
            in_circles |= {edge.waiter for edge in circle}
            yield from self.circle_text(circle)
        yield from self.hogs()
        yield from self.forgotten()
        yield from self.holders(in_circles)

    def lines(self):
        model = self.model
        states = {}
        for worker in model.workers:
            states[worker.state] = states.get(worker.state, 0) + 1
        counts = ", ".join(f"{count} {STATES.get(state, state)}" for state, count in sorted(states.items()))
        yield f"process {self.pid} ({command(self.pid)}): {len(model.schedulers)} schedulers; workers: {counts or 'none'}"
        findings = list(self.findings())
        yield ""
        yield "What stands out:" if findings else "Nothing stands out."
        yield from (f"  {line}" if line.startswith(" ") else f"  * {line}" for line in findings)
        yield ""
        for scheduler, line in zip(model.schedulers, self.describe.schedulers()):
            ready, queued = self.work(scheduler)
            blocked = sum(worker.state == "BLOCKED" and worker.scheduler_address == scheduler.address
                          for worker in model.workers)
            yield line
            reason = scheduler.fields.plat_reason
            yield (f"    last entered because of {REASONS[reason] if reason < len(REASONS) else reason}; "
                   f"its workers: {len(ready)} ready, {len(queued)} queued, {blocked} blocked")
        yield from self.describe.lists()
        yield ""
        yield from self.worker_lines()

    def worker_lines(self):
        alive = [worker for worker in self.model.workers if worker.is_alive]
        if self.every or len(alive) <= 60:
            yield from self.describe.workers(lambda worker: worker.is_alive)
            return
        groups = {}
        for worker in alive:
            wait = self.waits.get(worker.address)
            start = self.describe.symbol(worker.thread.begin_start) if worker.thread else ""
            key = STATES.get(worker.state, worker.state), start, wait.text.split("(0x")[0] if wait else ""
            groups.setdefault(key, []).append(worker)
        for (state, start, wait), workers in sorted(groups.items(), key=lambda item: -len(item[1])):
            longest = max((self.describe.away(worker) or 0 for worker in workers), default=0)
            yield (f"{len(workers):>6} {state:<10} {start}{': ' + wait if wait else ''}; "
                   f"longest {seconds(longest)}; {self.numbers(workers)}")
        yield "(--all: each of them)"


def report(pid, every=False):
    return "\n".join(Report(pid, every).lines()) + "\n"
