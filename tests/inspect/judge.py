# SPDX-License-Identifier: MIT
"""judge.py - a test in Python notes what is wrong, and tells it at its end."""
import sys

failures = []


def check(good, text):
    if not good:
        failures.append(text)


def end(program, case, seen=""):
    """Ends the process with status 1 if anything was wrong; what was seen comes first then."""
    if failures and seen:
        print(seen)
    for failure in failures:
        print(f"{program}: {failure}")
    if failures:
        sys.exit(1)
    print(f"{program}: {case}: as it should be")
