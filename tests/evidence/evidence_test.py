#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""evidence_test.py WINE.SH UMSSHIM-EVIDENCE.EXE FOLDER - a brief run under Wine, and what it wrote.

The program is copied alone into a folder of its own: it needs no other file. Its .json has every part, each with
a verdict, and none that was not run is without a reason; its .txt has the same verdicts. The .txt cannot be written
beside the program, for a folder has its name: so it is in %TEMP%, and a line says so. Nothing else is left there.
No claim is refuted by it (claims.py), but for the one name that Wine's kernel32 does not have.

FOLDER is what the zip has: there the program finds the others beside itself, and unpacks none. A few parts are run.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import claims

PARTS = ["system", "security", "modules", "names", "teb", "stubs", "try", "check", "import-inplace", "import-pinned",
         "copy-inplace", "copy-pinned", "timings-inplace", "timings-pinned", "linked-inplace", "umsrun-inplace", "linked-pinned", "umsrun-pinned",
         "hazards-inplace", "hazards-pinned", "hazards-cet", "races-inplace", "races-pinned", "own-clauses",
         "own-timings"]
BESIDE = ["system", "import-pinned", "copy-inplace", "hazards-cet"]
VERDICTS = {"passed", "failed", "crashed", "hung", "told", "not run"}
SAYS = {  # a part that was run says this, at least
    "system": "version: ", "security": "user shadow stacks: ", "modules": "modules: ",
    "names": "kernel32.dll: ", "teb": "thread_id: 0x0048", "stubs": "NtWaitForSingleObject: ",
    "try": "in place: passed", "check": "self-test: passed", "import-inplace": "workers ended: 2", "import-pinned": "workers ended: 2",
    "copy-inplace": "linked copy: runs", "copy-pinned": "linked copy: runs", "hazards-cet": "hazard tests: ",
    "linked-inplace": " passed, 0 failed, 0 crashed, 0 hung", "umsrun-pinned": " passed, 0 failed, 0 crashed, 0 hung",
    "timings-inplace": "a worker's yield and the execute after it: ",
    "timings-pinned": "two workers, an event there and one back: ",
    "hazards-inplace": "hazard tests: ", "hazards-pinned": "hazard tests: "}
WINE_LACKS = "kernel32.dll: 13 of 14 names"  # GetUmsSystemThreadInformation
failures = []


def expect(holds, text):
    if not holds:
        failures.append(text)
        print("evidence_test:", text, file=sys.stderr)


def check(report, text):
    expect(report["schema"] == 1, f"the schema is {report['schema']}")
    expect(report["own_ums"] is False, "Wine is taken for a system with UMS of its own")
    names = [part["name"] for part in report["parts"]]
    expect(names == PARTS, f"the parts are {names}, not {PARTS}")
    for part in report["parts"]:
        name, verdict, reason = part["name"], part["verdict"], part["reason"]
        expect(verdict in VERDICTS, f"{name}: the verdict is {verdict}")
        expect(verdict in ("passed", "told") or reason, f"{name}: {verdict}, and no reason")
        wanted = "not run" if name.startswith(("own-", "races-")) else None
        expect(verdict == wanted if wanted else verdict in ("passed", "told"),
               f"{name}: {verdict}: {reason}\n{part['text']}")
        if name in SAYS and verdict != "not run":
            expect(SAYS[name] in part["text"], f"{name} does not say \"{SAYS[name]}\":\n{part['text']}")
        expect(any(line.split()[:1] == [name] and verdict in line for line in text.splitlines()),
               f"the .txt has no line with {name} and {verdict}")


def check_claims(path):
    rows, _ = claims.table([claims.read(path)])
    refuted = [row for row in rows if claims.REFUTED in row and WINE_LACKS not in row]
    expect(not refuted, "claims are refuted:\n" + "\n".join(refuted))
    expect(sum(claims.CONFIRMED in row for row in rows) >= 14, "too few claims are confirmed:\n" + "\n".join(rows))


def marks_of(path):
    """Types and values of the entries of a program's debug directory."""
    image = path.read_bytes()
    nt = struct.unpack_from("<I", image, 0x3c)[0]
    count, optional_bytes = struct.unpack_from("<H", image, nt + 6)[0], struct.unpack_from("<H", image, nt + 20)[0]
    at, size = struct.unpack_from("<II", image, nt + 24 + 112 + 8 * 6)
    for i in range(count):
        virtual_size, start, _, file_at = struct.unpack_from("<IIII", image, nt + 24 + optional_bytes + 40 * i + 8)
        if at and start <= at < start + virtual_size:
            entries = [struct.unpack_from("<12xIIII", image, file_at + at - start + 28 * k) for k in range(size // 28)]
            return {kind: image[place:place + length] for kind, length, _, place in entries}
    return {}


def check_beside(wine, source):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "umsshim-evidence")
        shutil.copytree(source, folder)
        expect(marks_of(folder / "umsshim-hazards-cet.exe").get(20) == b"\1\0\0\0", "it is not marked for shadow stacks")
        expect(20 not in marks_of(folder / "umsshim-hazards.exe"), "the one without a mark is marked")
        before = {entry.name for entry in folder.iterdir()}
        status, said = run(wine, folder, "--only=" + ",".join(BESIDE))
        expect(status == 0, f"beside its programs: exit code {status}; it said:\n{said}")
        report = json.loads((folder / "umsshim-evidence.json").read_text("utf-8"))
        for part in report["parts"]:
            wanted = ("passed", "told") if part["name"] in BESIDE else ("not run",)
            expect(part["verdict"] in wanted, f"beside its programs: {part['name']} {part['verdict']}: {part['text']}")
        left = {entry.name for entry in folder.iterdir()} - before
        expect(left == {"umsshim-evidence.json", "umsshim-evidence.txt"}, f"left beside the programs: {left}")


def run(wine, folder, *options):
    done = subprocess.run(["sh", wine, "umsshim-evidence.exe", "--brief", *options], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=280)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def wine_path(wine, path):
    done = subprocess.run(["sh", wine, "winepath", "-u", path], stdout=subprocess.PIPE, timeout=60, check=True)
    return pathlib.Path(done.stdout.decode().strip())


def main():
    wine, program = (os.path.abspath(argument) for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        start = time.time()
        folder = pathlib.Path(scratch)
        (folder / "umsshim-evidence.txt").mkdir()
        shutil.copy(program, folder / "umsshim-evidence.exe")
        status, said = run(wine, folder)
        expect(status == 0, f"exit code {status}; it said:\n{said}")
        expect("needs no rights" in said, f"it does not say what it does:\n{said}")
        expect("umsshim-evidence.txt cannot be written: it goes to %TEMP%" in said,
               f"it does not say where it wrote:\n{said}")
        written = re.findall(r"^written: (.*?)\r?$", said, re.M)
        expect(len(written) == 2, f"it names {len(written)} reports:\n{said}")
        if len(written) == 2:
            text, report = (wine_path(wine, path) for path in written)
            check(json.loads(report.read_text("utf-8")), text.read_text("utf-8", "replace"))
            check_claims(report)
            text.unlink()
            left = [entry.name for entry in text.parent.glob("umsshim-evidence-*") if entry.stat().st_mtime >= start]
            expect(not left, f"left behind: {left}")
    check_beside(wine, sys.argv[3])
    print("evidence_test:", "FAILED" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
