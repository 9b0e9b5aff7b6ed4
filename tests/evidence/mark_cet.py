#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mark_cet.py IN.EXE OUT.EXE - a copy of a program that is marked as fit for user shadow stacks (CETCOMPAT).

The mark is an entry of the debug directory, of type 20 (extended characteristics of a DLL) with the value 1. No linker at
hand writes it. A section behind the file has a directory with the old entries and this one.
"""
import struct
import sys

EX_DLLCHARACTERISTICS, CET_COMPAT, DEBUG = 20, 1, 6


def up(value, alignment):
    return (value + alignment - 1) // alignment * alignment


def offset_of(sections, rva):
    for virtual_size, at, file_size, file_at in sections:
        if at <= rva < at + max(virtual_size, file_size):
            return file_at + rva - at
    raise SystemExit(f"mark_cet: the debug directory at {rva:#x} lies in no section")


def mark(image):
    nt = struct.unpack_from("<I", image, 0x3c)[0]
    count, optional_bytes = struct.unpack_from("<H", image, nt + 6)[0], struct.unpack_from("<H", image, nt + 20)[0]
    optional, table = nt + 24, nt + 24 + optional_bytes
    section_alignment, file_alignment = struct.unpack_from("<II", image, optional + 32)
    size, headers = struct.unpack_from("<II", image, optional + 56)
    sections = [struct.unpack_from("<IIII", image, table + 40 * i + 8) for i in range(count)]
    place = table + 40 * count
    if place + 40 > headers or any(image[place:place + 40]):
        raise SystemExit("mark_cet: the headers have no room for one more section")
    old_at, old_bytes = struct.unpack_from("<II", image, optional + 112 + 8 * DEBUG)
    old = b""
    if old_at:
        old_place = offset_of(sections, old_at)
        old = bytes(image[old_place:old_place + old_bytes])
    at, file_at = up(size, section_alignment), up(len(image), file_alignment)
    value_at = len(old) + 28
    entry = struct.pack("<IIHHIIII", 0, 0, 0, 0, EX_DLLCHARACTERISTICS, 4, at + value_at, file_at + value_at)
    body = old + entry + struct.pack("<I", CET_COMPAT)
    file_bytes = up(len(body), file_alignment)
    struct.pack_into("<8sIIIIIIHHI", image, place, b".cet", len(body), at, file_bytes, file_at, 0, 0, 0, 0, 0x40000040)
    struct.pack_into("<H", image, nt + 6, count + 1)
    struct.pack_into("<I", image, optional + 56, up(at + len(body), section_alignment))
    struct.pack_into("<II", image, optional + 112 + 8 * DEBUG, at, len(old) + 28)
    return bytes(image) + b"\0" * (file_at - len(image)) + body + b"\0" * (file_bytes - len(body))


def main():
    with open(sys.argv[1], "rb") as file:
        image = bytearray(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(mark(image))


main()
