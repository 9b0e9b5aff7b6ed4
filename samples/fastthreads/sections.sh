#!/bin/sh
# SPDX-License-Identifier: MIT
# sections.sh - what it costs to mark critical sections by a flag, instead of by the lock's word alone: Null Fork and
# Signal-Wait of fastthreads and of fastthreads_flags, in turns, and the medians' ratio.
#
#   sections.sh [--rounds N] [--count N] [--ground GROUND] FASTTHREADS FASTTHREADS_FLAGS [WINE.SH]
set -eu

rounds=15
count=1000000
ground=ums
while :; do
    case ${1:-} in
    --rounds) rounds=$2 ;;
    --count) count=$2 ;;
    --ground) ground=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -lt 2 ]; then
    echo "usage: sections.sh [--rounds N] [--count N] [--ground GROUND] FASTTHREADS FASTTHREADS_FLAGS [WINE.SH]" >&2
    exit 2
fi
wine=${3:-}

one() {
    ${wine:+sh "$wine"} "$1" --ground "$ground" --processors 1 --operations "$count" | tr -d '\r'
}

round=0
while [ $round -lt "$rounds" ]; do
    # Every second round backwards: whatever the machine does meanwhile meets both.
    if [ $((round % 2)) = 0 ]; then
        one "$1"
        one "$2"
    else
        one "$2"
        one "$1"
    fi
    round=$((round + 1))
done | awk -v rounds="$rounds" '
    function median(values, n, i, j, kept) {
        for (i = 2; i <= n; i++) {
            kept = values[i]
            for (j = i - 1; j >= 1 && values[j] > kept; j--)
                values[j + 1] = values[j]
            values[j + 1] = kept
        }
        return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
    }
    match($0, /Null Fork [0-9.]+/) {
        fork = substr($0, RSTART + 10, RLENGTH - 10)
        match($0, /Signal-Wait [0-9.]+/)
        wait = substr($0, RSTART + 12, RLENGTH - 12)
        if ($0 ~ /marked by flags/) {
            flag_forks[++flags] = fork
            flag_waits[flags] = wait
        } else {
            word_forks[++words] = fork
            word_waits[words] = wait
        }
    }
    function row(what, word, flag, paper) {
        printf "%-12s %8.4f us by the word, %8.4f us by flags: %.3f (the paper: %s)\n", what, word, flag, \
            flag / word, paper
    }
    END {
        if (words != rounds || flags != rounds) {
            print words + 0 " and " flags + 0 " runs, not " rounds " each"
            exit 1
        }
        row("Null Fork", median(word_forks, words), median(flag_forks, flags), "49 / 37 = 1.32")
        row("Signal-Wait", median(word_waits, words), median(flag_waits, flags), "48 / 42 = 1.14")
    }'
