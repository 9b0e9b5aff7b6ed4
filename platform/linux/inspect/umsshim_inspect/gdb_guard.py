# SPDX-License-Identifier: MIT
"""gdb_guard.py - the faults by which the library loads thread pointers again do not stop the program in gdb.

If the kernel does not know wrfsbase, a carrier that was preempted faults in the library's fence, and the library's
handler loads the thread pointer again (thread_pointer.h). So gdb passes SIGSEGV on without a word, and a catchpoint
with a condition stops at all other faults. The guard sets it when gdb first sees a process that has a fence.
"""
import struct

import gdb

from .memory import NoLibrary, Unreadable

CONDITION = "$_ums_is_fault_of_program()"


class IsFaultOfProgram(gdb.Function):
    """Whether the SIGSEGV at which the thread stands is the program's own."""

    def __init__(self, view):
        super().__init__("_ums_is_fault_of_program")
        self._view = view

    def invoke(self):
        try:
            start, size = fence(self._view.model)
            address = int(gdb.parse_and_eval("(unsigned long) $_siginfo._sifields._sigfault.si_addr"))
            return not start <= address < start + size
        except (NoLibrary, Unreadable, gdb.error):
            return True


def fence(model):
    """(address of the fence, its bytes); 0 bytes: there is no fence."""
    def word(name):
        return struct.unpack("<Q", model.layout.memory.read(model.layout.address(name), 8))[0]
    return word("fence"), word("fence_bytes")


def pass_on_stopped_calls():
    """Workers get their stopped calls by SIGSYS. So gdb is not to stop at SIGSYS, unless the user has set that already."""
    if gdb.execute("info signals SIGSYS", to_string=True).count("Yes") == 3:
        gdb.execute("handle SIGSYS nostop noprint pass", to_string=True)


class Guard:
    def __init__(self, view):
        self._view = view
        self._set = False
        IsFaultOfProgram(view)

    def look(self):
        """Sets the guard once, in a process with a fence, unless the user has changed how gdb handles SIGSEGV."""
        if self._set or not self._view.is_live():
            return
        try:
            if not fence(self._view.model)[1]:
                return
        except (NoLibrary, Unreadable, gdb.error):
            return
        self._set = True
        if gdb.execute("info signals SIGSEGV", to_string=True).count("Yes") != 3:
            return
        gdb.execute("handle SIGSEGV nostop noprint pass", to_string=True)
        gdb.execute("catch signal SIGSEGV", to_string=True)
        gdb.execute(f"condition $bpnum {CONDITION}", to_string=True)
