# SPDX-License-Identifier: MIT
"""engine_test.py SOURCES - what the Linux engine's head says of its threads and locks is what its sources do.

engine.h lists the threads by their names; os/lock_ranks.h lists the locks in their order. The order itself is checked
where locks are taken, in a checked build (os/lock_order.c).

A record of the engine's has at most 24 members, and two locks at most: one that grows beyond is several things, and each
of these is a record of its own.
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


def records(body):
    """The name of each record that a text defines, and its members' declarations."""
    body = re.sub(r"/\*.*?\*/|^#.*?$", "", body, flags=re.M | re.S)
    for start in re.finditer(r"struct (\w+) (?:__attribute__\(\(.*?\)\) )?\{", body):
        depth, members, member = 1, [], ""
        for letter in body[start.end():]:
            depth += (letter == "{") - (letter == "}")
            if not depth:
                break
            if letter == ";" and depth == 1:
                members.append(member.strip())
                member = ""
            elif depth == 1:
                member += letter
        yield start.group(1), members


def declared(member):
    """How many names a declaration has; a function's parameters do not count."""
    return 1 + re.sub(r"\(.*\)", "", member, flags=re.S).count(",")


seen = 0
for path, body in text.items():
    for name, members in records(body):
        seen += 1
        fields = sum(declared(member) for member in members)
        own = sum(declared(member) for member in members if member.startswith("PLAT_LOCK("))
        check(fields <= 24, f"{path}: struct {name} has {fields} members")
        check(own <= 2, f"{path}: struct {name} has {own} locks")
check(seen > 150, f"only {seen} records were found")
end("engine_test", f"{len(threads)} threads, {len(ranks)} locks, {seen} records")
