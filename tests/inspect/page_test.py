# SPDX-License-Identifier: MIT
"""page_test.py ZOO TRACE - the page of umsshim-trace html in headless Chromium, with 6, 125 and 6,250 workers: what is
shown, filtered, grouped, folded and sorted; wheel, keys and clicks; a screen with two pixels for one.

Skipped, with that reason, where there is no chromium.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from judge import check, end

DRIVE = r"""
<script>
const seen = {}, set = (id, value) => { el(id).value = value; el(id).dispatchEvent(new Event('input')); };
const wheel = (y, more) => c.dispatchEvent(new WheelEvent('wheel', { deltaY: y, clientX: 600, clientY: c.getBoundingClientRect().top + 60,
  bubbles: true, cancelable: true, ...more }));
const key = k => window.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true }));
const click = (px, py) => { const r = c.getBoundingClientRect();
  for (const kind of ['mousedown', 'click', 'mouseup']) c.dispatchEvent(new MouseEvent(kind, { clientX: r.left + px, clientY: r.top + py, bubbles: true })); };
const note = what => seen[what] = { rows: rows.length, from, to, top: top_, shown: el('shown').textContent };
seen.arrows = el('arrows').checked; seen.title = document.title; seen.scale = c.width / c.clientWidth; seen.end = data.end;
seen.use = el('use').textContent; seen.delay = el('delay').textContent;
const began = performance.now(); draw(); seen.draw = performance.now() - began;
note('first'); if (el('group').value) set('group', ''); note('all'); wheel(180); note('scrolled'); key('Home');
wheel(-100, { ctrlKey: true }); note('zoomed'); key('d'); note('moved'); key('0'); note('whole');
key('w'); note('key'); key('0'); wheel(50, { shiftKey: true });
set('filter', 'event waiter'); note('filtered'); set('filter', '');
set('sort', 'blocked'); const by = t => t.sums[data.what.indexOf('blocked')], w = rows.filter(r => r.track.kind === 'worker').map(r => by(r.track));
seen.sorted = w.every((v, i) => !i || w[i - 1] >= v); set('sort', 'number');
const s = rows[1].track.slices; let i = 0; while (i < s.length && !data.texts[s[i + TEXT]].includes('called from')) i += STEP;
from = s[i + START]; to = from + Math.max(s[i + LENGTH], 1); draw(); click(700, ROW * 2.5); seen.detail = el('detail').textContent; key('0');
key('Escape'); seen.closed = el('detail').style.display; set('group', 'name'); if (folded.size) el('fold').click(); note('grouped'); el('fold').click(); note('folded');
const unfold = rows.findIndex(r => r.group !== undefined); click(30, ROW * (unfold + 1.5)); note('one');
const out = document.createElement('pre'); out.id = 'seen'; out.textContent = JSON.stringify(seen); document.body.append(out);
</script>
"""


def page_of(zoo, trace, folder, workers):
    """Workers in all; some are the zoo's own."""
    file, page = os.path.join(folder, "trace"), os.path.join(folder, f"{workers}.html")
    more = ["stay", str(workers - 15)] if workers > 15 else ["deadlock"]
    env = {**os.environ, "UMSSHIM_TRACE": file + ",stacks=6"}
    subprocess.run([zoo, *more], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=env, timeout=60, check=True)
    subprocess.run([sys.executable, "-B", trace, "html", "-o", page, file], timeout=60, check=True)
    with open(page, "a", encoding="utf-8") as made:
        made.write(DRIVE)
    return page


def drive(page, folder, scale):
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
         f"--user-data-dir={folder}/profile", f"--force-device-scale-factor={scale}", "--virtual-time-budget=5000",
         "--dump-dom", f"file://{page}"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    if not found:
        check(False, f"{page}: the script did not come to its end: {done.stderr[-500:]}")
        return None
    return json.loads(html.unescape(found.group(1)))


def judge(seen, workers, scale):
    first, everything = seen["first"], seen["all"]
    many = workers > 200
    check(everything["shown"] == f"{workers + 1:,} of {workers + 1:,} tracks", f"shown: {everything['shown']}")
    check(everything["rows"] == workers + 1, f"{everything['rows']} rows")
    check(first["rows"] == workers + 1 or many and first["rows"] < 100, f"at first {first['rows']} rows")
    check(not seen["arrows"], "arrows are drawn at first")
    check(re.match(r"inspect_zoo, process \d+, \d{4}-\d\d-\d\d [\d:]{8}: \S*inspect_zoo (stay|deadlock)", seen["title"]), seen["title"])
    check(abs(seen["scale"] - scale) < 0.01, f"{seen['scale']} pixels for one")
    check(re.search(r'scheduler \d+ "boss"\d+% busy, \d+% workers', seen["use"]), seen["use"])
    check("from completion" in seen["delay"] or "no worker was completed" in seen["delay"], seen["delay"])
    check(seen["draw"] < 500, f"to draw it takes {seen['draw']} ms")
    check(seen["scrolled"]["top"] > 0 or workers < 50, "the wheel does not scroll")
    check(seen["scrolled"]["to"] == everything["to"], "the wheel zooms")
    check(seen["zoomed"]["to"] - seen["zoomed"]["from"] < everything["to"] - everything["from"], "ctrl and wheel do not zoom")
    check(seen["moved"]["from"] > seen["zoomed"]["from"] or seen["zoomed"]["to"] == seen["end"], "d does not move")
    check(seen["whole"]["from"] == 0 and seen["whole"]["to"] == seen["end"], "0 does not show the whole time")
    check(seen["key"]["to"] - seen["key"]["from"] < seen["end"], "w does not zoom")
    if workers > 15:
        check(seen["filtered"]["rows"] == 2, f"the filter leaves {seen['filtered']['rows']} rows")
        check(seen["folded"]["rows"] < 20 < seen["grouped"]["rows"], f"{seen['grouped']} {seen['folded']}")
        check(seen["one"]["rows"] == seen["folded"]["rows"] + 1, f"a click on a group: {seen['one']}")
    check(seen["sorted"], "the rows are not sorted by the time blocked")
    check(re.match(r'worker 1 "', seen["detail"]) and "called from: " in seen["detail"], f"a click says {seen['detail']!r}")
    check(seen["closed"] == "none", "Esc closes nothing")


def main():
    zoo, trace = sys.argv[1:3]
    if not shutil.which("chromium"):
        print("[  SKIPPED ] page_test: there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for workers, scale in ((2, 1), (125, 2), (6250, 1)):
            page = page_of(zoo, trace, folder, workers)
            seen = drive(page, folder, scale)
            if seen:
                judge(seen, workers, scale)
    end("page_test", "all")


main()
