#!/bin/sh
# SPDX-License-Identifier: MIT
# real.sh - what work with real libraries costs on workers and on threads: 16 of them, in turn on threads, on one
# scheduler and on two, each in a process of its own. Installs what is missing, builds, measures. Can be run again.
#
#   scripts/real.sh [--repeat N]       medians of N runs each (7), time on the clock and processor time
#
#   redis    round trips by hiredis to a redis server on the loopback address, started here
#   files    open, fstat, read and close of files that are in the page cache
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

repeat=7
if [ $# -gt 0 ]; then
    if [ $# != 2 ] || [ "$1" != --repeat ] || ! [ "$2" -gt 0 ] 2>/dev/null; then
        die "usage: scripts/real.sh [--repeat N]"
    fi
    repeat=$2
fi
# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_real
say "building in build/linux"
run_quietly "configuring" cmake --preset linux -DUMSSHIM_BUILD_BENCH=ON
run_quietly "building" cmake --build build/linux -j "$(nproc)" \
    --target ums_real_files ums_real_files_threads ums_real_redis ums_real_redis_threads
results=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    rm -rf "$results"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# The port is free if this server listens there: it prints that it accepts connections, or ends.
REDIS_PORT=$((20000 + $$ % 20000))
export REDIS_PORT
redis-server --bind 127.0.0.1 --port "$REDIS_PORT" --save '' --appendonly no --dir "$results" \
    >"$results/server" 2>&1 &
server=$!
tries=0
until grep -q 'ccept connections' "$results/server"; do
    if [ "$tries" -ge 100 ] || ! kill -0 "$server" 2>/dev/null; then
        die "no redis server: $(tail -n 1 "$results/server")"
    fi
    tries=$((tries + 1))
    sleep 0.1
done

# column FILE N: the median of its N-th column.
column() {
    cut -d ' ' -f "$2" "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row TITLE FILE: in milliseconds, and of the threads'.
row() {
    printf '%s %s %s %s\n' "$(column "$2" 1)" "$(column "$2" 2)" "$(column "$results/0" 1)" "$(column "$results/0" 2)" |
        awk -v title="$1" '{ printf "%-24s clock %8.1f (%.2f)   processor %8.1f (%.2f)\n", title, $1, $1 / $3, $2, $2 / $4 }'
}

measure() {
    rm -f "$results/0" "$results/1" "$results/2"
    run=0
    while [ "$run" -lt "$repeat" ]; do
        timeout 60 "build/linux/tests/bench/ums_real_$1_threads" "$2" 0 >>"$results/0" || die "$1 on threads failed"
        for schedulers in 1 2; do
            timeout 60 "build/linux/tests/bench/ums_real_$1" "$2" "$schedulers" >>"$results/$schedulers" ||
                die "$1 on $schedulers schedulers failed"
        done
        run=$((run + 1))
    done
    row "$1, threads" "$results/0"
    row "$1, one scheduler" "$results/1"
    row "$1, two schedulers" "$results/2"
}

say "medians of $repeat runs, in milliseconds; in brackets: of the threads' time"
measure redis 3000
measure files 60
