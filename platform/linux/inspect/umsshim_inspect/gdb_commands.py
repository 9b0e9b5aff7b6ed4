# SPDX-License-Identifier: MIT
"""gdb_commands.py - info ums, ums bt, ums thread.

libumsshim.so's own script loads this module. A second load does nothing.
"""
import contextlib
import functools

import gdb
import gdb.unwinder

from .gdb_guard import Guard, pass_on_stopped_calls
from .gdb_unwinder import ParkedWorkers
from .gdb_view import View
from .memory import NoLibrary, Unreadable
from .text import STATES

SHORT = {"blocked": "BLOCKED", "ready": "READY", "running": "RUNNING", "queued": "QUEUED",
         "suspended": "STOPPED", "ended": "TERMINATED"}


def in_a_line(function):
    """Turns a failure into the line that gdb prints after a command that did not work."""
    @functools.wraps(function)
    def wrapped(*args):
        try:
            return function(*args)
        except (NoLibrary, Unreadable) as error:
            raise gdb.GdbError(f"umsshim: {error}") from error
    return wrapped


class InfoUms(gdb.Command):
    """Schedulers, completion lists, and workers: what each does and waits for.

info ums                  everything, but workers that have ended
info ums blocked          the workers in a state: blocked, ready, running, queued, suspended, ended
info ums schedulers       schedulers and lists only

Numbers are those of "ums bt" and "ums thread"."""

    def __init__(self, view):
        super().__init__("info ums", gdb.COMMAND_STATUS)
        self._view = view

    def complete(self, _, word):
        return [name for name in [*SHORT, "schedulers"] if name.startswith(word or "")]

    @in_a_line
    def invoke(self, argument, _):
        argument = argument.strip()
        if argument not in ("", "schedulers") and argument not in SHORT:
            raise gdb.GdbError(f'"info ums {argument}": no such state; see "help info ums"')
        describe = self._view.describer()
        lines = []
        if argument in ("", "schedulers"):
            lines += [*describe.schedulers(), *describe.lists()]
        if argument in SHORT:
            lines += describe.workers(lambda worker: worker.state == SHORT[argument])
        elif not argument:
            lines += describe.workers(lambda worker: worker.state != "TERMINATED")
            ended = sum(worker.state == "TERMINATED" for worker in self._view.model.workers)
            lines += [f"{ended} contexts of workers that have ended"] if ended else []
        gdb.write("\n".join(lines or ["none"]) + "\n")


class Ums(gdb.Command):
    """Look at workers of User-Mode Scheduling: ums bt, ums thread. See also info ums."""

    def __init__(self):
        super().__init__("ums", gdb.COMMAND_STACK, gdb.COMPLETE_COMMAND, True)


def context_by_number(model, text):
    try:
        context = model.by_number.get(int(text.split()[-1]))
    except (ValueError, IndexError):
        context = None
    if context is None:
        raise gdb.GdbError(f'no worker or scheduler "{text}"; "info ums" has their numbers')
    if not context.is_scheduler and not context.is_alive:
        raise gdb.GdbError(f"worker {context.number} has no stack: {STATES.get(context.state)}")
    return context


@contextlib.contextmanager
def selected(view, context):
    """Inside, the selected thread shows the context's frames. Afterwards all is as before."""
    before, frame = gdb.selected_thread(), None
    with contextlib.suppress(gdb.error):
        frame = gdb.selected_frame() if before else None
    thread, parked = view.thread_of(context)
    if thread is None and not (parked and before):
        raise gdb.GdbError(f"the thread of worker {context.number} is not here")
    view.forced = context if parked else None
    try:
        (thread or before).switch()
        gdb.invalidate_cached_frames()
        gdb.newest_frame().select()
        yield
    finally:
        view.forced = None
        if before and before.is_valid():
            before.switch()
        gdb.invalidate_cached_frames()
        with contextlib.suppress(gdb.error):
            if frame and frame.is_valid():
                frame.select()


class UmsBacktrace(gdb.Command):
    """The stack of a worker or scheduler, wherever it is.

ums bt N [options of backtrace]      number N of "info ums"
ums bt all [options of backtrace]    of every worker that has a stack

Nothing is run in the process: it works on core files, too. The innermost frame of a worker that is not
running is its thread's, which is parked there."""

    def __init__(self, view):
        super().__init__("ums bt", gdb.COMMAND_STACK)
        self._view = view

    @in_a_line
    def invoke(self, argument, from_tty):
        which, _, options = argument.strip().partition(" ")
        if not which:
            raise gdb.GdbError('whose? "ums bt N" or "ums bt all"')
        if which != "all":
            self._print(context_by_number(self._view.model, which), options)
            return
        for worker in self._view.model.workers:
            if worker.is_alive and worker.state != "STARTING":
                try:
                    self._print(worker, options)
                except gdb.GdbError as error:
                    gdb.write(f"{error}\n")
                gdb.write("\n")

    def _print(self, context, options):
        describe = self._view.describer()
        does = describe.scheduler_does(context) if context.is_scheduler else \
            f"{STATES.get(context.state)} {describe.what_it_does(context)}"
        with selected(self._view, context):
            gdb.write(f"{describe.who(context)}: {does}\n")
            gdb.execute(f"backtrace {options}")


class UmsThread(gdb.Command):
    """Selects the thread that shows a worker's frames: backtrace, frame, info locals, print go by it.

ums thread N      number N of "info ums"
"""

    def __init__(self, view):
        super().__init__("ums thread", gdb.COMMAND_STACK)
        self._view = view

    @in_a_line
    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError('which? "ums thread N"')
        context = context_by_number(self._view.model, argument)
        thread, _ = self._view.thread_of(context)
        if thread is None:
            raise gdb.GdbError(f'the thread of worker {context.number} is not here; "ums bt {context.number}" '
                               "may do")
        thread.switch()
        frame = first_of_program(self._view.model, gdb.newest_frame())
        frame.select()
        describe = self._view.describer()
        does = describe.scheduler_does(context) if context.is_scheduler else \
            f"{STATES.get(context.state)} {describe.what_it_does(context)}"
        gdb.write(f"{describe.who(context)}: {does}\n[thread {thread.num}, LWP {thread.ptid[1]}]\n")
        gdb.execute("frame")


def first_of_program(model, newest):
    """The innermost frame that is not the library's own."""
    start, end = model.code
    frame = newest
    while frame is not None and start <= frame.pc() < end:
        frame = frame.older()
    return frame or newest


def load():
    """The script beside the library calls this. Only the first call in a gdb has an effect."""
    if getattr(gdb, "umsshim_view", None) is None:
        gdb.umsshim_view = view = View()
        InfoUms(view)
        Ums()
        UmsBacktrace(view)
        UmsThread(view)
        gdb.unwinder.register_unwinder(None, ParkedWorkers(view), replace=True)
        pass_on_stopped_calls()
        guard = Guard(view)
        gdb.events.stop.connect(lambda _: guard.look())
        gdb.umsshim_guard = guard
    gdb.umsshim_guard.look()
    gdb.umsshim_view.name_threads() # of a core file, or a process that was attached to
