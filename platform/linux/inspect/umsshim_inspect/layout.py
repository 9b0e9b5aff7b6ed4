# SPDX-License-Identifier: MIT
"""layout.py - the places of the library's variables and fields, as its rows tell them (platform/layout.h).

Each reader here names the fields that it wants in a Record. The constructor looks all of them up when it reads the
layout: it refuses a library that lacks a field at once, and names the field.
"""
import struct

from .memory import NoLibrary, Unreadable

VERSION = 1
FIELD, SIZE, NUMBER, ADDRESS, WAIT = range(1, 6)
CODES = {1: "B", 4: "I", 8: "Q"}


class Layout:
    def __init__(self, memory, mark):
        """mark: the address of umsshim_layout."""
        self.memory = memory
        magic, version, row_bytes, first, end = struct.unpack("<8sIIQQ", memory.read(mark, 32))
        if magic != b"UMSINFO\0" or row_bytes < 64 or not first < end < first + (1 << 20):
            raise NoLibrary("the library has not been relocated yet, or is another one")
        if version != VERSION:
            raise NoLibrary(f"the library's layout has version {version}; this program reads {VERSION}: "
                            "use the one that came with the library")
        self._rows, self.waits = {}, {}
        rows = memory.read(first, end - first)
        for at in range(0, len(rows), row_bytes):
            name, value, size, kind = struct.unpack_from("<48sQII", rows, at)
            name = name.rstrip(b"\0").decode("ascii", "replace")
            if kind == WAIT:
                self.waits[value] = name
            elif kind:
                self._rows[name] = kind, value, size

    def _row(self, name, kind):
        row = self._rows.get(name)
        if row is None or row[0] != kind:
            raise NoLibrary(f"the library says nothing of '{name}': it is of another version")
        return row

    def offset(self, name):
        return self._row(name, FIELD)[1]

    def size(self, name):
        return self._row(name, SIZE)[1]

    def number(self, name):
        return self._row(name, NUMBER)[1]

    def address(self, name):
        return self._row(name, ADDRESS)[1]

    def variable(self, name):
        """The variable's address and its bytes."""
        return self._row(name, ADDRESS)[1:]

    def names(self, prefix):
        """Names by number, of all numbers whose name begins with the prefix: states, types."""
        return {value: name[len(prefix):] for name, (kind, value, _) in self._rows.items()
                if kind == NUMBER and name.startswith(prefix)}

    def record(self, name, fields, inside=()):
        return Record(self, name, fields, inside)


class Record:
    """Fields of a structure, read together. `inside`: (field, type, fields) of structures within."""

    def __init__(self, layout, name, fields, inside=()):
        self._memory = layout.memory
        wanted = [(layout._row(f"{name}.{field}", FIELD), 0, field) for field in fields.split()]
        for within, kind, more in inside:
            start = 0
            for step in within:
                start += layout.offset(step)
            wanted += [(layout._row(f"{kind}.{field}", FIELD), start, f"{kind}_{field}")
                       for field in more.split()]
        wanted.sort(key=lambda item: item[1] + item[0][1])
        text, at, self.fields = "<", 0, []
        for (_, offset, size), start, field in wanted:
            text += f"{start + offset - at}x"
            text += CODES[size] if size in CODES else f"{size}s"
            at = start + offset + size
            self.fields.append(field.replace(".", "_"))
        self._struct = struct.Struct(text)
        self.bytes = self._struct.size

    def at(self, address):
        """The structure at an address, as an object with its fields."""
        return self.within(self._memory.read(address, self.bytes), 0)

    def within(self, data, offset):
        return Fields(self.fields, self._struct.unpack_from(data, offset))


class Fields:
    def __init__(self, names, values):
        self.__dict__.update(zip(names, values))


def text_at(memory, address, most=256):
    """The characters up to the first 0."""
    if not address:
        return ""
    data = b""
    while len(data) < most and b"\0" not in data:
        try: # not beyond the page: the next one may not be there
            data += memory.read(address + len(data), 64 - (address + len(data)) % 64)
        except Unreadable:
            break
    return data.split(b"\0")[0][:most].decode("utf-8", "replace")


def wide_text_at(memory, address, most=128):
    """The same for UTF-16."""
    data = b""
    while address and len(data) < 2 * most:
        try:
            pair = memory.read(address + len(data), 2)
        except Unreadable:
            break
        if pair == b"\0\0":
            break
        data += pair
    return data.decode("utf-16-le", "replace")
