# SPDX-License-Identifier: MIT
"""page.py - a trace as one page that needs no other file: a timeline to move about in, and the summary's tables.

page.js draws the timeline from the page's data: for each track a flat list of slices, five numbers each:
what, name, begin, length, and which of the further texts (a call's door, an object, call sites)
belongs to it.
"""
import html
import json
import os
import re
import time

from . import summary

MOST = 1000000 # slices: with more of them a browser takes too long to load the page, which then says so
WHAT = ("run", "entry", "idle", "hand-over", "ready", "queued", "born", "blocked")
COLOURS = ("#4caf50", "#ff9800", "#e0e0e0", "#ba68c8", "#ffe082", "#ffcc80", "#bbdefb", "#90a4ae")

STYLE = """
body { font: 14px sans-serif; margin: 0 1em 1em; color: #222 } h1 { font-size: 1.2em; margin: .6em 0 .2em }
#t { border: 1px solid #bbb; width: 100%; height: 70vh; display: block } #t:focus { outline: 2px solid #1976d2 }
pre { background: #f6f6f6; padding: .8em; overflow-x: auto } .cut { background: #ffcdd2; padding: .3em }
.key span { padding: 0 .5em; margin-right: .4em } .bar { display: inline-block; width: 16em; height: .8em; overflow: hidden;
background: #e0e0e0; margin: 0 .6em } .bar i { display: inline-block; height: 100%; vertical-align: top }
#tools > * { margin-right: .8em } #tip { min-height: 1.4em } #use { max-height: 9em; overflow-y: auto }
#use div { white-space: nowrap; display: flex; align-items: center } #use b { width: 14em; overflow: hidden; font-weight: normal;
text-overflow: ellipsis } #detail { white-space: pre-wrap; background: #fffde7; padding: .4em; display: none }
"""
BODY = """
<div id="tools"><input id="filter" type="search" placeholder="filter: worker, function, call" size="28">
<label>group <select id="group"><option value="">none</option><option>name</option><option>function</option></select></label>
<label>sort <select id="sort"><option>number</option><option>name</option><option>ran</option><option>ready</option>
<option>blocked</option><option>first</option></select></label>
<label><input type="checkbox" id="arrows"> arrows</label> <button id="fold">fold all</button> <button id="all">whole time</button>
<span id="shown"></span></div>
<div id="use"></div><div id="delay"></div><div id="tip"></div>
<canvas id="t" tabindex="0"></canvas><div id="detail"></div>
<p>Wheel: scroll. Ctrl and wheel: zoom. Shift and wheel, or drag: move in time. Click: what it is, its call sites, its arrows.
Click on a group: fold. Keys: w s zoom, a d move, arrows, PgUp PgDn, 0 the whole time, / filter, Esc nothing chosen.</p>
"""


def function_of(part):
    """The function of the outermost call site, without the offset in it."""
    sites = str(part.more.get("called from", "")).split(" < ")
    return sites[-1].split("+0x")[0].split("!")[-1]


def further(part):
    """The slice's further facts, one line each; call sites one below the other."""
    return "\n".join(f"{key}: " + str(value).replace(" < ", "\n    < ") for key, value in part.more.items())


def collect(timeline):
    """(the page's data, the number of all slices)."""
    begin = timeline.begin
    parts = [part for part in timeline.slices if part.kind != "carrier"]
    chosen = parts if len(parts) <= MOST else sorted(parts, key=lambda part: part.start - part.end)[:MOST]
    tracks, names, texts, functions = {}, {}, {"": 0}, {}
    for kind, number in sorted({(part.kind, part.number) for part in parts}):
        tracks[kind, number] = []
    for part in sorted(chosen, key=lambda part: part.start):
        track = kind, number = part.kind, part.number
        if kind == "worker" and track not in functions and "called from" in part.more:
            functions[track] = function_of(part)
        tracks[track] += [WHAT.index(part.what) if part.what in WHAT else 0, names.setdefault(part.name, len(names)),
                          part.start - begin, part.end - part.start,
                          texts.setdefault(further(part), len(texts))]
    index = {track: position for position, track in enumerate(tracks)}
    flows = [[index["worker", worker], completed - begin, index["scheduler", scheduler], executed - begin]
             for worker, _, _, completed, scheduler, executed in timeline.flows
             if ("worker", worker) in index and ("scheduler", scheduler) in index]
    data = {"end": max(timeline.end - begin, 1), "names": list(names), "texts": list(texts), "flows": flows,
            "what": WHAT, "colours": COLOURS,
            "tracks": [{"kind": kind, "number": number, "name": timeline.names.get(number, ""),
                        "function": functions.get((kind, number), ""), "slices": slices}
                       for (kind, number), slices in tracks.items()]}
    return data, len(parts)


def write(timeline, out):
    data, all_slices = collect(timeline)
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "page.js"), encoding="utf-8") as file:
        script = file.read()
    pid, command = timeline.head["pid"], timeline.command
    program = re.split(r"[\\\\/]", command.split('"')[1] if command[:1] == '"' else command.split(" ")[0])[-1] if command else "umsshim"
    date = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(timeline.head["realtime"] / 1e9))
    key = "".join(f'<span style="background:{colour}">{what}</span>' for what, colour in zip(WHAT, COLOURS))
    cut = "" if all_slices <= MOST else (f'<p class="cut">These are the {MOST:,} longest of {all_slices:,} slices, on all '
                                         f'{len(data["tracks"]):,} tracks; umsshim-trace json has all of them.</p>')
    lost = f'<p class="cut">{timeline.lost:,} records were lost.</p>' if timeline.lost else ""
    head = f"{program}, process {pid}, {date}"
    safe = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    text = html.escape("\n".join(summary.lines(timeline, 1000)))
    out.write(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(head)}: {html.escape(command)}</title>
<style>{STYLE}</style></head><body>
<h1>{html.escape(head)}</h1>
<code>{html.escape(command)}</code>
<p class="key">{key}</p>{cut}{lost}
{BODY}<pre>{text}</pre>
<script>const data = {safe};
{script}</script></body></html>
""")
