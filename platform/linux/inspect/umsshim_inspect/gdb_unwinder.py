# SPDX-License-Identifier: MIT
"""gdb_unwinder.py - frames of workers that no kernel thread carries.

A worker that does not run has its saved registers on its own stack. Its home, a kernel thread, is parked
on the upper end of that stack, with the same thread pointer. So gdb shows the worker at its home: this unwinder
says that the home's innermost frame, in which the home is parked, was called from the place where the worker goes
on. So backtrace, frame, info locals, thread-local variables and "thread apply all" work as for any thread. The
unwinder writes and runs nothing in the process, which may be a core file.
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
        # Outside the library's code the home makes an errand: then gdb is to show the home's own frames.
        start, end = self._view.model.code
        return worker if start <= int(pending.read_register("pc")) & 0xFFFFFFFFFFFFFFFF < end else None

    def _unwind(self, pending, worker):
        if self._type is None:
            self._type = gdb.lookup_type("unsigned long")
        registers = worker.registers()
        # A frame's id has to be lower than its caller's, and the worker uses the lower end of the stack.
        info = pending.create_unwind_info(FrameId(gdb.Value(worker.fields.plat_sp).cast(self._type),
                                                  pending.read_register("pc")))
        for name, value in registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(self._type))
        return info
