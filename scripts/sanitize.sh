#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitize.sh - builds preset linux-asan (gcc's sanitizers for addresses and undefined behaviour, a finding of
# either is fatal) and runs the tests of units, fuzz targets, API, contract and Linux engine under it.
#
#   scripts/sanitize.sh           every mode
#   scripts/sanitize.sh --short   units, API and contract in their default modes: what test.sh runs
#   scripts/sanitize.sh --threads units by the thread sanitizer
#   scripts/sanitize.sh [--short | --threads] OPTION...   with more options for ctest
#
# tests/sanitizers/excluded.txt names the tests that are left out, each with why. docs/testing.md has the
# result of the last full run.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)
labels='unit|fuzz|api|conformance|linux'
targets=all
modes=
if [ "${1:-}" = --short ]; then
    shift
    # Not the Linux engine's: many of them fork beside threads that allocate, and gcc 12's run time does not take
    # its heap's lock for a fork, so that a child may find it taken for ever.
    labels='unit|fuzz|api|conformance'
    targets="tests/unit/all tests/fuzz/all tests/api/all tests/conformance/all"
    modes='[(]UMSSHIM_|UMSSHIM_.*=' # in the name of a test that runs in another mode than the default
elif [ "${1:-}" = --threads ]; then
    shift
    # shellcheck disable=SC2086
    need_packages $packages_build $packages_test
    run_quietly "configuring preset linux-tsan" cmake --preset linux-tsan
    run_quietly "building preset linux-tsan" cmake --build build/linux-tsan -j "$jobs" --target units
    # The addresses of Windows' modules, which these need, lie in the sanitizer's shadow.
    exec ctest --test-dir build/linux-tsan -j "$jobs" --output-on-failure --no-tests=error -L '^unit$' \
        -E '^unit/stub_hooks' "$@"
fi

# shellcheck disable=SC2086
need_packages $packages_build $packages_test
run_quietly "configuring preset linux-asan" cmake --preset linux-asan
# shellcheck disable=SC2086
run_quietly "building preset linux-asan" cmake --build build/linux-asan -j "$jobs" --target $targets
excluded=$(grep -v '^#' tests/sanitizers/excluded.txt | cut -f 1 | paste -s -d '|')
# The stack is the real one, for clauses compare addresses on it. Leaks are not looked for: handles and contexts
# lie outside the heap, and what only they point to would be one.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1
exec ctest --test-dir build/linux-asan -j "$jobs" --output-on-failure --no-tests=error \
    -L "^($labels)\$" -E "$excluded${modes:+|$modes}" "$@"
