#!/bin/sh
# SPDX-License-Identifier: MIT
# modes_table.sh - the comparison of the modes has all three in each line, with ratios that are theirs.
#
#   modes_table.sh SQLOS_MODES
set -eu

output=$("$1" --quick) || {
    echo "exit code $?: $output"
    exit 1
}
echo "$output" | awk '
    $1 == "#" && $2 == "each" { names = /ums, threads, fibers/ }
    /verdict: OK$/ { good = 1 }
    !/^#/ {
        lines++
        seen[$1] = 1
        for (i = 2; i <= 4; i++)
            if ($i + 0 <= 0) bad = bad " " $0
        for (i = 5; i <= 6; i++) {
            ratio = $(i - 2) / $2
            if ($i < ratio * 0.98 - 0.02 || $i > ratio * 1.02 + 0.02) bad = bad " " $0
        }
    }
    END {
        split("yields events tasks sleeps left", wanted, " ")
        for (i = 1; i <= 5; i++)
            if (!(wanted[i] in seen)) bad = bad " no " wanted[i]
        if (lines != 5 || !names || !good || bad) {
            print "lines " lines + 0 ", names " names + 0 ", good " good + 0 ", wrong:" bad
            exit 1
        }
    }' || {
    echo "$output"
    exit 1
}
