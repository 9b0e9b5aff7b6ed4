# SPDX-License-Identifier: MIT
"""engine_test.py SOURCES - what the Linux engine's head says of its threads and locks is what its sources do.

engine.h lists the threads by their names; os/lock_ranks.h lists the locks in their order. The order itself is checked
where locks are taken, in a checked build (os/lock_order.c).
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

ENGINE = "platform/linux/engine.h"
RANKS = "platform/linux/os/lock_ranks.h"
OTHERS = "platform/windows/", "winapi/windows/"


def sources(top):
    for folder in ("platform", "umsshim", "winapi"):
        for where, _, names in os.walk(os.path.join(top, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(where, name), top)
                if name.endswith((".c", ".h")) and not path.startswith(OTHERS):
                    with open(os.path.join(top, path), encoding="utf-8") as file:
                        yield path, file.read()


def same(what, listed, used):
    for name in sorted(listed - used):
        check(False, f"{what} {name} is listed, and there is none")
    for name in sorted(used - listed):
        check(False, f"{what} {name} is not listed")


text = dict(sources(sys.argv[1]))
head = text[ENGINE].split("*/")[0]
threads = set(re.findall(r"^ \*   (ums:\w+)", head, re.M))
named = {name for path, body in text.items() for name in re.findall(r'kthread_name\("(.*?)"\)', body)}
check(len(threads) > 10, f"{ENGINE}: the list of threads was not found")
same(f"{ENGINE}: the thread", threads, named)

ranks = re.findall(r"RANK\((\w+)\)", text[RANKS].split("#define LOCK_RANKS(RANK)")[1].split("enum lock_rank")[0])
locks = {name for path, body in text.items() if path != RANKS
         for name in re.findall(r"PLAT_LOCK\(([A-Z_]+)\)[^;()]*;", body)}
check(len(ranks) > 30, f"{RANKS}: the ranks were not found")
check(len(ranks) == len(set(ranks)), f"{RANKS}: a rank is listed twice")
same(f"{RANKS}: the lock", set(ranks), locks)
for path, body in text.items():
    if path != RANKS:
        for line in re.findall(r"^.*\bstruct plat_lock \w+(?:\[\w*\])?;.*$", body, re.M):
            check(False, f"{path}: a lock without a rank: {line.strip()}")
end("engine_test", f"{len(threads)} threads, {len(ranks)} locks")
