# SPDX-License-Identifier: MIT
"""lanes.py TOUR PICTURE - the lanes that samples/tour prints, as a picture for README.md.

    python3 docs/lanes.py build/linux/samples/tour docs/lanes.svg
"""
import re
import subprocess
import sys

COLOURS = {"#": "#2e9e5b", "~": "#9aa5ad", ".": "#f3d37a"}
NAMES = {"#": "runs", "~": "blocked in the kernel", ".": "ready"}
LEFT, STEP, LANE, TOP = 90, 9, 26, 34


def main():
    said = subprocess.run([sys.argv[1]], capture_output=True, text=True, timeout=40, check=True).stdout
    slice_ms = float(re.search(r"as lanes, ([\d.]+) ms a character", said).group(1))
    lanes = re.findall(r"^ *(\S+) \|([#~. ]+)\|$", said, re.M)
    width, height = LEFT + STEP * len(lanes[0][1]) + 10, TOP + LANE * len(lanes) + 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    at = LEFT
    for state, name in NAMES.items():
        out.append(f'<rect x="{at}" y="8" width="14" height="14" fill="{COLOURS[state]}"/>'
                   f'<text x="{at + 20}" y="19">{name}</text>')
        at += 50 + 7 * len(name)
    for row, (name, states) in enumerate(lanes):
        y = TOP + LANE * row
        out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
        for run in re.finditer(r"#+|~+|\.+", states):
            out.append(f'<rect x="{LEFT + STEP * run.start()}" y="{y}" width="{STEP * len(run.group())}" '
                       f'height="20" fill="{COLOURS[run.group()[0]]}"/>')
    out.append(f'<text x="{LEFT}" y="{height - 8}">0</text><text x="{width - 10}" y="{height - 8}" '
               f'text-anchor="end">{slice_ms * len(lanes[0][1]):.0f} ms</text></svg>')
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
