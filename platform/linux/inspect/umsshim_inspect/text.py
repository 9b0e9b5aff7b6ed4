# SPDX-License-Identifier: MIT
"""text.py - the model in lines for people."""
import time

from .memory import Unreadable
from .waits import wait_of

STATES = {
    "EMPTY": "no thread", "STARTING": "starting", "QUEUED": "queued", "READY": "ready", "RUNNING": "running",
    "BLOCKED": "blocked", "STOPPED": "suspended", "EXITING": "ending", "TERM_QUEUED": "ended, queued",
    "TERMINATED": "ended", "ZOMBIE": "deleted, queued",
}


REASONS = ["startup", "a worker blocked or ended", "a worker yielded"]
OFF_PROCESSOR = ("BLOCKED", "QUEUED", "READY", "STOPPED")


def monotonic():
    """Milliseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000000


def signed(value):
    """The difference of two times of 32 bits."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def seconds(milliseconds):
    """A duration, short."""
    value = milliseconds / 1e3
    return f"{value:.3f} s" if value < 10 else f"{value:.0f} s" if value < 6000 else f"{value / 3600:.1f} h"


class Describer:
    """live: the process runs now. Else (a core file) the last time of the engine's clock stands for now.
    symbol(address): the name of a function. descriptor(number): the file of a descriptor."""

    def __init__(self, model, live=True, symbol=hex, descriptor=lambda number: ""):
        self.model, self.symbol, self.descriptor = model, symbol, descriptor
        self.now = monotonic() if live else model.clock()

    def who(self, context):
        kind = "scheduler" if context.is_scheduler else "worker"
        return f'{kind} {context.number}' + (f' "{context.name}"' if context.name else "")

    def wait(self, found):
        text = found.text
        if found.descriptor is not None:
            target = self.descriptor(found.descriptor)
            text += f" [{target}]" if target else ""
        if found.owners:
            text += ", held by " + ", ".join(self.owner(owner) for owner in found.owners)
        if found.until is not None:
            left = signed(found.until // 1000000 - self.now)
            text += f", {seconds(left)} left" if left >= 0 else f", due {seconds(-left)} ago"
        return text

    def away(self, worker):
        """Milliseconds, at most, since the worker left its processor or was created; None: it runs."""
        if worker.state not in OFF_PROCESSOR or not worker.fields.plat_left_at:
            return None
        return max(signed(self.now - worker.fields.plat_left_at), 0)

    def age(self, worker):
        away = self.away(worker)
        return "" if away is None else seconds(away)

    def owner(self, owner):
        if not owner.context:
            return f"thread {owner.tid}"
        state = "" if owner.context.is_scheduler else f" ({STATES.get(owner.context.state, owner.context.state)})"
        return self.who(owner.context) + state

    def what_it_does(self, worker):
        """Why the worker is in its state, and for what."""
        state, model = worker.state, self.model
        text = f"suspended {worker.suspended} times; " if worker.suspended else ""
        if state == "RUNNING":
            scheduler, carrier = worker.scheduler, worker.carrier
            text += f"on {self.who(scheduler)}" if scheduler else ""
            text += f", thread {carrier.tid}" if carrier else ""
        elif state == "BLOCKED":
            try:
                found = wait_of(worker)
            except Unreadable:
                found = None
            text += self.wait(found) if found else "until the library has done something for it"
            if worker.waits_in_kernel and worker.carrier:
                text += f", in the kernel on thread {worker.carrier.tid}"
        elif state in ("QUEUED", "TERM_QUEUED", "ZOMBIE"):
            found = worker.queued_on
            text += f"on completion list {found.number}" if found else "on a deleted completion list"
        elif state == "READY":
            text += "waits to be executed"
        if state != "RUNNING" and worker.fields.plat_signals_at_home:
            text += f"; a signal handler runs on its own thread, {worker.tid}"
        return text[:-2] if text.endswith("; ") else text

    def scheduler_does(self, scheduler):
        model, runs = self.model, scheduler.runs
        carrier = scheduler.carrier
        on = f"thread {carrier.tid}" if carrier else \
            f"its own thread, {scheduler.tid}" if not scheduler.fields.plat_runs_hosted else ""
        if scheduler.fields.plat_runs_hold & 1:
            text = f"held by a signal handler on its own thread, {scheduler.tid}"
            return text + (f"; runs {self.who(runs)} on {on}" if runs else "")
        if runs:
            return f"runs {self.who(runs)} on {on}"
        if not on:
            return "waits for a carrier"
        try:
            found = wait_of(scheduler)
        except Unreadable:
            found = None
        if found and found.list:
            return f"idle: waits for {found.text} on {on}"
        if found:
            return f"its entry point waits: {self.wait(found)}, on {on}"
        return f"in its entry point, on {on}"

    def thread_names(self):
        """The names of contexts, by the thread id of their carrier."""
        names = {}
        for scheduler in self.model.schedulers:
            carrier, runs = scheduler.carrier, scheduler.runs
            if carrier:
                names[carrier.tid] = self.who(scheduler) + (f": {self.who(runs)}" if runs else "")
        for worker in self.model.workers:
            if worker.waits_in_kernel and worker.carrier:
                names[worker.carrier.tid] = f"{self.who(worker)} in a system call"
        for carriers in self.model.idle_carriers().values():
            for carrier in carriers:
                names.setdefault(carrier.tid, "idle carrier")
        return names

    def schedulers(self):
        model = self.model
        for scheduler in model.schedulers:
            lane = model.read(model.lane, scheduler.fields.plat_lane)
            arrivals = model.list_of.get(scheduler.list)
            text = f"scheduler {scheduler.number:<5} thread {scheduler.tid}"
            text += f", processor {lane.cpu}" if lane else ""
            text += f', "{scheduler.name}"' if scheduler.name else ""
            text += f", list {arrivals.number}" if arrivals else ""
            text += f", entered {model.activations(scheduler)} times"
            yield f"{text}: {self.scheduler_does(scheduler)}"

    def lists(self):
        for found in self.model.lists:
            numbers = " ".join(str(context.number) for context in found.queued[:20])
            more = f" and {len(found.queued) - 20} more" if len(found.queued) > 20 else ""
            text = f"{len(found.queued)} queued, the newest first: {numbers}{more}" if numbers else "empty"
            yield f"list {found.number:<10} {text}"

    def workers(self, wanted=lambda worker: True):
        for worker in self.model.workers:
            if not wanted(worker):
                continue
            state = STATES.get(worker.state, worker.state)
            name = f' "{worker.name}"' if worker.name else ""
            start = self.symbol(worker.thread.begin_start) if worker.thread and worker.thread.begin_start else ""
            does = self.what_it_does(worker)
            yield (f"worker {worker.number:<8} {state:<10} {self.age(worker):>8}  {start}{name}"
                   + (f": {does}" if does else "")).rstrip()
