# SPDX-License-Identifier: MIT
"""viewer_rules.py - what ui.perfetto.dev, chrome://tracing and Speedscope expect of a file in Chrome's format.

faults(trace) yields a sentence for each rule that the trace breaks.
"""
from collections import defaultdict

REQUIRED = {"M": {"name", "pid", "args"}, "X": {"name", "cat", "pid", "tid", "ts", "dur"},
            "i": {"name", "pid", "tid", "ts", "s"}, "s": {"id", "name", "cat", "pid", "tid", "ts"},
            "t": {"id", "name", "cat", "pid", "tid", "ts", "bp"}, "f": {"id", "name", "cat", "pid", "tid", "ts", "bp"}}
ORDER = "stf"
ROUNDING = 0.0015 # microseconds: times are nanoseconds, written as thousandths


def faults(trace):
    events = trace["traceEvents"]
    slices, flows, named = defaultdict(list), defaultdict(list), set()
    for event in events:
        missing = REQUIRED.get(event.get("ph"), {"a known ph"}) - set(event)
        if missing:
            yield f"{event} lacks {sorted(missing)}"
            return
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append((event["ts"], event["dur"], event["name"]))
            if event["ts"] < 0 or event["dur"] < 0:
                yield f"{event} is before the beginning, or lasts less than nothing"
        elif event["ph"] in ORDER:
            flows[event["cat"], event["id"]].append(event)
        elif event["ph"] == "M" and event["name"] == "thread_name":
            named.add((event["pid"], event["tid"]))
    yield from faults_of_tracks(slices, named)
    yield from faults_of_flows(flows, slices)


def faults_of_tracks(slices, named):
    for track, parts in slices.items():
        if track not in named:
            yield f"track {track} has no name"
        if parts != sorted(parts, key=lambda part: part[0]):
            yield f"track {track}: slices are not in the order of their beginnings"
        for (start, length, name), (after, _, other) in zip(parts, parts[1:]):
            if start + length > after + ROUNDING:
                yield f"track {track}: {name} of {length} us at {start} reaches over {other} at {after}"
                break


def faults_of_flows(flows, slices):
    for key, steps in flows.items():
        if [step["ph"] for step in steps] not in (["s", "f"], ["s", "t", "f"]):
            yield f"flow {key} has the steps {[step['ph'] for step in steps]}"
        if any(one["ts"] > two["ts"] for one, two in zip(steps, steps[1:])):
            yield f"flow {key} goes back in time"
        for step in steps: # it is drawn from and to the slice that encloses it
            track = slices[step["pid"], step["tid"]]
            if not any(start - ROUNDING <= step["ts"] <= start + length + ROUNDING for start, length, _ in track):
                yield f"flow {key}: no slice encloses its step {step['ph']} at {step['ts']}"
                return
