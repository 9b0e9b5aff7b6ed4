# SPDX-License-Identifier: MIT
"""The state of a process with UMS threads, read from outside: from its memory alone.

memory.py   the memory of a process, and how to read it
layout.py   the places of the library's variables, as the library itself tells them
model.py    schedulers, workers, lists and carriers at one moment
waits.py    the thing that a worker or scheduler waits for, and its owner
text.py     the model in lines for people
why.py      the report about a process that hangs
gdb_*.py    the same inside gdb

None of this code runs in the process, and none needs debug information.
"""
VERSION = "0.2.0" # CMakeLists.txt's; tools.versions compares
