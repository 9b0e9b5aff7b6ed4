#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh - long runs: the stress tests in every mode, in turn, until the time is over. "scripts/soak.sh HOURS [BUILD]
# [TEST...]"; BUILD is a build tree with tests, build/linux-checks unless it is named; without TEST all of them. Ends at
# the first failure, with the command that draws the same work again; what a program said is in BUILD/soak. At the end,
# and after a failure, a line for each kind of operation, of all runs that passed, and for each mode (BUILD/soak/sums).
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

[ $# -ge 1 ] || die "how many hours? scripts/soak.sh HOURS [BUILD] [TEST...]"
hours=$1
build=${2:-build/linux-checks}
[ $# -le 2 ] && tests="random_rounds random_programs random_work random_waits random_stops random_signals random_overlapped spinning"
[ $# -le 2 ] || { shift 2 && tests=$*; }
all=$(echo "$hours" | awk '{ print int($1 * 3600) }')
modes=7
each=$((all / modes / $(echo "$tests" | wc -w))) # seconds for a test: each mode has its turn
each=$((each > 60 ? 60 : each < 5 ? 5 : each))
end=$(($(date +%s) + all))
said=$build/soak
[ -x "$build/tests/stress/test_stress_random_work" ] || die "no stress tests in $build: build it first"
mkdir -p "$said"
: >"$said/sums" # lines "MODE | COUNT KIND"

# A run passes only if nothing was lost, doubled or illegal: so those columns can have no other number.
say_sums() {
    say "operations of the $1 runs that passed, by mode, and by kind:"
    awk -F' [|] ' '{ split($2, part, " "); sum[$1] += part[1]; all += part[1] }
        END { for (mode in sum) printf "%15d  %s\n", sum[mode], mode; printf "%15d  all\n", all }' "$said/sums"
    awk -F' [|] ' '{ split($2, part, " "); kind = substr($2, length(part[1]) + 2); sum[kind] += part[1] }
        END { for (kind in sum) printf "%15d  %s; lost 0, doubled 0, illegal 0\n", sum[kind], kind }' "$said/sums"
}

runs=0
while [ "$(date +%s)" -lt "$end" ]; do
    for setting in default UMSSHIM_FRONT=0 UMSSHIM_RING=0 UMSSHIM_FSGSBASE=0 UMSSHIM_DETECT=0 \
        "UMSSHIM_DETECT=notify UMSSHIM_FRONT=0" "UMSSHIM_DETECT=traps UMSSHIM_FRONT=0"; do
        for test in $tests; do
            [ "$(date +%s)" -lt "$end" ] || break 2
            seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
            left=$((end - $(date +%s)))
            seconds=$((left < each ? left : each))
            program=$build/tests/stress/test_stress_$test
            [ "$setting" = default ] && mode= || mode=$setting
            command="env $mode UMSSHIM_TEST_SEED=$seed UMSSHIM_STRESS_SECONDS=$seconds"
            command="$command UMSSHIM_STRESS_OPERATIONS=1000000 UMSSHIM_TEST_LIMIT=0 $program"
            # Word splitting is wanted: a command with its settings.
            # shellcheck disable=SC2086
            timeout $((seconds * 20 + 600)) $command >"$said/$test" 2>&1 || {
                grep -v '^step: ' "$said/$test" | tail -n 30
                [ "$test" != random_programs ] || say "shorter: tests/stress/shrink.py $said/$test env $mode $program"
                say_sums $runs
                die "failed after $runs runs: $command"
            }
            runs=$((runs + 1))
            sed -n "s/^operations: /$setting | /p" "$said/$test" >>"$said/sums"
            echo "$(date -u +%FT%TZ) $setting $test seed $seed: passed" >>"$said/runs"
        done
    done
done
say_sums $runs
say "their seeds: $said/runs"
