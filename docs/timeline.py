# SPDX-License-Identifier: MIT
"""timeline.py PROGRAM PICTURE [hang] - pictures of what umsshim-trace says, by headless Chromium: the page of a trace of
samples/tour, or with `hang` what `why` says of a process of tests/inspect/zoo.c in which a worker computes for ever.

    python3 docs/timeline.py build/linux/samples/tour docs/timeline.png
    python3 docs/timeline.py build/linux/tests/inspect/inspect_zoo docs/why.png hang
"""
import html
import os
import subprocess
import sys
import tempfile
import time

TOOL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "platform", "linux", "inspect", "umsshim-trace")
LIMIT = 40


def photograph(folder, page, picture, size):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile", f"--window-size={size}",
                    f"--screenshot={picture}", f"file://{page}"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT, check=True)


def timeline(program, picture, folder, page):
    trace = os.path.join(folder, "trace")
    subprocess.run([program], stdout=subprocess.DEVNULL, timeout=LIMIT, check=True,
                   env={**os.environ, "UMSSHIM_TRACE": trace + ",stacks=6"})
    subprocess.run([sys.executable, "-B", TOOL, "html", "-o", page, trace], timeout=LIMIT, check=True)
    photograph(folder, page, picture, "1000,800")


def hang(program, picture, folder, page):
    with subprocess.Popen([program, "fresh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        time.sleep(5) # so that those who wait have waited for a while
        done = subprocess.run([sys.executable, "-B", TOOL, "why", str(process.pid)], capture_output=True, text=True,
                              timeout=LIMIT, check=True)
        process.stdin.close()
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"<meta charset=utf-8><pre style='font: 13px monospace'>$ umsshim-trace why {process.pid}\n"
                   f"{html.escape(done.stdout)}</pre>")
    photograph(folder, page, picture, "1240,300")


def main():
    program, picture = sys.argv[1], os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (hang if sys.argv[3:] == ["hang"] else timeline)(program, picture, folder, os.path.join(folder, "page.html"))


main()
