#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""signatures_test.py SOURCE WINTERNL.H - each handler of a hooked system call has the parameters that a public header
declares for the call: as many, and of the same sizes. One too few, or one that is taken for 32 bits, would hand
garbage on to the system. The header is Wine's. Calls that it does not declare, in one of its versions, are in
UNDECLARED with their parameters' sizes, as phnt declares them. Exit status 77: there is no such header."""

import pathlib
import re
import sys

# Sizes in bytes. HANDLE, pointers and SIZE_T have eight.
SMALL = {"BOOLEAN": 1, "UCHAR": 1, "BYTE": 1}
MIDDLE = {"ULONG", "LONG", "DWORD", "int", "UINT", "NTSTATUS", "ACCESS_MASK", "BOOL", "INT", "EXECUTION_STATE",
          "SECTION_INHERIT"}
WIDE = {"HANDLE", "SIZE_T", "ULONG_PTR", "LONG_PTR", "ULONGLONG", "ULONG64"}
POINTERS = {"LPC_MESSAGE", "PNTAPCFUNC", "PIO_APC_ROUTINE", "PTIMER_APC_ROUTINE", "CLIENT_ID"}
ENUMS = re.compile(r"^\w+(_CLASS|INFOCLASS|_TYPE)$")

UNDECLARED = {
    "NtAlertMultipleThreadByThreadId": (8, 4, 8, 8),
    "NtAlertThreadByThreadIdEx": (8, 8),
    "NtAlpcConnectPort": (8, 8, 8, 8, 4, 8, 8, 8, 8, 8, 8),
    "NtAlpcConnectPortEx": (8, 8, 8, 8, 4, 8, 8, 8, 8, 8, 8),
    "NtAlpcImpersonateClientContainerOfPort": (8, 8, 4),
    "NtAlpcImpersonateClientOfPort": (8, 8, 8),
    "NtAlpcSendWaitReceivePort": (8, 4, 8, 8, 8, 8, 8, 8),
    "NtFlushBuffersFileEx": (8, 4, 8, 4, 8),
    "NtNotifyChangeDirectoryFileEx": (8, 8, 8, 8, 8, 8, 4, 4, 1, 4),
    "NtQueueApcThreadEx": (8, 8, 8, 8, 8, 8),
    "NtQueueApcThreadEx2": (8, 8, 4, 8, 8, 8, 8),
    "NtSetEventBoostPriority": (8,),
    "NtSetTimerEx": (8, 4, 8, 4),
}
# Wine 8 declares a BOOLEAN where Windows and later versions have an enumeration.
OTHERWISE = {"NtWaitForMultipleObjects": (4, 8, 4, 1, 8)}


def size_of(parameter):
    """A parameter as it is declared: with a name or without."""
    text = re.sub(r"\b(const|volatile|struct|enum|unsigned|IN|OUT)\b", " ", parameter).strip()
    if "*" in text or "[" in text or "(" in text:
        return 8
    kind = text.split()[0]
    if kind in SMALL:
        return SMALL[kind]
    if kind in MIDDLE or ENUMS.match(kind):
        return 4
    if kind in WIDE or kind in POINTERS or re.match(r"^(P|LP)[A-Z]", kind):
        return 8
    return None  # a type of a newer header's: this one is not held


def sizes(parameters):
    text = re.sub(r"\s+", " ", parameters).strip()
    return [] if text in ("", "void", "VOID") else [size_of(part) for part in text.split(",")]


def same(ours, public):
    return len(ours) == len(public) and all(a == b or b is None for a, b in zip(ours, public))


def handlers(root):
    """name: its parameters, of the handlers of calls.def, and of the types by which originals are called."""
    found = []
    for path in sorted((root / "platform/windows/calls").glob("*.c")):
        found += re.findall(r"^HANDLER\((Nt\w+),([^)]*)\)", path.read_text(), re.MULTILINE)
    for path in ("platform/windows/os/originals.h", "platform/windows/os/ntapi.h"):
        found += re.findall(r"\(NTAPI \*(Nt\w+)\)\s*\(([^)]*)\)", (root / path).read_text())
    return found


def main():
    root, header = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not header.exists():
        print(f"skipped: there is no {header} (Debian: libwine-dev)")
        return 77
    declared = dict(re.findall(r"\bWINAPI\s+(Nt\w+)\s*\(([^)]*)\)\s*;", header.read_text(errors="replace")))
    wrong, held = [], set()
    for name, parameters in handlers(root):
        public = OTHERWISE.get(name) or UNDECLARED.get(name) or (sizes(declared[name]) if name in declared else None)
        if public is None:
            wrong.append(f"{name}: no header declares it, and UNDECLARED has not got it")
        elif not same(sizes(parameters), public):
            wrong.append(f"{name}: the parameters have the sizes {sizes(parameters)} here, {list(public)} there")
        held.add(name)
    wrong += [f"{name}: in UNDECLARED, and nobody calls it" for name in UNDECLARED if name not in held]
    print("\n".join(wrong))
    print(f"{len(held)} system calls, {len(held & declared.keys())} of them in {header.name}")
    return 1 if wrong or len(held) < 60 else 0


sys.exit(main())
