# SPDX-License-Identifier: MIT
"""pages.py - a test in Python of pages and sources reads them, and says at once what is wrong."""
import os
import sys

PROGRAM = os.path.splitext(os.path.basename(sys.argv[0]))[0]
failures = []


def fail(text):
    failures.append(text)
    print(f"{PROGRAM}:", text, file=sys.stderr)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()
