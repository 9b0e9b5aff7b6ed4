# SPDX-License-Identifier: MIT
"""switches_test.py SYSTEM COMMAND... - wrong switches in the environment give one line each; the program works.

SYSTEM is linux or windows; COMMAND runs samples/hello there.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

NONE = "no such value, so it is ignored: %s=%s; there are: %s"
GONE = "no such switch, so it is ignored: %s; %s"
MEANT = "no such switch, so it is ignored: %s; %s is meant?"
system, command = sys.argv[1], sys.argv[2:]
DETECT = "0 1 traps notify" if system == "linux" else "0 1"

CASES = [ # variables, what is said about them
    ({}, []),
    ({"UMSSHIM_DETECT": "xyz"}, [NONE % ("UMSSHIM_DETECT", "xyz", DETECT)]),
    ({"UMSSHIM_DETECT": "1", "UMSSHIM_STRICT": "0", "UMSSHIM_RETRY": "0", "UMSSHIM_DISABLE": "0"}, []),
    ({"UMSSHIM_RETRY": "99"}, [NONE % ("UMSSHIM_RETRY", "99", "0 1 2 3 4 5 6 7 8 9")]),
    ({"UMSSHIM_STRICT": "yes", "UMSSHIM_DISABLE": "no"},
     [NONE % ("UMSSHIM_STRICT", "yes", "0 1"), NONE % ("UMSSHIM_DISABLE", "no", "0 1")]),
    ({"UMSSHIM_DISABLE": ""}, []), # as good as unset
    ({"UMSSHIM_DISBALE": "1"}, [MEANT % ("UMSSHIM_DISBALE", "UMSSHIM_DISABLE")]),
    ({"UMSHIM_STRICT": "1"}, [MEANT % ("UMSHIM_STRICT", "UMSSHIM_STRICT")]),
    ({"UMSSHIM_WEATHER": "fine"}, 
     ["no such switch, so it is ignored: UMSSHIM_WEATHER; umsshim(7) has all of them"]),
    ({"UMSSHIM_LOG": "cups"},
     ["no such value, so it is ignored: UMSSHIM_LOG=cups; words that it may have in it: caps debug lines lanes"]),
    ({"UMSSHIM_TEST_OF_MINE": "1", "UMSFOO": "1"}, []),
    ({"UMSSHIM_SITES": "0", "UMSSHIM_TRACE_STACKS": "6", "UMSSHIM_SPIN": "0", "UMSSHIM_CHILDREN": "1"},
     [GONE % ("UMSSHIM_SITES", "UMSSHIM_FRONT=functions is in its place"),
      GONE % ("UMSSHIM_TRACE_STACKS", "UMSSHIM_TRACE=file,stacks=n is in its place"),
      GONE % ("UMSSHIM_SPIN", "hand-overs find out by themselves whether to spin"),
      GONE % ("UMSSHIM_CHILDREN", "umsrun --children is in its place")]),
    ({"UMSSHIM_FRONT": "x"}, [] if system == "windows" else [NONE % ("UMSSHIM_FRONT", "x", "0 1 functions")]),
    ({"UMSSHIM_RING": "x"}, [] if system == "windows" else [NONE % ("UMSSHIM_RING", "x", "0 1")]),
]


def run(variables):
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60,
                          check=False, stdin=subprocess.DEVNULL)


for variables, wanted in CASES:
    done = run(variables)
    said = re.findall(r"^umsshim: (.*?)\r?$", done.stderr, re.M)
    check(sorted(said) == sorted(wanted), f"{variables}: said {said}, not {wanted}")
    check(done.returncode == 0 and "workers ended: 2" in done.stdout,
          f"{variables}: status {done.returncode}, {done.stdout}{done.stderr}")
done = run({"UMSSHIM_DISABLE": "1"})
check(done.returncode != 0 and "UMSSHIM_DISABLE" not in done.stderr, f"UMSSHIM_DISABLE=1: status {done.returncode}")
end("switches_test", system)
