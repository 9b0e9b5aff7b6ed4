# SPDX-License-Identifier: MIT
"""Which Win32 calls a program makes, and which of them libumsshim.so does not have.

table.py    what there is: made of winapi/README.md, umsshim.map and the headers when the library is built
binary.py   the calls of objects, archives and programs: ELF, COFF, PE
source.py   the calls of C and C++ sources
"""
VERSION = "0.2.0" # CMakeLists.txt's; tools.versions compares
