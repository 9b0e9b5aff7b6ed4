# SPDX-License-Identifier: MIT
"""missing_test.py SOURCE TABLE COMPILER -- FLAGS... - umsshim-missing tells the same of a source, an object, an
archive, a COFF object and a program for Windows; and the table of what to use instead names nothing that is there.
"""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

PROGRAM = r"""
#include <windows.h>
static DWORD WINAPI CreateMine(void) { return 0; } /* RegCloseKey( is no call here: */
int main(void)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, "RegOpenKeyExA(");
    WaitForSingleObject(event, 0);
    DeviceIoControl(event, 0, NULL, 0, NULL, 0, NULL, NULL);
    SetDllDirectoryA(NULL);
    return (int)GetProfileIntW(NULL, NULL, 0) + (int)CreateMine();
}
"""
WANTED = {"DeviceIoControl": "`ioctl`", "SetDllDirectoryA": "leave it out", "GetProfileIntW": "`GetProfileIntA`, which is there"}

source, table, compiler = sys.argv[1:4]
tool = [sys.executable, "-B", os.path.join(source, "winapi", "missing", "umsshim-missing"), "--table", table]
flags = sys.argv[sys.argv.index("--") + 1:]


def run(*arguments):
    done = subprocess.run([*tool, *arguments], capture_output=True, text=True, timeout=60, check=False)
    check("Traceback" not in done.stderr, done.stderr)
    return done.returncode, done.stdout + done.stderr


def expect_all(file, more=False):
    """What is told of a file; a program has calls of its C library's start as well."""
    status, text = run(file)
    found = dict(re.findall(r"^(\w+)(?: of \S+)?: not there; instead: (.*)$", text, re.M))
    check(status == 1, f"{file}: status {status}")
    check(set(found) >= set(WANTED) and (more or set(found) == set(WANTED)), f"{file}: {text}")
    for name, advice in WANTED.items():
        check(advice in found.get(name, ""), f"{file}: {name}: {found.get(name)}")


with tempfile.TemporaryDirectory() as folder:
    c, o, a, obj, exe = (os.path.join(folder, "x" + ending) for ending in (".c", ".o", ".a", ".obj", ".exe"))
    with open(c, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run([compiler, "-c", c, "-o", o, *flags], timeout=60, check=True)
    subprocess.run(["ar", "rc", a, o], timeout=60, check=True)
    for file in c, o, a, folder:
        expect_all(file)
    check(f"{c}:9" in run(c)[1], "no line of the source is named")
    if shutil.which("x86_64-w64-mingw32-gcc"):
        subprocess.run(["x86_64-w64-mingw32-gcc", "-c", c, "-o", obj], timeout=60, check=True)
        subprocess.run(["x86_64-w64-mingw32-gcc", obj, "-o", exe], timeout=60, check=True)
        expect_all(obj)
        expect_all(exe, more=True)
    else:
        print("missing_test: no MinGW-w64: objects and programs for Windows are not tried")
    with open(c, "w", encoding="utf-8") as file:
        file.write("#include <windows.h>\nint main(void) { CreateFile(0, 0, 0, 0, 0, 0, 0); return GetProfileInt(0, 0, 0); }\n")
    check(run(c)[0] == 0, "what is there is not found")
    status, text = run("--unicode", "--subset", c)
    check(status == 1 and "GetProfileInt: not there" in text and "CreateFile: there, with differences: " in text, text)
    for content in b"MZ" + bytes(58) + b"\xff\xff\xff\x7f", b"\x7fELF\x02" + bytes(40), b"\x64\x86" + b"\xff" * 30:
        with open(exe, "wb") as file:
            file.write(content)
        status, text = run(exe)
        check(status == 2 and text.count(exe) == 1, f"damaged: {status}, {text}")
    check(run(os.path.join(folder, "none"))[0] == 2, "a file that is not there")

with open(table, encoding="utf-8") as file:
    content = json.load(file)
check(len(content["there"]) > 400 and len(content["instead"]) > 50, "the table is short")
check(len(content["win32"]) > 3000, "the headers declare few calls")
for pattern, _ in content["instead"]:
    both = [name for name in content["there"] if fnmatch.fnmatchcase(name, pattern)]
    check(not both, f"winapi/README.md says what to use instead of {both}, which are there")
check(run("--version")[1].startswith("umsshim-missing (umsshim) "), run("--version")[1])
end("missing_test", "all")
