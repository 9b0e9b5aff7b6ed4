#!/bin/sh
# SPDX-License-Identifier: MIT
# sections.sh - the comparison of marked critical sections takes its figures from both packages, and its ratios are those
# of the figures. How large they are is a matter of the machine.
#
#   sections.sh FASTTHREADS FASTTHREADS_FLAGS [WINE.SH]
set -eu

script=$(dirname "$0")/../../samples/fastthreads/sections.sh
count=50000
[ -z "${3:-}" ] || count=1000 # pinned workers take 0.2 ms for a fork there
output=$(sh "$script" --rounds 3 --count $count "$@") || {
    echo "exit code $?: $output"
    exit 1
}
echo "$output"
echo "$output" | awk '
    /^(Null Fork|Signal-Wait) / {
        match($0, /[0-9.]+ us by the word/)
        word = substr($0, RSTART, RLENGTH) + 0
        match($0, /[0-9.]+ us by flags/)
        flag = substr($0, RSTART, RLENGTH) + 0
        match($0, /flags: [0-9.]+/)
        ratio = substr($0, RSTART + 7, RLENGTH - 7) + 0
        if (word > 0 && flag > 0 && ratio > 0.98 * flag / word - 0.001 && ratio < 1.02 * flag / word + 0.001)
            good++
    }
    END { exit good != 2 }'
# The same program twice is no comparison.
if sh "$script" --rounds 1 --count 1000 "$1" "$1" ${3:+"$3"} >/dev/null; then
    echo "it compares a package with itself"
    exit 1
fi
