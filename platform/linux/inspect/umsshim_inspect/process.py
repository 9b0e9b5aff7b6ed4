# SPDX-License-Identifier: MIT
"""process.py - facts about another process from the kernel: names, threads, descriptors, functions."""
import bisect
import os
import struct

from .memory import mappings


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def command(pid):
    return read(f"/proc/{pid}/comm").strip() or "?"


def own_pid(pid):
    """The process's id as the process itself sees it: in a container this is another number."""
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return pid


def task_names(pid):
    """The names of the process's threads. A thread that ends meanwhile may make the kernel leave others out of a list:
    so this function reads lists until one is whole, or twenty."""
    folder = f"/proc/{pid}/task"
    for _ in range(20):
        names = os.listdir(folder)
        counted = os.stat(folder).st_nlink - 2  # without the folder itself and its parent
        if counted == len(names) and all(os.path.exists(f"{folder}/{name}") for name in names):
            break
    return names


def threads(pid):
    """The threads' ids here, by their ids as the process itself sees them."""
    found = {}
    same = own_pid(pid) == pid
    for name in task_names(pid):
        own = int(name)
        if not same:
            for line in read(f"/proc/{pid}/task/{name}/status").splitlines():
                if line.startswith("NSpid:"):
                    own = int(line.split()[-1])
        found[own] = int(name)
    return found


class Activity:
    """state: R, S, D, ... seconds: processor time so far. call: the number of the system call it is in, or None."""

    def __init__(self, pid, tid):
        stat = read(f"/proc/{pid}/task/{tid}/stat").rpartition(")")[2].split()
        self.state = stat[0] if stat else "?"
        self.seconds = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK") if len(stat) > 12 else 0
        words = read(f"/proc/{pid}/task/{tid}/syscall").split()
        self.call = int(words[0]) if words and words[0].isdigit() else None


def descriptor(pid):
    def target(number):
        try:
            return os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError:
            return ""
    return target


class Functions:
    """Names of functions by address, from the symbols of the process's files; '' where there is none."""

    def __init__(self, pid):
        self._pid = pid
        self._modules = sorted(mappings(pid))
        self._symbols = {}

    def __call__(self, address):
        at = bisect.bisect_right(self._modules, (address, 1 << 64)) - 1
        if at < 0 or not self._modules[at][0] <= address < self._modules[at][1]:
            return hex(address)
        start, _, offset, path = self._modules[at]
        if path not in self._symbols:
            try:
                self._symbols[path] = symbols_of(f"/proc/{self._pid}/root{path}")
            except (OSError, struct.error, IndexError):
                self._symbols[path] = [], []
        segments, symbols = self._symbols[path]
        place = address - start + offset # in the file
        for file_offset, virtual, size in segments:
            if file_offset <= place < file_offset + size:
                virtual += place - file_offset
                found = bisect.bisect_right(symbols, (virtual, "\U0010ffff")) - 1
                if found >= 0 and symbols[found][0] == virtual:
                    return symbols[found][1]
                return f"{os.path.basename(path)}+{virtual:#x}"
        return hex(address)


def symbols_of(path):
    """(segments, functions) of an ELF file: (offset, address, size), (address, name)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        return [], []
    segment_at, section_at = struct.unpack_from("<QQ", data, 32)
    segment_bytes, segments, section_bytes, sections = struct.unpack_from("<HHHH", data, 54)
    loads = []
    for index in range(segments):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, segment_at + index * segment_bytes)
        if kind == 1:
            loads.append((offset, address, size))
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, section_at + index * section_bytes)
               for index in range(sections)]
    functions = {}
    for kind in (11, 2): # the dynamic ones, then all
        for header in headers:
            if header[1] != kind:
                continue
            strings = headers[header[6]][4]
            for at in range(header[4], header[4] + header[5], 24):
                name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at)
                if info & 15 == 2 and section:
                    end = data.index(b"\0", strings + name)
                    functions[value] = data[strings + name:end].decode("utf-8", "replace")
    return loads, sorted(functions.items())
