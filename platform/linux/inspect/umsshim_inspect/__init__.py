# SPDX-License-Identifier: MIT
"""The state of a process with UMS threads, read from outside: from its memory alone.

memory.py   whose memory, and how it is read
layout.py   where the library's things are, as the library itself says
model.py    schedulers, workers, lists and carriers at one moment
waits.py    what a worker or scheduler waits for, and who has it
text.py     all that in lines for people
why.py      the report about a process that hangs
gdb_*.py    the same inside gdb

Nothing of it runs in the process, and nothing needs debug information.
"""
VERSION = "0.2.0" # CMakeLists.txt's; tools.versions compares
