# SPDX-License-Identifier: MIT
"""binary.py - the calls that a compiled file leaves to others: ELF, COFF and PE of 64 bits or 32, and archives.

Each function gives (name, module) pairs; module is the DLL of a PE's import, else ''. A file that is cut off or
damaged raises Damaged.
"""
import struct

SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
COFF_MACHINES = (0x8664, 0x14c, 0xaa64)
COFF_SYMBOL, EXTERNAL = 18, 2


class Damaged(Exception):
    pass


def _at(layout, data, offset):
    try:
        return struct.unpack_from("<" + layout, data, offset)
    except struct.error:
        raise Damaged("it ends where there should be more") from None


def _text(data, offset):
    end = data.find(b"\0", offset)
    if not 0 <= offset < len(data) or end < 0:
        raise Damaged("a name of it lies outside")
    return data[offset:end].decode("utf-8", "replace")


def elf_calls(data):
    """Symbols that it does not define."""
    if data[4] != 2:
        raise Damaged("it is an ELF file of 32 bits")
    table, = _at("Q", data, 40)
    size, count = _at("HH", data, 58)
    sections = [_at("IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    for section in sections:
        if section[1] not in SYMBOL_TABLES or section[6] >= count:
            continue
        offset, length, names = section[4], section[5], sections[section[6]][4]
        for at in range(offset + 24, offset + length, 24):
            name, info, _, index = _at("IBBH", data, at)
            if index == 0 and info >> 4 in (1, 2) and name:
                yield _text(data, names + name).split("@")[0], ""


def coff_calls(data):
    """Symbols of an object that it does not define."""
    symbols, count = _at("II", data, 8)
    names = symbols + count * COFF_SYMBOL
    index = 0
    while index < count:
        at = symbols + index * COFF_SYMBOL
        value, section, _, kind, more = _at("IhHBB", data, at + 8)
        if section == 0 and kind == EXTERNAL and value == 0:
            zeroes, offset = _at("II", data, at)
            name = _text(data, names + offset) if zeroes == 0 else data[at:at + 8].rstrip(b"\0").decode("utf-8", "replace")
            yield name.removeprefix("__imp_"), ""
        index += 1 + more


class _Pe:
    def __init__(self, data):
        self.data = data
        head, = _at("I", data, 60)
        if data[head:head + 4] != b"PE\0\0":
            raise Damaged("it is a program for DOS")
        sections, = _at("H", data, head + 6)
        optional, = _at("H", data, head + 20)
        self.wide = _at("H", data, head + 24)[0] == 0x20b
        self.directories = head + 24 + (112 if self.wide else 96)
        first = head + 24 + optional
        self.sections = [_at("IIII", data, first + 40 * i + 8) for i in range(sections)] # size, rva, raw size, raw

    def offset(self, rva):
        for size, start, raw_size, raw in self.sections:
            if start <= rva < start + max(size, raw_size):
                return raw + rva - start
        raise Damaged("an address of it lies in no section")

    def text(self, rva):
        return _text(self.data, self.offset(rva))

    def names(self, table, module):
        step, ordinal = (8, 1 << 63) if self.wide else (4, 1 << 31)
        at = self.offset(table)
        while True:
            entry, = _at("Q" if self.wide else "I", self.data, at)
            if not entry:
                return
            yield (f"ordinal {entry & 0xffff}" if entry & ordinal else self.text(entry + 2)), module
            at += step

    def calls(self):
        imports, = _at("I", self.data, self.directories + 8)
        delayed, = _at("I", self.data, self.directories + 8 * 13)
        if imports:
            at = self.offset(imports)
            while (row := _at("IIIII", self.data, at))[3]:
                yield from self.names(row[0] or row[4], self.text(row[3]))
                at += 20
        if delayed:
            at = self.offset(delayed)
            while (row := _at("IIIIIIII", self.data, at))[1]:
                yield from self.names(row[4], self.text(row[1]))
                at += 32


def archive_calls(data):
    """Of all members, but for what one of them leaves to another."""
    at = 8
    while at + 60 <= len(data):
        try:
            size = int(data[at + 48:at + 58])
        except ValueError:
            raise Damaged("a member of it has no size") from None
        member = data[at + 60:at + 60 + size]
        if is_binary(member):
            yield from calls(member)
        at += 60 + size + size % 2


def is_binary(data):
    return data[:4] == b"\x7fELF" or data[:2] == b"MZ" or data[:8] == b"!<arch>\n" or \
        len(data) >= 20 and struct.unpack_from("<H", data)[0] in COFF_MACHINES


def calls(data):
    if data[:4] == b"\x7fELF":
        return elf_calls(data)
    if data[:8] == b"!<arch>\n":
        return archive_calls(data)
    if data[:2] == b"MZ":
        return _Pe(data).calls()
    return coff_calls(data)
