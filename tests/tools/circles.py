#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""circles.py - which of the library's sources need each other in a circle, and which look up.

  circles.py check RULES SOURCE NM OBJECTS
      OBJECTS names the library's object files, separated by semicolons. An arrow goes from a source that
      uses a symbol to the source that defines it. NM reads both from the objects: so nothing that the
      compiler saw is missed, except calls through pointers. RULES says which circles are known, the floors
      of the house, and its seams. Fails
        - when a source is in a circle and not among the known ones, or is known and in none any more;
        - when an arrow, or an #include, goes to a floor that lies above;
        - when a source uses a symbol or a header of a seam's other side that the seam does not name;
        - when a source has more lines than the longest may have, of the library or of a folder that is named for that.
  circles.py selftest CC NM
      Compiles small libraries with and without each of these faults, and checks what is said of them.

A line of RULES is one of
    floor PREFIX...                  the floors from the ground up: a source belongs to the longest prefix
    seam PREFIX PREFIX: HEADER...    what the first may use of the second: what these headers declare
    circle SOURCE                    is in a circle, and may be
    longest LINES [FOLDER...]        so many lines may a source have, in these folders too, whatever system it is for
A path at the beginning of a path is a prefix of it. A line may go on after a \\; # begins a comment.
"""
import os
import re
import subprocess
import sys
import tempfile


class Rules:
    def __init__(self, lines):
        self.floors, self.seams, self.known = [], [], set()
        self.longest, self.measured = None, []
        text = re.sub(r"#[^\n]*", "", "".join(lines)).replace("\\\n", " ")
        for number, line in enumerate(text.split("\n"), 1):
            words = line.replace(":", " : ").split()
            if not words:
                continue
            kind, rest = words[0], words[1:]
            if kind == "floor" and rest:
                self.floors.append(rest)
            elif kind == "seam" and len(rest) > 3 and rest[2] == ":":
                self.seams.append((rest[0], rest[1], rest[3:]))
            elif kind == "longest" and rest and rest[0].isdigit():
                self.longest, self.measured = int(rest[0]), rest[1:]
            elif kind == "circle" and len(rest) == 1:
                self.known.add(rest[0])
            else:
                raise SystemExit(f"circles.py: rule {number} is not understood: {line}")

    def floor(self, source):
        """The number of the source's floor; None: it is on none."""
        fits = [(len(prefix), floor) for floor, prefixes in enumerate(self.floors)
                for prefix in prefixes if below(source, prefix)]
        return max(fits)[1] if fits else None


def below(path, prefix):
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")


