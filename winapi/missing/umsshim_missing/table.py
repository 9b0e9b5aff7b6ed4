# SPDX-License-Identifier: MIT
"""table.py - what libumsshim.so has, and what to use in the place of what it has not.

  python3 table.py SOURCE HEADERS OUT      writes the table, as JSON; the build calls it

Its sources: winapi/README.md says how far each call is there, and what to use for those that are not;
umsshim.map has every name that is exported; our headers have those that are inline; Windows' headers say which
names are Win32 calls at all.
"""
import fnmatch
import json
import os
import re
import sys

NAME = r"[A-Za-z_]\w*"


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def spelled(cell):
    """The names of a cell: `CreateEventA/W` are two."""
    for text in re.findall(r"`([^`]+)`", cell):
        first, *others = text.split("/")
        yield first
        for other in others:
            yield first[:len(first) - len(other)] + other


def rows(text, heading):
    """The rows of all tables whose head begins so, as lists of cells."""
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith(heading):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|--"):
            yield cells


def win32_names(folder):
    """Functions that the headers declare and do not define."""
    found = {}
    declared = re.compile(rf"^(?!.*\b(?:static|inline|FORCEINLINE|typedef)\b)[^;{{}}()#]*\b(?:WINAPI|NTAPI|WSAAPI|APIENTRY)\s+"
                          rf"({NAME})\s*\(", re.M)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".h"):
            for call in declared.findall(read(os.path.join(folder, name))):
                found.setdefault(call, name)
    return found


def make(source, headers):
    readme = read(os.path.join(source, "winapi", "README.md"))
    there, instead = {}, []
    exported = re.sub(r"/\*.*?\*/", "", read(os.path.join(source, "umsshim", "umsshim.map")), flags=re.S)
    for name in re.findall(rf"({NAME});", exported):
        there[name] = ["full", ""]
    for cells in rows(readme, "| call | status |"):
        for name in spelled(cells[0]):
            there[name] = [cells[1], cells[2] if len(cells) > 2 else ""]
    for cells in rows(readme, "| not there | use |"):
        for pattern in spelled(cells[0]):
            instead.append([pattern, cells[1]])
    folder = os.path.join(source, "winapi", "include")
    for header in sorted(os.listdir(folder)):
        if header.endswith(".h"):
            text = read(os.path.join(folder, header))
            for name in re.findall(rf"^\s*#\s*define\s+({NAME})\b", text, re.M) + \
                    re.findall(rf"^static inline [^;{{]*?\b({NAME})\(", text, re.M):
                there.setdefault(name, ["inline", ""])
    return {"there": there, "instead": instead, "win32": win32_names(headers)}


class Table:
    def __init__(self, content):
        self.there, self.instead, self.win32 = content["there"], content["instead"], content["win32"]

    @classmethod
    def load(cls, path):
        return cls(json.loads(read(path)))

    def is_win32(self, name):
        """Also a name that the headers make one of two by UNICODE."""
        return name in self.win32 or name in self.there or name + "A" in self.win32 and name + "W" in self.win32

    def has(self, name, wide=False):
        """What the table says of it: (status, difference); None: it is not there."""
        if name not in self.there and name not in self.win32:
            name += "W" if wide else "A"
        return self.there.get(name)

    def advice(self, name):
        """What to use in its place, '' where nothing is known."""
        for pattern, text in self.instead:
            if fnmatch.fnmatchcase(name, pattern):
                return text
        if name[-1:] in "AW" and name[:-1] + "AW".replace(name[-1], "") in self.there:
            return f"`{name[:-1] + 'AW'.replace(name[-1], '')}`, which is there"
        if name.endswith("Ex") and name[:-2] in self.there:
            return f"`{name[:-2]}`, which is there"
        return ""


if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        json.dump(make(sys.argv[1], sys.argv[2]), out, indent=0, sort_keys=True)
