#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh - long runs: the stress tests in every mode, in turn, until the time is over. "scripts/soak.sh HOURS [BUILD]";
# BUILD is a build tree with tests, build/linux-checks unless it is named. Ends at the first failure, with the command
# that draws the same work again; what a program said is in BUILD/soak.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

[ $# -ge 1 ] || die "how many hours? scripts/soak.sh HOURS [BUILD]"
build=${2:-build/linux-checks}
each=60 # seconds for a test
end=$(($(date +%s) + $(echo "$1" | awk '{ print int($1 * 3600) }')))
said=$build/soak
[ -x "$build/tests/stress/test_stress_random_work" ] || die "no stress tests in $build: build it first"
mkdir -p "$said"

runs=0 sum=0
while [ "$(date +%s)" -lt "$end" ]; do
    for setting in UMSSHIM_DETECT=auto UMSSHIM_FRONT=0 UMSSHIM_RING=0 UMSSHIM_FSGSBASE=0 UMSSHIM_DETECT=0 \
        UMSSHIM_DETECT=notify UMSSHIM_DETECT=traps; do
        for test in random_programs random_work random_waits random_stops random_signals; do
            [ "$(date +%s)" -lt "$end" ] || break 2
            seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
            left=$((end - $(date +%s)))
            seconds=$((left < each ? left : each))
            program=$build/tests/stress/test_stress_$test
            [ "$setting" = UMSSHIM_DETECT=auto ] && mode= || mode=$setting
            command="env $mode UMSSHIM_TEST_SEED=$seed UMSSHIM_STRESS_SECONDS=$seconds UMSSHIM_TEST_LIMIT=0 $program"
            # Word splitting is wanted: a command with its settings.
            # shellcheck disable=SC2086
            timeout $((seconds * 20 + 600)) $command >"$said/$test" 2>&1 || {
                grep -v '^step: ' "$said/$test" | tail -n 30
                [ "$test" != random_programs ] || say "shorter: tests/stress/shrink.py $said/$test env $mode $program"
                die "failed after $runs runs: $command"
            }
            runs=$((runs + 1))
            operations=$(sed -n 's/^[0-9]* programs, \([0-9]*\) operations$/\1/p' "$said/$test")
            sum=$((sum + ${operations:-0}))
            echo "$(date -u +%FT%TZ) ${mode:-default} $test seed $seed: passed" >>"$said/runs"
        done
    done
done
say "$runs runs passed, with $sum operations of random programs; their seeds: $said/runs"
