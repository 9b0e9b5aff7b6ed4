# SPDX-License-Identifier: MIT
"""gdb_unwinder.py - frames of workers that no kernel thread carries.

A worker that is not running is its saved registers, on its own stack. Its kernel thread, its home, is parked
on the upper end of that stack, with the same thread pointer. So the home is where gdb shows the worker: this
unwinder says that the innermost frame of a home, in which it is parked, was called from where the worker
stands. backtrace, frame, info locals, thread-local variables and "thread apply all" do what they do for any
thread, and nothing is written or run in the process, which may be a core file.
"""
import gdb
from gdb.unwinder import Unwinder


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class ParkedWorkers(Unwinder):
    """view: the state of the extension, which knows the workers (gdb_view.py)."""

    def __init__(self, view):
        super().__init__("umsshim: parked workers")
        self._view = view
        self._type = None

    def __call__(self, pending):
        try:
            if pending.level() != 0:
                return None
            worker = self._worker(pending)
            if worker is None:
                return None
            return self._unwind(pending, worker)
        except (gdb.error, gdb.MemoryError, ValueError):
            return None # not the time to complain: gdb unwinds as ever

    def _worker(self, pending):
        forced = self._view.forced
        if forced is not None:
            return forced
        parked = self._view.parked()
        if not parked:
            return None
        worker = parked.get(int(pending.read_register("fs_base")) & 0xFFFFFFFFFFFFFFFF)
        if worker is None:
            return None
        # Elsewhere than in our own code the home is on an errand: its frames are what matters.
        start, end = self._view.model.code
        return worker if start <= int(pending.read_register("pc")) & 0xFFFFFFFFFFFFFFFF < end else None

    def _unwind(self, pending, worker):
        if self._type is None:
            self._type = gdb.lookup_type("unsigned long")
        registers = worker.registers()
        # The worker's stack is the lower end, so the frame's name has to be lower still.
        info = pending.create_unwind_info(FrameId(gdb.Value(worker.fields.plat_sp).cast(self._type),
                                                  pending.read_register("pc")))
        for name, value in registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(self._type))
        return info
