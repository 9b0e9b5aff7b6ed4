#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""teb_fields_test.py SOURCE - teb.h's table and teb_fields.txt agree: each row of the one is a field of the other, at
its offset, not larger, by the same name or one that is known; and each other field has a reason."""

import pathlib
import re
import sys

BYTES_OF_ALL = 0x1878
SIZES = {"uint64_t": 8, "uint32_t": 4, "uint16_t": 2}
# As Wine's header calls them.
OTHER_NAMES = {"Peb": "ProcessEnvironmentBlock", "ShimData": "pShimData", "HeapVirtualAffinity": "HeapData",
               "FlsSlots": "FlsData"}
# What the table names in other ways than by rows.
BESIDE_ROWS = {0x0290: "TEB_ACTIVATION", 0x1480: "TEB_SLOTS"}


def rows_of_table(text):
    defined = dict(re.findall(r"#define (TEB_\w+)\s+(0x[0-9a-f]+)", text))
    rows = re.findall(r"X\((\w+), (\w+), ([\w.]+), (\w+),", text)
    if len(rows) < 50:
        sys.exit("teb.h: its rows are not found")
    for kind, name, theirs, offset in rows:
        theirs = OTHER_NAMES.get(theirs, re.sub(r"^Tib\.", "NtTib.", theirs))
        yield name, theirs, int(defined.get(offset, offset), 16), SIZES[kind]
    for offset, name in BESIDE_ROWS.items():
        if int(defined[name], 16) != offset:
            sys.exit(f"{name} is not 0x{offset:04x}")


def main():
    root = pathlib.Path(sys.argv[1])
    fields, wrong, end = {}, [], 0
    for line in (root / "tests/windows/teb_fields.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        offset, size, name, *why = line.split(maxsplit=4)
        fields[int(offset, 16)] = (int(size), name, why)
        if int(offset, 16) != end:
            wrong.append(f"{name}: begins at {offset}, the field before it ends at 0x{end:04x}")
        end = int(offset, 16) + int(size)
    if end != BYTES_OF_ALL:
        wrong.append(f"the last field ends at 0x{end:04x}")
    page = (root / "docs/windows.md").read_text()
    in_table = set(BESIDE_ROWS)
    for name, theirs, offset, size in rows_of_table((root / "platform/windows/switch/teb.h").read_text()):
        field_size, field, _ = fields.get(offset, (0, "no field", []))
        in_table.add(offset)
        if theirs != field or size > field_size:
            wrong.append(f"{name}: {theirs} of {size} bytes at 0x{offset:04x}, where {field} of {field_size} is")
    for offset, (_, name, why) in fields.items():
        if (offset in in_table) == bool(why):
            wrong.append(f"{name}: " + ("in the table, and has a reason not to be" if why
                                         else "not in the table, and has no reason"))
        if "(docs/windows.md)" in " ".join(why) and name not in page:
            wrong.append(f"{name}: docs/windows.md does not name it")
    print("\n".join(wrong))
    print(f"{len(fields)} fields, {len(in_table)} of them in the table")
    return 1 if wrong else 0


sys.exit(main())