def read_arrows(nm, objects):
    """{source: {source that it uses: [symbols]}}"""
    defined, used = {}, {}
    for path in objects:
        source = os.path.normpath(os.path.splitext(path.rsplit(".dir/", 1)[1])[0])
        used[source] = set()
        listing = subprocess.run([nm, path], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            words = line.split()
            if len(words) < 2:
                continue
            kind, symbol = words[-2], words[-1]
            if kind == "U":
                used[source].add(symbol)
            elif kind.isupper():
                defined[symbol] = source
    arrows = {source: {} for source in used}
    for source, symbols in used.items():
        for symbol in sorted(symbols):
            target = defined.get(symbol)
            if target and target != source:
                arrows[source].setdefault(target, []).append(symbol)
    return arrows


def circles(arrows):
    """The strongly connected components of more than one source (Tarjan), the largest first."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for target in arrows[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in on_stack:
                low[node] = min(low[node], index[target])
        if low[node] != index[node]:
            return
        component = []
        while not component or component[-1] != node:
            component.append(stack.pop())
            on_stack.discard(component[-1])
        if len(component) > 1:
            found.append(sorted(component))

    sys.setrecursionlimit(10000)
    for node in arrows:
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def some(symbols):
    return ", ".join(symbols[:4]) + (", ..." if len(symbols) > 4 else "")


def judge_circles(rules, arrows):
    now = circles(arrows)
    everybody = {source for circle in now for source in circle}
    for circle in now:
        for source in circle:
            if source in rules.known:
                continue
            uses = [f"{target} ({some(symbols)})" for target, symbols in sorted(arrows[source].items())
                    if target in circle]
            yield f"{source} is in a circle of {len(circle)}, where it uses {'; '.join(uses)}"
    for source in sorted(rules.known - everybody):
        yield f"{source} is in no circle any more: take it out of the known ones"


def judge_floors(rules, arrows):
    floors = {source: rules.floor(source) for source in arrows}
    for source in sorted(arrows):
        if floors[source] is None:
            yield f"{source} is on no floor: say on which"
            continue
        for target, symbols in sorted(arrows[source].items()):
            if floors[target] is not None and floors[target] > floors[source]:
                yield f"an arrow goes up: {source} uses {target} ({some(symbols)})"


def includes_of(path):
    with open(path, encoding="utf-8") as text:
        return re.findall(r'^#include "([^"]+)"', text.read(), flags=re.M)


def judge_headers(rules, source_dir):
    """A header is on a floor, too."""
    roots = {prefix.split("/")[0] for prefixes in rules.floors for prefix in prefixes}
    for root in sorted(roots):
        for folder, _, files in sorted(os.walk(os.path.join(source_dir, root))):
            for file in sorted(name for name in files if name.endswith((".c", ".h"))):
                path = os.path.relpath(os.path.join(folder, file), source_dir)
                floor = rules.floor(path)
                for header in includes_of(os.path.join(folder, file)):
                    above = rules.floor(header)
                    if floor is not None and above is not None and above > floor:
                        yield f"an arrow goes up: {path} includes {header}"


def judge_seams(rules, arrows, source_dir):
    for user, provider, headers in rules.seams:
        text = ""
        for header in headers:
            with open(os.path.join(source_dir, header), encoding="utf-8") as file:
                text += file.read()
        named = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)))
        for source in sorted(arrows):
            if not below(source, user):
                continue
            for target, symbols in sorted(arrows[source].items()):
                missing = [symbol for symbol in symbols if symbol not in named]
                if below(target, provider) and missing:
                    yield f"beside the seam: {source} uses {some(missing)} of {target}"
        yield from judge_includes(user, provider, headers, source_dir)


def judge_includes(user, provider, headers, source_dir):
    for folder, _, files in sorted(os.walk(os.path.join(source_dir, user))):
        for file in sorted(name for name in files if name.endswith((".c", ".h"))):
            path = os.path.join(folder, file)
            for header in includes_of(path):
                if below(header, provider) and header not in headers:
                    yield f"beside the seam: {os.path.relpath(path, source_dir)} includes {header}"


def judge_lengths(rules, arrows, source_dir):
    if rules.longest is None:
        return
    sources = set(arrows)
    for measured in rules.measured:
        found = {os.path.relpath(os.path.join(folder, file), source_dir)
                 for folder, _, files in os.walk(os.path.join(source_dir, measured))
                 for file in files if file.endswith((".c", ".cc", ".cpp", ".S"))}
        if not found:
            yield f"{measured} has no source: it is not measured"
        sources |= found
    for source in sorted(sources):
        with open(os.path.join(source_dir, source), encoding="utf-8") as file:
            lines = sum(1 for _ in file)
        if lines > rules.longest:
            yield f"{source} has {lines} lines, more than {rules.longest}: it is about more than one thing"


def judge(rules, arrows, source_dir):
    yield from judge_circles(rules, arrows)
    yield from judge_floors(rules, arrows)
    yield from judge_headers(rules, source_dir)
    yield from judge_seams(rules, arrows, source_dir)
    yield from judge_lengths(rules, arrows, source_dir)


def check(rules_file, source_dir, nm, objects):
    with open(rules_file, encoding="utf-8") as lines:
        rules = Rules(lines)
    arrows = read_arrows(nm, [path for path in objects.split(";") if path])
    failures = list(judge(rules, arrows, source_dir))
    if len(arrows) < 50 or sum(map(len, arrows.values())) < 100:
        failures.append(f"{len(arrows)} sources with {sum(map(len, arrows.values()))} arrows were seen: "
                        f"{nm} cannot read these objects")
    for failure in failures:
        print(failure)
    print(f"{len(arrows)} sources, {len(rules.floors)} floors, "
          f"{sum(map(len, circles(arrows)))} sources in circles")
    return 1 if failures else 0


# ---- What the check says of faults that are put in ---------------------------------------------------

HOUSE = {
    "mid/c.h": "int c(void);",
    "low/a.c": "int a; int a_more(void) { return a; }",
    "low/b.c": "extern int a; int b(void) { return a; }",
    "mid/c.c": "int b(void); int c(void) { return b(); }",
    "top/d.c": '#include "mid/c.h"\nint d(void) { return c(); }',
}
RULES = ["floor low", "floor mid", "floor top", "seam top mid: mid/c.h"]
CASES = [
    ("a sound one", {}, [], []),
    ("a circle", {"low/a.c": "int b(void); int a; int a_more(void) { return b(); }"}, [],
     ["low/a.c is in a circle of 2, where it uses low/b.c (b)",
      "low/b.c is in a circle of 2, where it uses low/a.c (a)"]),
    ("a known circle", {"low/a.c": "int b(void); int a; int a_more(void) { return b(); }"},
     ["circle low/a.c", "circle low/b.c"], []),
    ("a third one in a known circle",
     {"low/a.c": "int e(void); int a; int a_more(void) { return e(); }",
      "low/e.c": "int b(void); int e(void) { return b(); }"},
     ["circle low/a.c", "circle low/b.c"],
     ["low/e.c is in a circle of 3, where it uses low/b.c (b)"]),
    ("a circle that is gone", {}, ["circle low/a.c"],
     ["low/a.c is in no circle any more: take it out of the known ones"]),
    ("an arrow up", {"low/e.c": "int d(void); int e(void) { return d(); }"}, [],
     ["an arrow goes up: low/e.c uses top/d.c (d)"]),
    ("an arrow up by a table", {"low/e.c": "int d(void); int (*const e)(void) = d;"}, [],
     ["an arrow goes up: low/e.c uses top/d.c (d)"]),
    ("a header above", {"low/e.c": '#include "mid/c.h"\nint e;'}, [],
     ["an arrow goes up: low/e.c includes mid/c.h"]),
    ("a header that includes one above", {"low/e.h": '#include "mid/c.h"'}, [],
     ["an arrow goes up: low/e.h includes mid/c.h"]),
    ("a long source", {"low/e.c": "int e;\n\n\n"}, ["longest 3"],
     ["low/e.c has 4 lines, more than 3: it is about more than one thing"]),
    ("a long source of no object", {"aside/e.cc": "int e;\n\n\n"}, ["longest 3 aside"],
     ["aside/e.cc has 4 lines, more than 3: it is about more than one thing"]),
    ("a folder to measure that is not there", {}, ["longest 3 aside"], ["aside has no source: it is not measured"]),
    ("a source on no floor", {"side/e.c": "int e;"}, [], ["side/e.c is on no floor: say on which"]),
    ("a symbol beside the seam", {"mid/f.c": "int f;", "top/d.c": "extern int f; int d(void) { return f; }"}, [],
     ["beside the seam: top/d.c uses f of mid/f.c"]),
    ("a header beside the seam", {"top/d.c": '#include "mid/f.h"\nint d;', "mid/f.h": "/* empty */"}, [],
     ["beside the seam: top/d.c includes mid/f.h"]),
]


def make(compiler, root, files):
    """{source: object}"""
    objects = {}
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text + "\n")
    for path in files:
        if path.endswith(".c"):
            objects[path] = os.path.join(root, "made.dir", path + ".o")
            os.makedirs(os.path.dirname(objects[path]), exist_ok=True)
            subprocess.run([compiler, "-I", root, "-c", os.path.join(root, path), "-o", objects[path]],
                           check=True)
    return objects


def selftest(compiler, nm):
    with tempfile.TemporaryDirectory() as sound:
        objects_of_sound = make(compiler, sound, HOUSE)
        failures = sum(not selftest_case(compiler, nm, objects_of_sound, *case) for case in CASES)
    print(f"{len(CASES)} libraries were judged, {failures} of them wrongly")
    return 1 if failures else 0


def selftest_case(compiler, nm, sound, name, changes, rules, expected):
    with tempfile.TemporaryDirectory() as root:
        for path, text in HOUSE.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        objects = {**sound, **make(compiler, root, changes)}
        said = list(judge(Rules("\n".join(RULES + rules)), read_arrows(nm, [objects[path] for path in sorted(objects)]), root))
    if said != expected:
        print(f"{name}: expected {expected}, it said {said}")
    return said == expected


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 5 and arguments[0] == "check":
        return check(*arguments[1:])
    if len(arguments) == 3 and arguments[0] == "selftest":
        return selftest(*arguments[1:])
    raise SystemExit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
