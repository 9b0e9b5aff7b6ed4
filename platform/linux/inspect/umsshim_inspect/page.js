// SPDX-License-Identifier: MIT
// page.js - draws the timeline of page.py: only the rows that are in view, and of each row no more than a pixel shows.
'use strict';
const el = id => document.getElementById(id), c = el('t'), g = c.getContext('2d');
const ROW = 18, LEFT = 190, STEP = 5, [WHAT, NAME, START, LENGTH, TEXT] = [0, 1, 2, 3, 4];
let from = 0, to = data.end, top_ = 0, rows = [], wide = 0, high = 0, chosen = null, grip = null;
const folded = new Set();
data.tracks.forEach((t, i) => { t.index = i; t.label = t.kind + ' ' + t.number + (t.name ? ' "' + t.name + '"' : '');
  t.sums = new Array(data.what.length).fill(0);
  for (let s = 0; s < t.slices.length; s += STEP) t.sums[t.slices[s + WHAT]] += t.slices[s + LENGTH];
  t.flows = []; });
for (const f of data.flows) data.tracks[f[0]].flows.push(f);
data.flows.sort((a, b) => a[3] - b[3]);

function text(ns) { for (const [unit, scale] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
  if (ns >= scale) return (ns / scale).toPrecision(4) + ' ' + unit; return Math.round(ns) + ' ns'; }
function x(t) { return LEFT + (t - from) / (to - from) * (wide - LEFT); }
function time(px) { return from + (px - LEFT) / (wide - LEFT) * (to - from); }
// The first slice of a track that ends after the given moment; slices do not overlap.
function first(s, moment) { let low = 0, high_ = s.length / STEP;
  while (low < high_) { const m = low + high_ >> 1;
    if (s[m * STEP + START] + s[m * STEP + LENGTH] <= moment) low = m + 1; else high_ = m; } return low * STEP; }
function group_of(t, by) { return by === 'name' ? (t.name.replace(/[\s\d_#-]+$/, '') || '(no name)') : t.function || '(not known)'; }
const sum = (t, ...what) => what.reduce((n, w) => n + t.sums[data.what.indexOf(w)], 0);
const ORDER = { number: (a, b) => a.number - b.number, name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }) || a.number - b.number,
  ran: (a, b) => sum(b, 'run') - sum(a, 'run'), ready: (a, b) => sum(b, 'ready', 'queued') - sum(a, 'ready', 'queued'),
  blocked: (a, b) => sum(b, 'blocked') - sum(a, 'blocked'), first: (a, b) => (a.slices[START] || 0) - (b.slices[START] || 0) };

function arrange() {
  const wanted = el('filter').value.toLowerCase(), by = el('group').value, order = ORDER[el('sort').value];
  const names = wanted ? new Set(data.names.flatMap((n, i) => n.toLowerCase().includes(wanted) ? [i] : [])) : null;
  const fits = t => { if (!wanted || t.label.toLowerCase().includes(wanted) || t.function.toLowerCase().includes(wanted)) return true;
    for (let s = NAME; s < t.slices.length; s += STEP) if (names.has(t.slices[s])) return true; return false; };
  const tracks = data.tracks.filter(fits), of = kind => tracks.filter(t => t.kind === kind).sort(order);
  rows = of('scheduler').map(track => ({ track })); el('fold').disabled = !by;
  const workers = of('worker');
  if (by) {
    const groups = new Map();
    for (const t of workers) { const key = group_of(t, by); if (!groups.has(key)) groups.set(key, []); groups.get(key).push(t); }
    for (const [key, members] of groups) { rows.push({ group: key, members });
      if (!folded.has(key)) for (const track of members) rows.push({ track }); }
  } else rows.push(...workers.map(track => ({ track })));
  el('shown').textContent = tracks.length.toLocaleString('en') + ' of ' + data.tracks.length.toLocaleString('en') + ' tracks';
  top_ = Math.max(0, Math.min(top_, rows.length * ROW - (high - ROW))); draw();
}

function size() { const d = window.devicePixelRatio || 1; wide = c.clientWidth; high = c.clientHeight;
  c.width = Math.round(wide * d); c.height = Math.round(high * d); g.setTransform(d, 0, 0, d, 0, 0); arrange(); }
function slices_in(t, y, tall, words) {
  const s = t.slices; let past = -1;
  for (let i = first(s, from); i < s.length && s[i + START] < to; i += STEP) {
    const a = Math.max(x(s[i + START]), LEFT), b = Math.min(x(s[i + START] + s[i + LENGTH]), wide);
    if (b < past) continue; // less wide than the pixel that is drawn already
    const w = Math.max(b - a, 1); past = a + 1;
    g.fillStyle = data.colours[s[i + WHAT]]; g.fillRect(a, y + 1, w, tall);
    if (words && w > 50) { g.save(); g.beginPath(); g.rect(a, y, w - 2, ROW); g.clip(); g.fillStyle = '#222';
      g.fillText(data.names[s[i + NAME]], a + 3, y + ROW / 2); g.restore(); }
    if (chosen && chosen.track === t && chosen.at === i) { g.strokeStyle = '#d00'; g.lineWidth = 2; g.strokeRect(a, y + 1, w, tall); g.lineWidth = 1; }
  }
}
function arrow(f, where) {
  if (f[3] < from || f[1] > to) return;
  const a = where.get(f[0]), b = where.get(f[2]); if (a === undefined || b === undefined) return;
  g.beginPath(); g.moveTo(x(f[1]), a); g.lineTo(x(f[3]), b); g.stroke();
}
function draw() {
  g.clearRect(0, 0, wide, high); g.font = '11px sans-serif'; g.textBaseline = 'middle'; g.textAlign = 'left';
  const start = Math.floor(top_ / ROW), where = new Map();
  rows.forEach((row, i) => { const y = ROW * (i + 1.5) - top_; // a folded group's arrows begin and end at its row
    for (const t of row.track ? [row.track] : folded.has(row.group) ? row.members : []) where.set(t.index, y); });
  for (let i = start; i < rows.length && ROW * (i + 1) - top_ < high; i++) {
    const row = rows[i], y = ROW * (i + 1) - top_;
    if (row.track) slices_in(row.track, y, ROW - 2, true);
    if (row.group !== undefined) { g.fillStyle = '#eceff1'; g.fillRect(LEFT, y, wide - LEFT, ROW);
      if (folded.has(row.group)) density(row.members, y); }
  }
  g.strokeStyle = 'rgba(200,0,0,.5)';
  if (el('arrows').checked) for (const f of data.flows) arrow(f, where);
  if (chosen) { g.strokeStyle = '#d00'; for (const f of chosen.flows) arrow(f, where); }
  g.fillStyle = '#fff'; g.fillRect(0, 0, LEFT, high); g.fillRect(0, 0, wide, ROW); g.fillStyle = '#222';
  for (let i = start; i < rows.length && ROW * (i + 1) - top_ < high; i++) { const row = rows[i], y = ROW * (i + 1.5) - top_;
    if (y < ROW) continue;
    g.fillText(row.track ? row.track.label : (folded.has(row.group) ? '\u25b8 ' : '\u25be ') + row.group + ' (' + row.members.length + ')', 4, y, LEFT - 8); }
  for (let i = 0; i <= 6; i++) { const t = from + (to - from) * i / 6; g.textAlign = i < 6 ? 'left' : 'right';
    g.fillText(text(t), i < 6 ? x(t) + 2 : wide - 2, ROW / 2); }
  if (rows.length * ROW > high - ROW) { const part = (high - ROW) / (rows.length * ROW); // where in the rows this is
    g.fillStyle = 'rgba(0,0,0,.35)'; g.fillRect(wide - 6, ROW + top_ * part, 6, Math.max((high - ROW) * part, 12)); }
  report();
}
// A folded group: how many of its members run at each moment, as height.
function density(members, y) {
  const bins = Math.max(1, Math.floor((wide - LEFT) / 3)), counts = new Float64Array(bins), span = (to - from) / bins;
  for (const { slices: s } of members) for (let i = first(s, from); i < s.length && s[i + START] < to; i += STEP)
    if (s[i + WHAT] === 0) { const a = Math.max(s[i + START], from), b = Math.min(s[i + START] + s[i + LENGTH], to);
      for (let k = Math.floor((a - from) / span); k < bins && from + k * span < b; k++)
        counts[k] += (Math.min(b, from + (k + 1) * span) - Math.max(a, from + k * span)) / span; }
  const most = counts.reduce((m, v) => Math.max(m, v), 1); g.fillStyle = data.colours[0];
  counts.forEach((v, k) => { const h = v / most * (ROW - 2); g.fillRect(LEFT + k * 3, y + ROW - 1 - h, 3, h); });
}
// For the time in view: the work of each scheduler, and how long completed workers waited until one executed them.
function report() {
  const lines = [];
  for (const t of data.tracks) { if (t.kind !== 'scheduler') continue;
    const sums = new Array(data.what.length).fill(0), s = t.slices;
    for (let i = first(s, from); i < s.length && s[i + START] < to; i += STEP)
      sums[s[i + WHAT]] += Math.min(s[i + START] + s[i + LENGTH], to) - Math.max(s[i + START], from);
    const part = w => 100 * sums[data.what.indexOf(w)] / (to - from), busy = part('run') + part('entry') + part('hand-over');
    const name = document.createElement('b'); name.textContent = t.label;
    lines.push('<div>' + name.outerHTML + '<span class="bar">' + ['run', 'entry', 'hand-over'].map(w => '<i style="width:' + part(w).toFixed(2) +
      '%;background:' + data.colours[data.what.indexOf(w)] + '"></i>').join('') + '</span>' + busy.toFixed(0) + '% busy, ' + part('run').toFixed(0) + '% workers</div>'); }
  el('use').innerHTML = lines.join('');
  const delays = data.flows.filter(f => f[3] >= from && f[3] <= to).map(f => f[3] - f[1]).sort((a, b) => a - b);
  const p = q => text(delays[Math.min(delays.length - 1, Math.floor(delays.length * q))]);
  el('delay').textContent = delays.length ? 'from completion to execution, ' + delays.length.toLocaleString('en') + ' times: 50% ' + p(.5) +
    ', 90% ' + p(.9) + ', 99% ' + p(.99) + ', longest ' + p(1) : 'no worker was completed and executed in this time';
}

function zoom(middle, by) { const least = 100; let a = middle - (middle - from) * by, b = middle + (to - middle) * by;
  if (b - a < least) { a = middle - least / 2; b = a + least; } from = Math.max(0, a); to = Math.min(data.end, b); draw(); }
function move(by) { const d = Math.max(-from, Math.min(by, data.end - to)); from += d; to += d; draw(); }
function scroll(by) { top_ = Math.max(0, Math.min(top_ + by, rows.length * ROW - (high - ROW))); draw(); }
function spot(e) { const r = c.getBoundingClientRect(), px = e.clientX - r.left, py = e.clientY - r.top;
  const row = py < ROW ? undefined : rows[Math.floor((py - ROW + top_) / ROW)], moment = time(px); let at = -1;
  if (row && row.track && px >= LEFT) { const s = row.track.slices, i = first(s, moment); if (i < s.length && s[i + START] <= moment) at = i; }
  return { row, at, moment }; }
function told(t, i) { const s = t.slices; return t.label + ': ' + data.names[s[i + NAME]] + ' (' + data.what[s[i + WHAT]] + '), ' +
  text(s[i + LENGTH]) + ' from ' + text(s[i + START]); }
function choose(t, i) {
  const s = t.slices, a = s[i + START], b = a + s[i + LENGTH];
  chosen = { track: t, at: i, flows: t.flows.filter(f => f[1] >= a && f[1] <= b || f[3] >= a && f[3] <= b) };
  el('detail').textContent = told(t, i) + (data.texts[s[i + TEXT]] ? '\n' + data.texts[s[i + TEXT]] : ''); el('detail').style.display = 'block'; draw();
}
c.addEventListener('wheel', e => { const by = e.deltaMode ? e.deltaY * ROW : e.deltaY;
  if (e.ctrlKey) { e.preventDefault(); zoom(spot(e).moment, by > 0 ? 1.25 : 0.8); }
  else if (e.shiftKey || e.deltaX) { e.preventDefault(); move((by || e.deltaX) / wide * (to - from)); }
  else if (rows.length * ROW > high - ROW) { e.preventDefault(); scroll(by); } }, { passive: false });
c.addEventListener('mousedown', e => { grip = { moment: spot(e).moment, x: e.clientX, y: e.clientY, moved: false }; c.focus(); });
window.addEventListener('mouseup', () => setTimeout(() => grip = null));
c.addEventListener('mousemove', e => { const s = spot(e);
  if (grip && (grip.moved || Math.abs(e.clientX - grip.x) > 3)) { grip.moved = true; move(grip.moment - s.moment); }
  el('tip').textContent = s.at >= 0 ? told(s.row.track, s.at) : ''; });
c.addEventListener('click', e => { if (grip && grip.moved) return; const s = spot(e);
  if (s.row && s.row.group !== undefined) { if (!folded.delete(s.row.group)) folded.add(s.row.group); arrange(); }
  else if (s.at >= 0) choose(s.row.track, s.at); else nothing(); });
c.addEventListener('dblclick', () => { from = 0; to = data.end; draw(); });
function nothing() { chosen = null; el('detail').style.display = 'none'; draw(); }
const KEYS = { w: () => zoom((from + to) / 2, 0.8), s: () => zoom((from + to) / 2, 1.25), '+': () => zoom((from + to) / 2, 0.8),
  '-': () => zoom((from + to) / 2, 1.25), a: () => move((from - to) / 8), d: () => move((to - from) / 8), ArrowLeft: () => move((from - to) / 8),
  ArrowRight: () => move((to - from) / 8), ArrowUp: () => scroll(-ROW), ArrowDown: () => scroll(ROW), PageUp: () => scroll(2 * ROW - high),
  PageDown: () => scroll(high - 2 * ROW), Home: () => scroll(-Infinity), End: () => scroll(rows.length * ROW), '0': () => { from = 0; to = data.end; draw(); },
  '/': () => el('filter').focus(), Escape: nothing };
window.addEventListener('keydown', e => { if (/^(INPUT|SELECT)$/.test(e.target.tagName)) { if (e.key === 'Escape') c.focus(); return; }
  if (!e.ctrlKey && !e.altKey && !e.metaKey && KEYS[e.key]) { e.preventDefault(); KEYS[e.key](); } });
for (const id of ['filter', 'group', 'sort', 'arrows']) el(id).addEventListener('input', arrange);
el('fold').addEventListener('click', () => { const by = el('group').value; if (!by) return;
  const keys = new Set(data.tracks.filter(t => t.kind === 'worker').map(t => group_of(t, by))), all = [...keys].every(k => folded.has(k));
  for (const k of keys) if (all) folded.delete(k); else folded.add(k); arrange(); });
el('all').addEventListener('click', () => { from = 0; to = data.end; draw(); });
window.addEventListener('resize', size);
if (data.tracks.length > 200) { el('group').value = 'name'; el('fold').click(); }
size(); document.title += ' - drawn';
