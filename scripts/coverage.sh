#!/bin/sh
# SPDX-License-Identifier: MIT
# coverage.sh - which lines of the native product the tests reach: builds preset linux-coverage, runs the tests of
# units, API, contract, Linux engine and what looks at it from outside, and prints a table for each folder. Exit
# status 1 if a folder has less than what is asked of it, or if docs/testing.md does not name what is missed.
#
#   scripts/coverage.sh           every mode
#   scripts/coverage.sh --short   each test in its default mode
#   scripts/coverage.sh --again   the tables only, from the last run
#
# build/linux-coverage/coverage.txt has each file with the lines that nothing reached, coverage.html the sources.
# A test's child process leaves its counts by tests/support/line_counts.c; any other process that ends by _exit, and each
# that ends by a signal, leaves none: what only such a process does counts as not reached.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)
build=build/linux-coverage
only=
again=
case ${1:-} in
'') ;;
--short) only=yes ;;
--again) again=yes ;;
*) die "there is no option $1: scripts/coverage.sh [--short | --again]" ;;
esac

# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_coverage
if [ -z "$again" ]; then
    run_quietly "configuring preset linux-coverage" cmake --preset linux-coverage
    run_quietly "building preset linux-coverage" cmake --build "$build" -j "$jobs"
    find "$build" -name '*.gcda' -exec rm -f {} +
    # A test that fails here has still run what it has run; that all pass is for test.sh to see. --short leaves out
    # the modes, which run the same tests with a switch in the environment.
    ctest --test-dir "$build" -j "$jobs" -L '^(unit|api|conformance|linux|stress|inspect)$' ${only:+-E '[(]UMSSHIM_|UMSSHIM_.*='} \
        >"$build/tests.log" 2>&1 || say "some tests failed, which may be for their time: $build/tests.log"
fi

# The library's own objects: what tests compile of the sources into their own programs would count twice.
objects=$build/CMakeFiles/umsshim.dir
gcovr --root . --object-directory "$objects" --exclude-unreachable-branches --exclude-throw-branches \
    --txt "$build/coverage.txt" --html-details "$build/coverage.html" --json-summary "$build/coverage.json" \
    --filter umsshim/ --filter platform/ --filter winapi/linux/ "$objects" >"$build/gcovr.log" 2>&1 || {
    cat "$build/gcovr.log" >&2
    die "gcovr failed"
}
status=0
python3 - "$build/coverage.json" "$only$again" <<'END' || status=1
import json
import sys

# Some lines are there for a mode alone: --short asks for less.
wanted = {'umsshim': 90, 'platform/linux': 85, 'winapi/linux': 0}
if not sys.argv[2]:
    wanted = {'umsshim': 95, 'platform/linux': 90, 'winapi/linux': 0}
total = {folder: [0, 0] for folder in wanted}
for file in json.load(open(sys.argv[1]))['files']:
    for folder, sums in total.items():
        if file['filename'].startswith(folder + '/'):
            sums[0] += file['line_covered']
            sums[1] += file['line_total']
low = False
for folder, (covered, lines) in total.items():
    percent = 100 * covered / lines if lines else 0
    low |= percent < wanted[folder]
    print(f'{folder:16} {covered:6} of {lines:6} lines, {percent:5.1f}%')
sys.exit(low)
END
# The tables of the page are those of a run in every mode.
[ -n "$only" ] || python3 tests/tools/missed_lines.py . "$build/coverage.json" || status=1
exit $status
