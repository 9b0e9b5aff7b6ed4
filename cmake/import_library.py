#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import_library.py DEF LIB - the import library that Microsoft's linker and lld-link take, from a .def file.

MinGW's tools write import libraries as objects that gcc's linker sorts into place; Microsoft's linker has a
form of its own, one short header for each name. This writes that form as the PE format's specification has
it ("Archive (Library) File Format" and "Import Library Format"). The names are those after EXPORTS in the .def
file, as they are exported: what stands behind a "=" is the DLL's business. A name with @n in its line is
imported by name all the same.
"""
import re
import struct
import sys

AMD64 = 0x8664
EXTERNAL, STATIC, SECTION = 2, 3, 104  # storage classes
ADDR32NB = 3  # relocation: address without the image's base
DATA = 0xC0000040  # initialised, readable, writable
ALIGN = {2: 0x00200000, 4: 0x00300000, 8: 0x00400000}


def read_def(path):
    """The DLL's name and the exported names."""
    dll, names, exports = None, [], False
    for line in open(path, encoding="ascii"):
        line = line.split(";")[0].strip()
        if re.match(r"LIBRARY\b", line):
            dll = line.split()[1].strip('"')
        elif re.match(r"EXPORTS\b", line):
            exports = True
        elif line and exports:
            names.append(re.match(r"[A-Za-z_][A-Za-z0-9_]*", line).group())
    if not dll or not names or len(set(names)) != len(names):
        raise SystemExit(f"import_library: {path} names no library, no exports, or one of them twice")
    return dll, names


def coff_object(sections, symbols):
    """An object file. sections: (name, data, alignment, [(offset, symbol)]); symbols: (name, section, class)."""
    head = 20 + 40 * len(sections)
    body, headers = b"", b""
    for name, data, alignment, relocations in sections:
        at = head + len(body)
        body += data
        for offset, symbol in relocations:
            body += struct.pack("<IIH", offset, [s[0] for s in symbols].index(symbol), ADDR32NB)
        headers += struct.pack("<8sIIIIIIHHI", name.encode(), 0, 0, len(data), at,
                               at + len(data) if relocations else 0, 0, len(relocations), 0,
                               DATA | ALIGN[alignment])
    table, strings = b"", b""
    for name, section, storage in symbols:
        short = name.encode()
        if len(short) > 8:
            short = struct.pack("<II", 0, 4 + len(strings))
            strings += name.encode() + b"\0"
        table += struct.pack("<8sIhHBB", short, 0, section, 0, storage, 0)
    return (struct.pack("<HHIIIHH", AMD64, len(sections), 0, head + len(body), len(symbols), 0, 0) +
            headers + body + table + struct.pack("<I", 4 + len(strings)) + strings)


def members(dll, names):
    """(object, symbols it defines) for each member. The first three frame the DLL's import tables; an import
    of the fourth kind makes the linker take them."""
    stem = dll.rsplit(".", 1)[0]
    descriptor, null_thunk = f"__IMPORT_DESCRIPTOR_{stem}", f"\x7f{stem}_NULL_THUNK_DATA"
    null_descriptor = "__NULL_IMPORT_DESCRIPTOR"
    text = dll.encode() + b"\0"
    yield coff_object(
        [(".idata$2", bytes(20), 4, [(12, ".idata$6"), (0, ".idata$4"), (16, ".idata$5")]),
         (".idata$6", text + b"\0" * (len(text) % 2), 2, [])],
        [(descriptor, 1, EXTERNAL), (".idata$2", 1, SECTION), (".idata$6", 2, STATIC),
         (".idata$4", 0, SECTION), (".idata$5", 0, SECTION),
         (null_descriptor, 0, EXTERNAL), (null_thunk, 0, EXTERNAL)]), [descriptor]
    yield coff_object([(".idata$3", bytes(20), 4, [])],
                      [(null_descriptor, 1, EXTERNAL)]), [null_descriptor]
    yield coff_object([(".idata$5", bytes(8), 8, []), (".idata$4", bytes(8), 8, [])],
                      [(null_thunk, 1, EXTERNAL)]), [null_thunk]
    for hint, name in enumerate(sorted(names)):
        strings = name.encode() + b"\0" + dll.encode() + b"\0"
        code_by_name = 1 << 2  # type 0: code; name type 1: the symbol is the import's name
        yield struct.pack("<HHHHIIHH", 0, 0xFFFF, 0, AMD64, 0, len(strings), hint,
                          code_by_name) + strings, [name, f"__imp_{name}"]


def archive(dll, objects):
    def member(name, data):
        header = f"{name:<16}{0:<12}{'':<12}{0:<8o}{len(data):<10}`\n"
        return header.encode("ascii") + data + b"\n" * (len(data) % 2)

    symbols = [symbol for _, defined in objects for symbol in defined]
    table = b"".join(symbol.encode() + b"\0" for symbol in symbols)
    ordered = sorted((s, number) for number, (_, defined) in enumerate(objects, 1) for s in defined)

    def directories(offsets):
        owners = [number for number, (_, defined) in enumerate(objects) for _ in defined]
        first = (struct.pack(">I", len(symbols)) +
                 b"".join(struct.pack(">I", offsets[owner]) for owner in owners) + table)
        second = (struct.pack("<I", len(offsets)) + struct.pack(f"<{len(offsets)}I", *offsets) +
                  struct.pack("<I", len(ordered)) +
                  b"".join(struct.pack("<H", number) for _, number in ordered) +
                  b"".join(s.encode() + b"\0" for s, _ in ordered))
        return member("/", first) + member("/", second) + long_names

    long_names, name = b"", f"{dll}/"
    if len(name) > 16:
        long_names, name = member("//", dll.encode() + b"\0"), "/0"
    at = 8 + len(directories([0] * len(objects)))
    offsets, body = [], b""
    for data, _ in objects:
        offsets.append(at + len(body))
        body += member(name, data)
    return b"!<arch>\n" + directories(offsets) + body


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.splitlines()[0])
    dll, names = read_def(sys.argv[1])
    with open(sys.argv[2], "wb") as library:
        library.write(archive(dll, list(members(dll, names))))


main()
