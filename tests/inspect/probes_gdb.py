# SPDX-License-Identifier: MIT
"""probes_gdb.py - in gdb: runs the program with a breakpoint on each probe of umsshim's, which tells gdb where
the arguments are, and writes what they were into the file $PROBES_SEEN: {probe: [[argument, ...], ...]}.

$PROBES names the probes. An argument that is a text is told as one.
"""
import json
import os

import gdb # pylint: disable=import-error

TEXTS = {"wait_call": 2, "wait_object": 2, "wait_address": 2, "block": 1, "name": 1} # which argument is one
seen = {}


class Probe(gdb.Breakpoint):
    def __init__(self, name):
        super().__init__(f"-probe-stap umsshim:{name}")
        self.probe = name
        self.silent = True

    def stop(self):
        values = []
        for i in range(int(gdb.parse_and_eval("$_probe_argc"))):
            value = gdb.parse_and_eval(f"$_probe_arg{i}")
            if TEXTS.get(self.probe) == i:
                value = value.cast(gdb.lookup_type("char").pointer()).string()
            else:
                value = int(value)
            values.append(value)
        seen[self.probe].append(values)
        return False


for line in "set breakpoint pending off", "set pagination off", "handle SIGSYS nostop noprint pass", "break main", "run":
    gdb.execute(line)
for probe in os.environ["PROBES"].split():
    seen[probe] = []
    Probe(probe)
gdb.execute("continue")
with open(os.environ["PROBES_SEEN"], "w", encoding="utf-8") as file:
    json.dump(seen, file)
