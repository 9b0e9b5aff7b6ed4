# SPDX-License-Identifier: MIT
"""memory.py - the memory of a process, and the library's mark in it.

A memory has read(address, size), which gives bytes or raises Unreadable.
"""
import os
import struct

SYMBOL = b"umsshim_layout"


class Unreadable(Exception):
    """The memory has no bytes at the address, or fewer than asked for."""


class NoLibrary(Exception):
    """The process has not loaded umsshim, or an umsshim that does not tell its layout."""


class ProcessMemory:
    """Another process's memory, by /proc/PID/mem. Its owner and root may read it. The process runs on meanwhile."""

    def __init__(self, pid):
        self.pid = pid
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)

    def read(self, address, size):
        try:
            data = os.pread(self._file, size, address)
        except (OSError, OverflowError) as error:
            raise Unreadable(f"{address:#x}") from error
        if len(data) != size:
            raise Unreadable(f"{address:#x}")
        return data

    def close(self):
        os.close(self._file)


def mappings(pid):
    """(start, end, offset, path) of each mapping of a file."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            words = line.rstrip("\n").split(None, 5)
            if len(words) == 6 and words[5].startswith("/"):
                start, end = (int(word, 16) for word in words[0].split("-"))
                yield start, end, int(words[2], 16), words[5]


def find_layout(pid, memory):
    """The address of the library's mark. The function finds it in memory, so a file that was replaced meanwhile, or
    lies in a container, makes no difference."""
    found = False
    for _, base in sorted({(path, start) for start, _, offset, path in mappings(pid)
                           if offset == 0 and os.path.basename(path).startswith("libumsshim.so")}):
        found = True
        try:
            address = _symbol(memory, base, SYMBOL)
        except (Unreadable, struct.error):
            continue
        if address:
            return address
    raise NoLibrary(f"process {pid} has loaded a libumsshim.so that does not tell its layout" if found
                    else f"process {pid} has not loaded libumsshim.so")


PT_LOAD, PT_DYNAMIC = 1, 2
DT_STRTAB, DT_SYMTAB, DT_GNU_HASH = 5, 6, 0x6FFFFEF5


def _symbol(memory, base, name):
    """The address of a dynamic symbol of the module that begins at `base`, or 0."""
    header = memory.read(base, 64)
    if header[:4] != b"\x7fELF":
        return 0
    table, = struct.unpack_from("<Q", header, 32)
    entry_bytes, entries = struct.unpack_from("<HH", header, 54)
    dynamic = bias = None
    for index in range(entries):
        kind, _, offset, address, _, _, size, _ = struct.unpack(
            "<IIQQQQQQ", memory.read(base + table + index * entry_bytes, 56))
        if kind == PT_LOAD and offset == 0:
            bias = base - address
        elif kind == PT_DYNAMIC:
            dynamic = address, size
    if dynamic is None or bias is None:
        return 0
    tags = dict(struct.iter_unpack("<QQ", memory.read(bias + dynamic[0], dynamic[1] // 16 * 16)))
    # The dynamic linker has made addresses of these values. If it has not, they are offsets.
    strings, symbols, hashes = (tags[tag] if tags[tag] >= base else tags[tag] + bias
                                for tag in (DT_STRTAB, DT_SYMTAB, DT_GNU_HASH))
    index = _gnu_lookup(memory, hashes, name)
    while index:
        text, _, _, _, value, _ = struct.unpack("<IBBHQQ", memory.read(symbols + index * 24, 24))
        if memory.read(strings + text, len(name) + 1) == name + b"\0":
            return bias + value
        last, = struct.unpack("<I", memory.read(_chain(memory, hashes, index), 4))
        index = 0 if last & 1 else index + 1
    return 0


def _gnu_tables(memory, hashes):
    buckets, first, bloom, _ = struct.unpack("<IIII", memory.read(hashes, 16))
    at = hashes + 16 + bloom * 8
    return buckets, first, at, at + buckets * 4


def _gnu_lookup(memory, hashes, name):
    buckets, _, bucket_at, _ = _gnu_tables(memory, hashes)
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return struct.unpack("<I", memory.read(bucket_at + value % buckets * 4, 4))[0]


def _chain(memory, hashes, index):
    _, first, _, chain_at = _gnu_tables(memory, hashes)
    return chain_at + (index - first) * 4
