# SPDX-License-Identifier: MIT
"""source.py - the calls of C and C++ sources: names before a parenthesis, and names whose address is taken.

No compiler: what a preprocessor leaves out is seen as well, since it may be what another build has.
"""
import os
import re

ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".inl")
_SKIP = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
_CALL = re.compile(r"(?<![\w.>])(?:::\s*)?([A-Za-z_]\w+)\s*(?=\()")
_POINTER = re.compile(r"[=,(&]\s*([A-Z]\w+)\s*(?=[,;)])")
_DEFINED = re.compile(r"\b([A-Za-z_]\w+)\s*\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)\s*\{|^\s*#\s*define\s+([A-Za-z_]\w+)", re.M)


def files(path):
    """A file, or all sources below a folder."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(ENDINGS):
                yield os.path.join(folder, name)


def bare(text):
    """Without comments and literals; the lines stay."""
    return _SKIP.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def defined(text):
    return {one or other for one, other in _DEFINED.findall(text)}


def calls(text):
    """(name, line) of each."""
    for pattern in (_CALL, _POINTER):
        for found in pattern.finditer(text):
            yield found.group(1), text.count("\n", 0, found.start(1)) + 1
