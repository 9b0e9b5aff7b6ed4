# SPDX-License-Identifier: MIT
"""page.py - a trace as one page that needs nothing else: a timeline to zoom into, and the summary's tables."""
import html
import json

from . import summary

MOST = 200000 # slices that a browser draws without delay

STYLE = """
body { font: 14px sans-serif; margin: 1em; color: #222 } canvas { border: 1px solid #bbb; width: 100% }
pre { background: #f6f6f6; padding: .8em; overflow-x: auto } #tip { height: 1.4em }
.key span { padding: 0 .5em; margin-right: .5em }
"""
COLOURS = {"run": "#4caf50", "entry": "#ff9800", "idle": "#e0e0e0", "hand-over": "#ba68c8", "ready": "#ffe082",
           "queued": "#ffcc80", "born": "#bbdefb", "blocked": "#90a4ae"}
SCRIPT = """
const c = document.getElementById('t'), g = c.getContext('2d'), ROW = 18, LEFT = 170;
let from = 0, to = data.end;
const rows = new Map(data.tracks.map((t, i) => [i, t]));
function size() { c.width = c.clientWidth; c.height = ROW * (data.tracks.length + 1); draw(); }
function x(t) { return LEFT + (t - from) / (to - from) * (c.width - LEFT); }
function text(ns) { return ns >= 1e9 ? (ns/1e9).toPrecision(4)+' s' : ns >= 1e6 ? (ns/1e6).toPrecision(4)+' ms'
  : ns >= 1e3 ? (ns/1e3).toPrecision(4)+' us' : Math.round(ns)+' ns'; }
function draw() {
  g.clearRect(0, 0, c.width, c.height); g.font = '11px sans-serif'; g.textBaseline = 'middle';
  for (const [track, what, name, start, end] of data.slices) {
    if (end < from || start > to) continue;
    const a = Math.max(x(start), LEFT), b = Math.min(x(end), c.width), w = Math.max(b - a, 1), y = ROW * (track + 1);
    g.fillStyle = data.colours[what]; g.fillRect(a, y + 1, w, ROW - 2);
    if (w > 50) { g.save(); g.beginPath(); g.rect(a, y, w - 2, ROW); g.clip(); g.fillStyle = '#222';
      g.fillText(data.names[name], a + 3, y + ROW / 2); g.restore(); }
  }
  g.strokeStyle = 'rgba(200,0,0,.5)';
  for (const [track, a, other, b] of data.flows) {
    if (b < from || a > to || x(b) - x(a) < 2) continue;
    g.beginPath(); g.moveTo(x(a), ROW * (track + 1.5)); g.lineTo(x(b), ROW * (other + 1.5)); g.stroke(); }
  g.fillStyle = '#fff'; g.fillRect(0, 0, LEFT, c.height); g.fillStyle = '#222';
  data.tracks.forEach((t, i) => g.fillText(t, 4, ROW * (i + 1.5), LEFT - 8));
  for (let i = 0; i <= 6; i++) { const t = from + (to - from) * i / 6;
    g.textAlign = i < 6 ? 'left' : 'right'; g.fillText(text(t), i < 6 ? x(t) + 2 : c.width - 2, ROW / 2); }
  g.textAlign = 'left';
}
function at(e) { const r = c.getBoundingClientRect(); return from + ((e.clientX - r.left) - LEFT) / (c.width - LEFT) * (to - from); }
c.addEventListener('wheel', e => { e.preventDefault(); const m = at(e), k = e.deltaY > 0 ? 1.25 : 0.8;
  from = Math.max(0, m - (m - from) * k); to = Math.min(data.end, m + (to - m) * k); if (to - from < 100) to = from + 100; draw(); },
  {passive: false});
let grip = null;
c.addEventListener('mousedown', e => grip = at(e));
window.addEventListener('mouseup', () => grip = null);
c.addEventListener('mousemove', e => {
  const m = at(e), track = Math.floor((e.clientY - c.getBoundingClientRect().top) / ROW) - 1;
  if (grip !== null) { let d = grip - m; d = Math.max(d, -from); d = Math.min(d, data.end - to); from += d; to += d; draw(); }
  let said = ''; for (const s of data.slices) if (s[0] === track && s[3] <= m && m < s[4])
    said = data.tracks[track] + ': ' + data.names[s[2]] + ' (' + s[1] + '), ' + text(s[4] - s[3]) + ' from ' + text(s[3]);
  document.getElementById('tip').textContent = said; });
c.addEventListener('dblclick', () => { from = 0; to = data.end; draw(); });
window.addEventListener('resize', size); size(); document.title += ' - drawn';
"""


def write(timeline, out):
    tracks = sorted({(part.kind != "scheduler", part.kind, part.number) for part in timeline.slices})
    tracks = [(kind, number) for _, kind, number in tracks if kind != "carrier"][:2000]
    index = {track: position for position, track in enumerate(tracks)}
    names, slices = {}, []
    parts = sorted(timeline.slices, key=lambda part: part.start - part.end)[:MOST]
    for part in sorted(parts, key=lambda part: part.start):
        track = index.get((part.kind, part.number))
        if track is not None:
            name = names.setdefault(part.name, len(names))
            slices.append([track, part.what, name, part.start - timeline.begin, part.end - timeline.begin])
    flows = [[index[("worker", worker)], completed - timeline.begin, index[("scheduler", scheduler)],
              executed - timeline.begin] for worker, _, _, completed, scheduler, executed in timeline.flows[:MOST]
             if ("worker", worker) in index and ("scheduler", scheduler) in index]
    data = {"end": max(timeline.end - timeline.begin, 1), "slices": slices, "names": list(names), "flows": flows,
            "tracks": [f"{kind} {timeline.label(number)}" for kind, number in tracks], "colours": COLOURS}
    text = html.escape("\n".join(summary.lines(timeline, 1000)))
    key = "".join(f'<span style="background:{colour}">{what}</span>' for what, colour in COLOURS.items())
    more = "" if len(timeline.slices) <= MOST else f"<p>The longest {MOST} of {len(timeline.slices)} slices.</p>"
    safe = json.dumps(data).replace("<", "\\u003c")
    out.write(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>umsshim: process {timeline.head['pid']}</title>
<style>{STYLE}</style></head><body>
<h1>Process {timeline.head['pid']}</h1>
<p class="key">{key} lines: from a completion to where the worker goes on</p>
<p>Wheel: zoom. Drag: move. Double click: all.</p>{more}
<p id="tip"></p><canvas id="t"></canvas>
<pre>{text}</pre>
<script>const data = {safe};{SCRIPT}</script></body></html>
""")
