#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""architecture.py - draws docs/architecture.svg from the sources: the parts of the tree, how large each is, and
an arrow for each part that includes headers of another.

    python3 docs/architecture.py            writes the picture
    python3 docs/architecture.py --check    says whether the one that is there is what the sources say
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/architecture.svg"

# A part's name, what it is, and where its box stands: column and row. The first that fits a path counts.
PARTS = [
    ("samples", "programs: what they see is <windows.h>", 1, 0),
    ("winapi/linux", "the Win32 calls on Linux", 0, 1),
    ("winapi/include", "headers that programs include", 1, 1),
    ("winapi/windows", "umsshim.dll's exports, umsrun", 2, 1),
    ("umsshim", "what UMS means", 1, 2),
    ("platform/linux", "the Linux engine", 0, 3),
    ("platform/windows", "the Windows engine", 2, 3),
    ("platform", "the seam, and what both engines share", 1, 4),
]
WIDTH, GAP_X, GAP_Y, LINE, EDGE = 250, 60, 46, 16, 20


def sources():
    for folder in sorted({part[0].split("/")[0] for part in PARTS}):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cpp", ".S", ".def"):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def part_of(path):
    return next(name for name, *_ in sorted(PARTS, key=lambda p: -len(p[0])) if path.startswith(name + "/"))


def measure():
    """Lines of each part and of each folder in an engine; arrows with the number of files behind each."""
    lines, folders, arrows = {}, {}, {}
    for path, text in sources():
        part = part_of(path)
        count = text.count("\n")
        lines[part] = lines.get(part, 0) + count
        inner = path[len(part) + 1:].split("/")
        if part in ("platform/linux", "platform/windows"):
            name = inner[0] if len(inner) > 1 else "(no folder)"
            folders.setdefault(part, {}).setdefault(name, [0, 0])
            folders[part][name][0] += 1
            folders[part][name][1] += count
        named = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)
        others = {part_of(name) for name in named if (ROOT / name).is_file() and "/" in name
                  and name.split("/")[0] in ("winapi", "umsshim", "platform", "samples")}
        if re.search(r"^\s*#\s*include\s+<[Ww]indows\.h>", text, re.M) and part == "samples":
            others.add("winapi/include")
        for other in others - {part}:
            arrows[part, other] = arrows.get((part, other), 0) + 1
    return lines, folders, arrows


def height(part, folders):
    return 48 + LINE * len(folders.get(part, {}))


def places(folders):
    tops, top = {}, EDGE
    for row in sorted({part[3] for part in PARTS}):
        tops[row] = top
        top += GAP_Y + max(height(name, folders) for name, _, _, r in PARTS if r == row)
    boxes = {name: (EDGE + column * (WIDTH + GAP_X), tops[row], height(name, folders))
             for name, _, column, row in PARTS}
    return boxes, top - GAP_Y + EDGE


def ends(a, b):
    """Where a line between two boxes begins and ends: from side to side in one row, else from bottom to top."""
    ax, ay, ah = a
    bx, by, bh = b
    if by >= ay + ah:
        shift = 30 if bx > ax else -30 if bx < ax else 0
        return ax + WIDTH / 2 + shift, ay + ah, bx + WIDTH / 2 - shift, by
    if ay >= by + bh:
        return ax + WIDTH / 2 + 60, ay, bx + WIDTH / 2 + 60, by + bh
    side = ax < bx
    y = max(ay, by) + 20
    return ax + WIDTH * side, y, bx + WIDTH * (not side), y


def draw():
    lines, folders, arrows = measure()
    boxes, bottom = places(folders)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">'
           % (2 * EDGE + 3 * WIDTH + 2 * GAP_X, bottom),
           "<!-- Made by docs/architecture.py from the sources. -->",
           '<defs><marker id="tip" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
           '<path d="M0 0 L9 4 L0 8 z"/></marker></defs>',
           '<rect width="100%" height="100%" fill="white"/>']
    for (a, b), files in sorted(arrows.items()):
        x1, y1, x2, y2 = ends(boxes[a], boxes[b])
        out.append('<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="black" marker-end="url(#tip)">'
                   "<title>%s uses %s in %d files</title></line>" % (x1, y1, x2, y2, a, b, files))
    for name, what, _, _ in PARTS:
        x, y, h = boxes[name]
        out.append('<rect x="%g" y="%g" width="%g" height="%g" rx="6" fill="#eef3f8" stroke="#456"/>'
                   % (x, y, WIDTH, h))
        out.append('<text x="%g" y="%g" font-size="14" font-weight="bold">%s/</text>' % (x + 10, y + 19, name))
        out.append('<text x="%g" y="%g" font-size="11" text-anchor="end">%.1f k lines</text>'
                   % (x + WIDTH - 10, y + 19, lines[name] / 1000))
        out.append('<text x="%g" y="%g" font-size="11">%s</text>'
                   % (x + 10, y + 36, what.replace("<", "&lt;").replace(">", "&gt;")))
        for i, (folder, (files, _)) in enumerate(sorted(folders.get(name, {}).items())):
            out.append('<text x="%g" y="%g" font-size="11" font-family="monospace">%s</text>'
                       % (x + 22, y + 52 + i * LINE, "%-14s %d files" % (folder, files)))
    return "\n".join(out + ["</svg>", ""])


FIGURE = r"([0-9.]+)( k lines| files)"


def differs(there, now):
    """Boxes, arrows and folders must be the same; a figure may be off by a tenth, since each commit changes some."""
    if re.sub(FIGURE, "", there) != re.sub(FIGURE, "", now):
        return True
    pairs = zip(re.findall(FIGURE, there), re.findall(FIGURE, now))
    return any(abs(float(a) - float(b)) > max(0.1 * float(b), 3) for (a, _), (b, _) in pairs)


def main():
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or differs(PICTURE.read_text(encoding="utf-8"), draw()):
            sys.exit("docs/architecture.svg is not what the sources say: python3 docs/architecture.py")
    elif not sys.argv[1:]:
        PICTURE.write_text(draw(), encoding="utf-8")
    else:
        sys.exit(__doc__)


main()
