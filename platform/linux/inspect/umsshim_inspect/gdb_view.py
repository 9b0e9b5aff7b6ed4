# SPDX-License-Identifier: MIT
"""gdb_view.py - the model of gdb's inferior: read once, and again when the process has moved."""
import gdb

from .memory import NoLibrary, Unreadable
from .model import Model
from .text import Describer


class InferiorMemory:
    """The memory of a process as gdb reads it, or of a core file and the files mapped in that process."""

    def read(self, address, size):
        if not size:
            return b""
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size))
        except (gdb.error, OverflowError, ValueError) as error:
            raise Unreadable(f"{address:#x}") from error


class View:
    def __init__(self):
        self.forced = None # a worker that the unwinder shows on whatever thread is selected
        self._model = self._parked = self._symbols = self._failed = None
        self._named = {}
        for event in (gdb.events.cont, gdb.events.exited, gdb.events.memory_changed, gdb.events.new_objfile,
                      gdb.events.clear_objfiles):
            event.connect(self._moved)
        gdb.events.stop.connect(self._stopped)

    def _moved(self, _):
        self._model = self._parked = self._failed = None

    def _stopped(self, event):
        self._moved(event)
        self.name_threads()

    @property
    def model(self):
        """The model of the selected inferior. Raises NoLibrary, with the reason, if there is none."""
        if self._failed:
            raise self._failed
        if self._model is None:
            try:
                self._model = Model(InferiorMemory(), self._mark())
                self._model.threads = {thread.ptid[1] for thread in gdb.selected_inferior().threads()}
            except (NoLibrary, Unreadable) as error:
                self._failed = error if isinstance(error, NoLibrary) else \
                    NoLibrary("the library's memory cannot be read")
                raise self._failed from error
        return self._model

    @staticmethod
    def _mark():
        if not gdb.selected_inferior().pid:
            raise NoLibrary("there is no process and no core file")
        try:
            return int(gdb.parse_and_eval("(unsigned long) &umsshim_layout"))
        except gdb.error as error:
            raise NoLibrary("the program has not loaded libumsshim.so") from error

    def parked(self):
        """The workers that no thread runs, by thread pointer."""
        if self._parked is None:
            try:
                self._parked = {worker.fields.plat_fs_base: worker for worker in self.model.workers
                                if worker.is_parked}
            except NoLibrary:
                self._parked = {}
        return self._parked

    # ---- Facts that gdb knows and memory has not ----------------------------------------------------------

    def symbol(self, address):
        if self._symbols is None:
            self._symbols = {}
        if address not in self._symbols:
            text = gdb.execute(f"info symbol {address:#x}", to_string=True)
            self._symbols[address] = text.split(" in section")[0].replace(" + 0", "") if "No symbol" not in text \
                else hex(address)
        return self._symbols[address]

    @staticmethod
    def is_live():
        return gdb.selected_inferior().connection is not None and \
            gdb.selected_inferior().connection.type == "native"

    def describer(self):
        return Describer(self.model, self.is_live(), self.symbol)

    def threads(self):
        """gdb's threads, by the kernel's thread ids."""
        return {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}

    def name_threads(self):
        """Gives each carrier the name of the context that it carries. A name that the user has given stays."""
        try:
            names = self.describer().thread_names()
        except (NoLibrary, gdb.error):
            return
        for tid, thread in self.threads().items():
            key = thread.ptid
            ours = self._named.get(key)
            name = names.get(tid)
            if name and (ours == thread.name or not ours):
                thread.name = self._named[key] = name
            elif ours and ours == thread.name:
                thread.name = None
                del self._named[key]

    def thread_of(self, context):
        """(gdb's thread that shows the context's frames, whether the unwinder has to be forced there)."""
        threads = self.threads()
        if context.is_parked:
            return threads.get(context.tid), True
        carrier = context.carrier
        return threads.get(carrier.tid if carrier else context.tid), False
