# SPDX-License-Identifier: MIT
"""legacy_test.py SOURCE LIBRARY COMPILER -- FLAGS... - of the names in legacy_names.txt, which programs of UMS's time
use, a program that names each links at least LEAST; of what does not link, all but MOST_UNTOLD stand in the table of
winapi/README.md that says what to use. Both bounds only get stricter.

A name counts if it is a macro, or a function whose address can be taken and is found.
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

LEAST, MOST_UNTOLD = 495, 0
HEADERS = ["windows.h", "psapi.h", "winternl.h", "bcrypt.h", "wincrypt.h", "ntsecapi.h", "rpc.h", "tlhelp32.h", "stdio.h",
           "stdlib.h", "string.h", "io.h", "process.h", "tchar.h", "time.h", "conio.h", "crtdbg.h", "malloc.h", "signal.h",
           "mmsystem.h", "shellapi.h", "shlwapi.h", "objbase.h"]

source, library, compiler = sys.argv[1:4]
flags = sys.argv[sys.argv.index("--") + 1:]
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "legacy_names.txt"), encoding="utf-8") as file:
    names = file.read().split()
own = os.path.join(source, "winapi", "include")
first = [name for name in ("winsock2.h", "ws2tcpip.h", "mswsock.h") if os.path.exists(os.path.join(own, name))]
more = [name for name in ("direct.h", "share.h", "float.h", "sys/timeb.h")
        if os.path.exists(os.path.join(own, name))]


def attempt(folder, wanted):
    """The names that a program with all of these cannot have."""
    code, program = os.path.join(folder, "names.c"), os.path.join(folder, "names")
    with open(code, "w", encoding="utf-8") as to:
        to.writelines(f"#include <{header}>\n" for header in first + HEADERS + more)
        to.write("void *volatile place;\nint main(void)\n{\n")
        to.writelines(f"#ifndef {name}\nplace = (void *)&{name};\n#endif\n" for name in wanted)
        to.write("return 0;\n}\n")
    done = subprocess.run([compiler, "-w", "-fmax-errors=0", *flags, code, "-o", program, library], capture_output=True,
                          text=True, timeout=100, check=False, env=dict(os.environ, LC_ALL="C"))
    missing = set(re.findall(r"error: '(\w+)' undeclared", done.stderr))
    missing |= set(re.findall(r"undefined reference to `(\w+)'", done.stderr))
    missing |= set(re.findall(r"undefined symbol: (\w+)", done.stderr)) # lld
    missing &= set(wanted)
    if done.returncode and not missing:
        sys.exit(f"legacy_test: {done.stderr[:2000]}")
    return missing


with tempfile.TemporaryDirectory() as folder:
    linked = set(names)
    while missing := attempt(folder, sorted(linked)):
        linked -= missing

with open(os.path.join(source, "winapi", "README.md"), encoding="utf-8") as file:
    table = file.read().split("## What is not there, and what to use")[1]
rows = [name for row in re.findall(r"^\| (`.*?) \| ", table, re.M) for name in re.findall(r"`([^`]+)`", row)]
untold = [name for name in names if name not in linked and not any(fnmatch.fnmatchcase(name, row) for row in rows)]
print(f"legacy_test: {len(linked)} of {len(names)} link; {len(untold)} are neither there nor in the table")
if untold:
    print("not there, and not in the table of winapi/README.md:", *untold)
if len(linked) < LEAST:
    print(f"fewer than {LEAST}; those that do not:", *sorted(set(names) - linked))
sys.exit(len(untold) > MOST_UNTOLD or len(linked) < LEAST)
