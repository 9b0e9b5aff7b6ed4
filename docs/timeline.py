# SPDX-License-Identifier: MIT
"""timeline.py TOUR PICTURE - the picture of a trace in debugging.md: samples/tour's page in headless Chromium.

    python3 docs/timeline.py build/linux/samples/tour docs/timeline.png
"""
import os
import subprocess
import sys
import tempfile

TOOL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "platform", "linux", "inspect", "umsshim-trace")
LIMIT = 40


def main():
    tour, picture = sys.argv[1], os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace, page, profile = (os.path.join(folder, name) for name in ("trace", "page.html", "profile"))
        subprocess.run([tour], stdout=subprocess.DEVNULL, timeout=LIMIT, check=True, env={**os.environ, "UMSSHIM_TRACE": trace})
        subprocess.run([sys.executable, "-B", TOOL, "html", "-o", page, trace], timeout=LIMIT, check=True)
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--window-size=1000,800",
                        f"--screenshot={picture}", f"file://{page}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT, check=True)


main()
