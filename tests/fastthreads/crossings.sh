#!/bin/sh
# SPDX-License-Identifier: MIT
# crossings.sh - what fastthreads --crossings counts is what such operations must cost: on UMS an upcall and an arrival
# for each, on kernel threads none; and where the kernel counts, an event on UMS goes without it, and a nap of a
# kernel thread blocks once.
#
#   crossings.sh FASTTHREADS [WINE.SH]
set -eu

program=$1
wine=${2:-}
count=20000
[ -z "$wine" ] || count=1000 # each takes a millisecond there
output=$(${wine:+sh "$wine"} "$program" --crossings $count) || {
    echo "exit code $?: $output"
    exit 1
}
output=$(echo "$output" | tr -d '\r')
echo "$output"
# The bounds leave room for what other programs do to the scheduling, and for the notifier's ticks.
echo "$output" | awk '
    function within(what, value, least, most) {
        if (value < least || value > most) {
            print $1, $2 ": " what, value, "is not between", least, "and", most
            bad = 1
        }
    }
    function kernel(calls_least, calls_most, blocks_least, blocks_most) {
        if ($8 != "?")
            within("system calls", $8, calls_least, calls_most)
        if ($9 != "?")
            within("kernel blocks", $9, blocks_least, blocks_most)
    }
    $2 == "ums" {
        rows++
        within("upcalls", $4, 0.95, 1.1)
        within("unblocked", $5, 0.95, 1.1)
        within("looks", $6, 0.95, 100)
        within("executes", $7, 0.95, 100)
    }
    $2 == "kernel" {
        rows++
        for (i = 4; i <= 7; i++)
            within("the package", $i, 0, 0)
    }
    $1 == "event" && $2 == "ums" { kernel(-0.2, 0.2, -0.2, 0.2) }
    $1 == "event" && $2 == "kernel" { kernel(0.5, 4, 0.2, 2) }
    $1 == "pipe" && $2 == "ums" { kernel(1, 10, -0.2, 2) }
    $1 == "pipe" && $2 == "kernel" { kernel(1.8, 4, 0.2, 2) }
    $1 == "sleep" && $2 == "ums" { kernel(1, 20, 0.9, 15) }
    $1 == "sleep" && $2 == "kernel" { kernel(0.9, 2, 0.9, 1.5) }
    END {
        if (rows != 6) {
            print rows + 0, "rows, not 6"
            bad = 1
        }
        exit bad
    }'
