#!/bin/sh
# SPDX-License-Identifier: MIT
# many_test.sh WINE.SH UMSRUN MANY [TIMES] - an old binary of fifty short workers prints each one's line once.
#
# Where it does not, all that it said is shown: it names the workers that are missing, and the engine, watched, who waits
# for what.
set -eu

wine=$1
umsrun=$2
many=$3
times=${4:-1}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
for turn in $(seq "$times"); do
    status=0
    UMSSHIM_WATCH=3 timeout 50 sh "$wine" "$umsrun" "$many" >"$said" 2>&1 || status=$?
    lines=$(tr -d '\r' <"$said" | grep '^line of worker' | sort -u | wc -l)
    if [ "$status" != 0 ] || [ "$lines" != 50 ] || ! grep -q '^workers ended: 50' "$said"; then
        echo "many_test.sh: run $turn of $times: status $status, $lines of 50 lines:"
        cat "$said"
        exit 1
    fi
done
echo "many_test.sh: 50 lines in each of $times runs"
