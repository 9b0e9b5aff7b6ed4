#!/bin/sh
# SPDX-License-Identifier: MIT
# real.sh - what work with real libraries costs on workers and on threads: 16 of them, in turn on threads, on one
# scheduler and on two, each in a process of its own; and on threads that are bound to two processors as the workers of
# two schedulers are. Installs what is missing, builds, measures. Can be run again.
#
#   scripts/real.sh [--repeat N]       medians of N runs each (7), time on the clock and processor time
#
#   redis     round trips by hiredis to a redis server on the loopback address, started here
#   postgres  round trips by libpq to a PostgreSQL server on the loopback address, started here
#   glib      messages between main loops, a loop for each of the 16
#   asio      messages over socket pairs, an io_context of Boost.Asio's for each of the 16
#   files     open, fstat, read and close of files that are in the page cache
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
targets=
for work in redis postgres glib asio files; do
    targets="$targets ums_real_$work ums_real_${work}_threads"
done
# shellcheck disable=SC2086
run_quietly "building" cmake --build build/linux -j "$(nproc)" --target $targets
results=$(mktemp -d)
servers=
finish() {
    # shellcheck disable=SC2086
    [ -z "$servers" ] || kill $servers 2>/dev/null || :
    wait
    rm -rf "$results"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# await NAME WORDS: until the server NAME, the newest, has said WORDS.
await() {
    tries=0
    until grep -q "$2" "$results/$1"; do
        if [ "$tries" -ge 100 ] || ! kill -0 "$!" 2>/dev/null; then
            die "no $1 server: $(tail -n 1 "$results/$1")"
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
}

# A port is free if the server listens there: it says that it accepts connections, or ends.
REDIS_PORT=$((20000 + $$ % 20000))
export REDIS_PORT
redis-server --bind 127.0.0.1 --port "$REDIS_PORT" --save '' --appendonly no --dir "$results" \
    >"$results/redis" 2>&1 &
servers=$!
await redis 'ccept connections'

# PostgreSQL refuses to run as root.
data=$results/data
mkdir "$data"
ordinary=
if [ "$(id -u)" = 0 ]; then
    chmod 711 "$results"
    chown nobody "$data"
    ordinary="setpriv --reuid nobody --clear-groups"
fi
postgres=$(pg_config --bindir)
export PGHOST=127.0.0.1 PGPORT=$((REDIS_PORT + 1)) PGUSER=umsshim PGDATABASE=postgres
# shellcheck disable=SC2086
run_quietly "making a PostgreSQL database" \
    $ordinary "$postgres/initdb" -D "$data" -U "$PGUSER" -A trust --locale=C --no-sync
# shellcheck disable=SC2086
$ordinary "$postgres/postgres" -D "$data" -c fsync=off -c listen_addresses="$PGHOST" -p "$PGPORT" \
    -c unix_socket_directories= >"$results/postgres" 2>&1 &
servers="$servers $!"
await postgres 'ready to accept connections'

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
    rm -f "$results/0" "$results/1" "$results/2" "$results/bound"
    run=0
    while [ "$run" -lt "$repeat" ]; do
        timeout 60 "build/linux/tests/bench/ums_real_$1_threads" "$2" 0 >>"$results/0" || die "$1 on threads failed"
        timeout 60 "build/linux/tests/bench/ums_real_$1_threads" "$2" 2 >>"$results/bound" ||
            die "$1 on threads bound to two processors failed"
        for schedulers in 1 2; do
            timeout 60 "build/linux/tests/bench/ums_real_$1" "$2" "$schedulers" >>"$results/$schedulers" ||
                die "$1 on $schedulers schedulers failed"
        done
        run=$((run + 1))
    done
    row "$1, threads" "$results/0"
    row "$1, threads, bound" "$results/bound"
    row "$1, one scheduler" "$results/1"
    row "$1, two schedulers" "$results/2"
}

say "medians of $repeat runs, in milliseconds; in brackets: of the threads' time"
measure redis 3000
measure postgres 1000
measure glib 3000
measure asio 3000
measure files 60
