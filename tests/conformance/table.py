#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py - makes docs/conformance.md from the clauses in the program and the results kept here.

    table.py record WORLD REPORT.json...   keeps a run's results in results/WORLD.json
    table.py write CLAUSES.json            writes docs/conformance.md
    table.py check CLAUSES.json            fails if that file would be another one
    table.py same ONE.json OTHER.json      fails if two runs differ in a clause, and says in which

CLAUSES.json is what "ums_conformance --list --json=CLAUSES.json" writes; WORLD is one of WORLDS.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "docs" / "conformance.md"

WORLDS = [  # name, head of the column, what it is
    ("linux", "Linux", "native, linked with `libumsshim.so`"),
    ("linux_kernel32", "by name", "native, all calls from `GetProcAddress` on kernel32"),
    ("wine_linked_inplace", "Wine, in place",
     "a Windows program under Wine, linked with `umsshim.dll`, that switches in user mode"),
    ("wine_linked_pinned", "Wine, pinned", "the same, each worker pinned to its own kernel thread"),
    ("wine_umsrun_inplace", "umsrun, in place",
     "a Windows program under Wine that knows kernel32 only, started by `umsrun`"),
    ("wine_umsrun_pinned", "umsrun, pinned", "the same, pinned"),
    ("windows10", "Windows 10", "Microsoft's own UMS"),
    ("windows11", "Windows 11", "a program that knows kernel32 only, started by `umsrun`"),
]
FAMILIES = [
    ("Types, constants, layout", ["TY"]), ("Where the calls are found", ["XP", "NS"]),
    ("Completion lists and their event", ["CL", "DL", "EV"]),
    ("DequeueUmsCompletionListItems, GetNextUmsListItem", ["DQ", "NX"]),
    ("Thread contexts", ["TC", "DT"]), ("Creating workers", ["AT", "CT"]),
    ("EnterUmsSchedulingMode", ["ES"]), ("The scheduler's entry point", ["SP"]),
    ("ExecuteUmsThread", ["EX"]), ("UmsThreadYield, GetCurrentUmsThread", ["YD", "GC"]),
    ("QueryUmsThreadInformation, SetUmsThreadInformation", ["QI", "SI"]),
    ("GetUmsSystemThreadInformation", ["SY"]), ("Blocking", ["BL"]),
    ("Ends", ["LF"]), ("Suspension", ["SU"]),
    ("Concurrency, debuggers, the Concurrency Runtime", ["CN", "DB", "CX", "PT", "LX"]),
    ("Schedulers by workers by lists", ["MX"]),
]
API = "https://learn.microsoft.com/windows/win32/api/"
page_names = {"W": API + "winbase/nf-winbase-", "N": API + "winnt/",
              "P": API + "processthreadsapi/nf-processthreadsapi-"}
GUIDE = "https://learn.microsoft.com/windows/win32/procthread/user-mode-scheduling"
MARKS = {"passed": "yes", "differs": "differs", "skipped": "skipped", "not run": "not run", "untestable": "-"}
HEAD = """# Conformance

*Made by `tests/conformance/table.py`; do not edit.*

The contract of User-Mode Scheduling, clause by clause, and the result of each clause in each world. **Says**:
DOC is Microsoft's documentation, OBS what Windows was seen to do, UNS what neither settles: there
the clause states our choice, and on Windows what the page says passes as well. How to run the kit,
and to add a clause: [tests/conformance](../tests/conformance/README.md). Departures are explained
in [differences.md](differences.md).

"""


def page_link(page):
    kind, _, name = page.partition(":")
    if page == "U":
        return "[guide](%s)" % GUIDE
    if page == "W:index":
        return "[winbase](%swinbase/)" % API
    if kind == "W" and name.startswith("ns-"):
        return "[%s](%swinbase/%s)" % (name.split("-", 2)[2], API, name)
    if kind not in page_names:
        return "-"
    return "[%s](%s%s)" % (name.split("-", 2)[2] if kind == "N" else name, page_names[kind], name)


def results_of(world):
    path = HERE / "results" / (world + ".json")
    return json.loads(path.read_text()) if path.exists() else None


