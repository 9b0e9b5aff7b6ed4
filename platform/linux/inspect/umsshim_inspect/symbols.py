# SPDX-License-Identifier: MIT
"""symbols.py - the names of the return addresses in a trace, by the files that the program had loaded.

For a file that is not here, or is no ELF file, the name is the file's name and the place in it. A trace may name any
file, and a pipe or a device may have no end: so this module reads regular files only.
"""
import bisect
import ntpath
import os
import struct

from .process import symbols_of


class Symbols:
    def __init__(self, modules):
        """modules: (address, bytes, path)."""
        self._modules = sorted(modules)
        self._files = {}

    def _file(self, path):
        if path not in self._files:
            try:
                self._files[path] = symbols_of(path) if os.path.isfile(path) else ([], [])
            except (OSError, struct.error, IndexError, ValueError):
                self._files[path] = [], []
        return self._files[path]

    def text(self, address):
        """The function that has the call. The address is the one after the call."""
        at = bisect.bisect_right(self._modules, (address - 1, 1 << 64, "")) - 1
        if at < 0 or address > self._modules[at][0] + self._modules[at][1]:
            return hex(address)
        base, _, path = self._modules[at]
        loads, functions = self._file(path)
        virtual = address - 1 - base + (min(load[1] for load in loads) // 4096 * 4096 if loads else 0)
        found = bisect.bisect_right(functions, (virtual, "\U0010ffff")) - 1
        if found >= 0:
            return f"{functions[found][1]}+{virtual + 1 - functions[found][0]:#x}"
        return f"{ntpath.basename(path)}+{address - base:#x}"
