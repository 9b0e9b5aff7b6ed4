#!/bin/sh
# SPDX-License-Identifier: MIT
# regain.sh - how soon a scheduler gets its processor back from a worker that sleeps in a page fault, or that computes
# and is suspended; and what the watch for faults costs: builds, measures, holds it against the bars, draws the plot.
# Can be run again.
#
#   scripts/regain.sh                  about three quarters of a minute
#   scripts/regain.sh --quick          a second
#   scripts/regain.sh --publish        the plot goes to docs/ as well
#
# Faults on a file want root, for a file system of their own; without it that curve is left out. Exit status 1: a bar
# was missed.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

figure_options "$@"
build_for_figures ums_regain
results=build/linux/regain
rm -rf "$results"
mkdir -p "$results"
missed=

# measure NAME UMSSHIM_FAULTS WAY: sorted into NAME.
measure() {
    status=0
    UMSSHIM_FAULTS=$2 timeout 120 build/linux/tests/bench/ums_regain "$3" $quick >"$results/unsorted" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || die "ums_regain $3 failed, status $status"
    sort -g "$results/unsorted" >"$results/$1"
    rm "$results/unsorted"
}

# part NAME PER_CENT: the value that so many of them do not exceed.
part() {
    awk -v part="$2" '{ v[NR] = $1 } END { i = int(NR * part / 100 + 0.999); print v[i < 1 ? 1 : i] }' "$results/$1"
}

# hold NAME TITLE PER_CENT BAR: in microseconds.
hold() {
    [ -s "$results/$1" ] || return 0
    value=$(part "$1" "$3")
    verdict=$(awk -v value="$value" -v bar="$4" 'BEGIN { print value <= bar ? "PASS" : "MISS" }')
    [ "$verdict" = PASS ] || missed=yes
    printf '%-34s median %8s us, %s%% within %8s us, bar %s us: %s\n' "$2" "$(part "$1" 50)" "$3" "$value" "$4" "$verdict"
}

measure memory 1 memory
measure file 1 file
measure unwatched 0 memory
measure preemption 0 preemption
for setting in 1 0; do
    for time in 1 2 3; do
        measure "cost-$setting-$time" $setting watch
    done
    cat "$results"/cost-$setting-* | sort -k 1,1 -k 2,2g | awk 'NR % 3 == 2' >"$results/cost-$setting"
done
hold memory "fault of 5 ms, userfaultfd" 90 1500
hold file "fault of 5 ms, view of a file" 90 1500
hold preemption "SuspendThread of one that computes" 99 20000
printf 'processor time of other threads, %% of a processor, with and without the watch:\n'
join "$results/cost-1" "$results/cost-0" | tee "$results/regain.dat"
awk '$1 == "computes" && $2 - $3 > 0.5 { exit 1 }' "$results/regain.dat" || {
    echo "beside a worker that computes the watch takes more than 0.5%: MISS"
    missed=yes
}
draw_figure "$results" regain tests/bench/regain/regain.gp
[ -z "$missed" ] || exit 1
