# SPDX-License-Identifier: MIT
"""summary.py - the sums of a trace: workers, schedulers, and how soon completed workers go on."""
import re
from collections import defaultdict


def duration(nanoseconds):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= scale:
            number = nanoseconds / scale
            return f"{number:.3g} {unit}" if number < 999.5 else f"{number:,.0f} {unit}"
    return f"{nanoseconds:.0f} ns"


def called(calls, most=4):
    """The calls that took the longest, and the number of the others."""
    told = sorted(calls.items(), key=lambda item: -item[1][1])
    others = [f"{len(told) - most} others"] if len(told) > most else []
    return ", ".join([f"{name} {count}x {duration(length)}" for name, (count, length) in told[:most]] + others)


class Totals:
    def __init__(self):
        self.time = defaultdict(int)
        self.calls = defaultdict(lambda: [0, 0]) # by call: how often, how long
        self.longest = 0, ""


def add_up(timeline):
    """(schedulers, workers): Totals by number."""
    found = {"scheduler": defaultdict(Totals), "worker": defaultdict(Totals), "carrier": defaultdict(Totals)}
    for part in timeline.slices:
        totals, length = found[part.kind][part.number], part.end - part.start
        totals.time[part.what] += length
        if part.what == "blocked":
            name = part.name.split(" 0x")[0]
            totals.calls[name][0] += 1
            totals.calls[name][1] += length
            totals.longest = max(totals.longest, (length, part.name))
    return found["scheduler"], found["worker"]


def histogram(latencies):
    """A list of (bound, number of latencies up to the bound); bounds are powers of two of microseconds."""
    counts = defaultdict(int)
    for latency in latencies:
        counts[max(latency // 1000, 0).bit_length()] += 1
    return [(1 << power, counts[power]) for power in range(max(counts, default=-1) + 1)]


def table(rows):
    """Left-justified first column, the others right, two blanks apart."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) if column == 0 or column == len(row) - 1 else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def scheduler_rows(timeline, schedulers):
    whole = max(timeline.end - timeline.begin, 1)
    yield ["scheduler", "executed", "workers ran", "entry point", "hand-over", "idle", "busy", ""]
    for number, totals in sorted(schedulers.items()):
        time = totals.time
        busy = time["run"] + time["entry"] + time["hand-over"]
        yield [timeline.label(number), str(timeline.schedulers[number].entries), duration(time["run"]),
               duration(time["entry"]), duration(time["hand-over"]), duration(time["idle"]),
               f"{100 * busy / whole:.0f}%", ""]


def worker_rows(timeline, workers, most):
    yield ["worker", "ran", "ready", "blocked", "longest", "in, and by which calls"]
    chosen = sorted(workers.items(), key=lambda item: -item[1].time["run"])[:most]
    for number, totals in sorted(chosen):
        longest = f"{duration(totals.longest[0])}" if totals.longest[0] else "-"
        yield [timeline.label(number), duration(totals.time["run"]), duration(totals.time["ready"] + totals.time["queued"]),
               duration(totals.time["blocked"]), longest, called(totals.calls)]


def name_rows(timeline, workers):
    """Workers whose names differ in a number at the end, added up."""
    groups = defaultdict(lambda: [0, Totals()])
    for number, totals in workers.items():
        name = re.sub(r"[\s\d_#-]+$", "", timeline.names.get(number, "")) or "(no name)"
        group = groups[name]
        group[0] += 1
        for what, length in totals.time.items():
            group[1].time[what] += length
        for call, (count, length) in totals.calls.items():
            group[1].calls[call][0] += count
            group[1].calls[call][1] += length
    yield ["name", "workers", "ran", "ready", "blocked", "in, and by which calls"]
    for name, (count, totals) in sorted(groups.items(), key=lambda item: -item[1][1].time["run"]):
        yield [name, str(count), duration(totals.time["run"]), duration(totals.time["ready"] + totals.time["queued"]),
               duration(totals.time["blocked"]), called(totals.calls)]


def lines(timeline, most=50):
    schedulers, workers = add_up(timeline)
    yield (f"{duration(timeline.end - timeline.begin)} of process {timeline.head['pid']}: {len(schedulers)} schedulers, "
           f"{len(workers)} workers, {len(timeline.slices)} slices")
    if timeline.lost:
        yield f"{timeline.lost} records did not fit into their rings: set UMSSHIM_TRACE=FILE,ring=N, with more than 8 (MiB)"
    yield ""
    yield from table(list(scheduler_rows(timeline, schedulers)))
    by_name = list(name_rows(timeline, workers))
    if len(by_name) - 1 < len(workers):
        yield ""
        yield from table(by_name)
    yield ""
    yield from table(list(worker_rows(timeline, workers, most)))
    if len(workers) > most:
        yield f"({len(workers) - most} more, which ran for less time)"
    if timeline.latencies:
        yield ""
        ordered = sorted(timeline.latencies)
        yield (f"from completion to execution, {len(ordered)} times: median {duration(ordered[len(ordered) // 2])}, "
               f"99 of 100 {duration(ordered[len(ordered) * 99 // 100])}, longest {duration(ordered[-1])}")
        top = max(count for _, count in histogram(ordered))
        for limit, count in histogram(ordered):
            yield f"  < {duration(limit * 1000):>8} {count:>8} {'#' * round(50 * count / top)}".rstrip()
