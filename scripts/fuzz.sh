#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh - looks by libFuzzer, with clang's sanitizers for addresses and undefined behaviour, for what a stranger could
# hand in that breaks us: tests/fuzz. As many targets at once as there are processors.
#
#   scripts/fuzz.sh SECONDS [TARGET...]   each target, or these, for as long
#
# Inputs that were interesting stay in build/linux-fuzz/corpus, from which the next run goes on. An input that breaks a target
# is in build/linux-fuzz/found: with the mend it becomes a seed, a file in tests/fuzz/TARGET. The exit status is 1 then.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

seconds=${1:-}
[ "$seconds" -gt 0 ] 2>/dev/null || die "scripts/fuzz.sh SECONDS [TARGET...]"
shift
# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_fuzz
run_quietly "configuring preset linux-fuzz" cmake --preset linux-fuzz
run_quietly "building preset linux-fuzz" cmake --build build/linux-fuzz -j "$(nproc)" --target fuzz
# shellcheck disable=SC2046 # names of folders
[ $# -gt 0 ] || set -- trace $(cd tests/fuzz && for seeds in */; do echo "${seeds%/}"; done)

# Its last line goes to the file's end, its findings to the standard output.
fuzz_one() {
    mkdir -p "build/linux-fuzz/corpus/$1" build/linux-fuzz/found
    if [ "$1" = trace ]; then
        python3 -B tests/fuzz/trace.py --seconds "$seconds" --found build/linux-fuzz/found >"build/linux-fuzz/$1.log" 2>&1
    else
        "build/linux-fuzz/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=8192 \
            -artifact_prefix="build/linux-fuzz/found/$1-" "build/linux-fuzz/corpus/$1" "tests/fuzz/$1" \
            >"build/linux-fuzz/$1.log" 2>&1
    fi
}

# The sanitizer refuses memory as libc does, and does not end the program: a target must bear a refusal.
export ASAN_OPTIONS=allocator_may_return_null=1
failed=
while [ $# -gt 0 ]; do
    running=
    for _ in $(seq "$(nproc)"); do
        [ $# -gt 0 ] || break
        fuzz_one "$1" &
        running="$running $!:$1"
        shift
    done
    for one in $running; do
        if wait "${one%%:*}"; then
            say "${one#*:}: $(tail -n 1 "build/linux-fuzz/${one#*:}.log")"
        else
            failed="$failed ${one#*:}"
            grep -E 'wrong:|ERROR|SUMMARY|runtime error|Test unit|Error' "build/linux-fuzz/${one#*:}.log" || :
            say "${one#*:}: FAILED, build/linux-fuzz/${one#*:}.log"
        fi
    done
done
[ -z "$failed" ] || die "these have found something:$failed"
