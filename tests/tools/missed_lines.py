# SPDX-License-Identifier: MIT
"""missed_lines.py - the tables of lines that the tests miss (docs/testing.md, "Lines reached") are true.

  missed_lines.py SOURCE
      Each file and function that the tables name is there. No file has fewer lines than it is said to miss. The parts of a
      row make up its number, or leave some for the files that it only counts; the rows make up the sum above them.
  missed_lines.py SOURCE COVERAGE.json
      The same, and against a count of scripts/coverage.sh (gcovr's summary): what a named file misses by now, and
      each other file of the core or the Linux engine that misses many lines.
"""
import json
import os
import re
import sys

from pages import fail, failures, read

NEAR = 8  # lines by which a file may differ from the page, for threads meet otherwise each time
MANY = 15  # lines for which a file has to be named
ENGINE = "platform/linux"


def rows(text, after):
    """The cells of the first table behind these words."""
    lines = text[text.index(after):].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|---"))
    for line in lines[start + 1:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def parts(cell):
    """Yields the name and the number of each file or folder. Names of a group begin with the folder of its first."""
    for group in cell.split(";"):
        folder = ""
        for name, count in re.findall(r"`([\w./]+)`:? ?(\d+)?", group):
            if name.endswith("/") and not count:
                folder = name
                continue
            path = name if "/" in name else folder + name
            folder = folder or os.path.dirname(path) + "/" * ("/" in path)
            yield path, int(count or 0)


def check_engine(source, text):
    said = re.search(r"Missed in `platform/linux/`, ([\d,]+) lines", text)
    named, total = {}, 0
    for number, where, _ in rows(text, said.group(0)):
        number, sum_of_parts, alone = int(number), 0, " files" not in where and " more" not in where
        found = [(path, count) for path, count in parts(where) if path.endswith((".c", ".h", "/"))]
        if len(found) == 1 and not found[0][1] and alone:
            found = [(found[0][0], number)]
        for path, count in found:
            sum_of_parts += count
            full = os.path.join(source, ENGINE, path)
            if not os.path.exists(full):
                fail("%s/%s is not there" % (ENGINE, path))
            elif path.endswith("/"):
                named[ENGINE + "/" + path] = count
            else:
                named[ENGINE + "/" + path] = named.get(ENGINE + "/" + path, 0) + count
                if named[ENGINE + "/" + path] > len(read(full).splitlines()):
                    fail("%s has fewer lines than it is said to miss" % path)
        if sum_of_parts > number or (alone and sum_of_parts != number):
            fail("the files of a row miss %d lines, the row says %d: %s" % (sum_of_parts, number, where[:60]))
        total += number
    if total != int(said.group(1).replace(",", "")):
        fail("the rows make %d lines, the sum says %s" % (total, said.group(1)))
    return named


def check_core(source, text):
    named = set()
    for where, _ in rows(text, "Missed in `umsshim/`"):
        files = re.findall(r"`(\w+\.[ch])`", where)
        for name in files:
            if not os.path.exists(os.path.join(source, "umsshim", name)):
                fail("umsshim/%s is not there" % name)
        named.update("umsshim/" + name for name in files)
        there = "".join(read(source, "umsshim", name) for name in files
                        if os.path.exists(os.path.join(source, "umsshim", name)))
        for function in re.findall(r"`(\w+)`", where):
            if not re.search(r"\b%s\(" % function, there):
                fail("%s has no function %s" % (", ".join(files), function))
    return named


def check_count(path, core, engine):
    folders = tuple(name for name in engine if name.endswith("/"))
    """By files: the page names functions and reasons, which a count does not know."""
    for file in json.loads(read(path))["files"]:
        name, missed = file["filename"], file["line_total"] - file["line_covered"]
        if name.startswith(folders):
            continue  # the page has one number for the folder, or for what one reason takes of it
        if name in engine and abs(engine[name] - missed) > NEAR:
            fail("%s misses %d lines by now; the page says %d" % (name, missed, engine[name]))
        elif name.startswith((ENGINE + "/", "umsshim/")) and name not in engine and name not in core and missed > MANY:
            fail("%s misses %d lines, and the page does not name it" % (name, missed))


def main():
    source = sys.argv[1]
    text = read(source, "docs", "testing.md")
    core, engine = check_core(source, text), check_engine(source, text)
    if len(core) < 3 or len(engine) < 20:
        fail("the tables are not read: %d files of the core, %d of the engine" % (len(core), len(engine)))
    if len(sys.argv) > 2:
        check_count(sys.argv[2], core, engine)
    sys.exit(bool(failures))


main()