def record(world, reports):
    """The worst of several runs of a clause is its result."""
    if world not in [name for name, _, _ in WORLDS]:
        sys.exit("table.py: no such world: " + world)
    order = ["passed", "untestable", "differs", "skipped", "not run", "FAILED", "HUNG", "CRASHED"]
    kept = {"system": "", "provider": "", "runs": 0, "clauses": {}}
    for report in reports:
        run = json.loads(pathlib.Path(report).read_text())
        kept["system"] = re.sub(r"(\d)-\S+", r"\1", run["system"])  # no local build's name
        kept["provider"] = run["provider"]
        kept["runs"] += run["repeat"]
        for clause in run["clauses"]:
            before = kept["clauses"].get(clause["id"])
            now = [clause["result"], clause["remark"]]
            if not before or order.index(now[0]) > order.index(before[0]):
                kept["clauses"][clause["id"]] = now
    lines = ",\n".join("  %s: %s" % (json.dumps(key), json.dumps(value))
                       for key, value in kept.pop("clauses").items())
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / (world + ".json")).write_text(
        json.dumps(kept, indent=1)[:-2] + ',\n "clauses": {\n%s\n }\n}\n' % lines)


def same(paths):
    """Results and remarks; what was measured on the way (numbers in a remark) may differ."""
    runs = []
    for path in paths:
        run = json.loads(pathlib.Path(path).read_text())
        runs.append({c["id"]: (c["result"], re.sub(r"[0-9]+", "#", c["remark"]))
                     for c in run["clauses"]})
    if not runs[0]:
        sys.exit("table.py: no clause in " + paths[0])
    different = False
    for clause in sorted(runs[0].keys() | runs[1].keys()):
        one, other = (run.get(clause, ("not in the report", "")) for run in runs)
        if one != other:
            different = True
            print("%s: %s | %s" % (clause, " ".join(one), " ".join(other)))
    if different:
        sys.exit("table.py: the answers differ: %s | %s" % tuple(paths))
    print("%d clauses, the same answers" % len(runs[0]))


def remark_of(clause, runs):
    if clause["untested"]:
        return "not testable: " + clause["untested"]
    remarks = []
    for world, head, _ in WORLDS:
        result, remark = (runs[world] or {"clauses": {}})["clauses"].get(clause["id"], ("", ""))
        if result == "passed" and remark and remark not in remarks:
            remarks.append(remark)
        elif result == "differs":
            remarks.append("%s: [differs](differences.md)" % head)
        elif remark and result not in ("", "passed", "untestable"):
            remarks.append("%s: %s" % (head, remark))
    return "; ".join(remarks).replace("|", "\\|")


def row(clause, runs):
    cells = [clause["id"], clause["tag"], clause["says"], page_link(clause["page"])]
    for world, _, _ in WORLDS:
        run = runs[world]
        result = run["clauses"].get(clause["id"], ["not run"])[0] if run else "not run"
        cells.append("-" if clause["untested"] else MARKS.get(result, "**%s**" % result))
    return "| %s |\n" % " | ".join(cells + [remark_of(clause, runs)])


def make(path):
    clauses = json.loads(pathlib.Path(path).read_text())["clauses"]
    runs = {world: results_of(world) for world, _, _ in WORLDS}
    tested = sum(not c["untested"] for c in clauses)
    text = HEAD + "%d clauses, %d of them testable by a program.\n\n" % (len(clauses), tested)
    text += "| world | what | passed | run on |\n|---|---|---|---|\n"
    for world, head, what in WORLDS:
        run = runs[world]
        passed = sum(r[0] == "passed" for r in run["clauses"].values()) if run else 0
        where = "%s; runs: %d" % (run["system"], run["runs"]) if run else ""
        text += "| %s | %s | %s | %s |\n" % (
            head, what, "%d of %d" % (passed, tested) if run else "not run", where)
    for title, families in FAMILIES:
        columns = ["clause", "says", "what", "page"] + [head for _, head, _ in WORLDS] + ["remark"]
        text += "\n## %s\n\n| %s |\n|%s\n" % (title, " | ".join(columns), "---|" * len(columns))
        for clause in clauses:
            if clause["id"].split("-")[0] in families:
                text += row(clause, runs)
    return text


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "record":
        record(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 3 and sys.argv[1] == "write":
        TABLE.write_text(make(sys.argv[2]))
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        if not TABLE.exists() or TABLE.read_text() != make(sys.argv[2]):
            sys.exit("table.py: docs/conformance.md is not current; make it anew: "
                     "tests/conformance/README.md says how")
    elif len(sys.argv) == 4 and sys.argv[1] == "same":
        same(sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
