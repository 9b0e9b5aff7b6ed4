#!/bin/sh
# SPDX-License-Identifier: MIT
# coverage.sh - which lines of the native product the tests reach: builds preset linux-coverage, runs the tests of
# units, API, contract, Linux engine and what looks at it from outside, and prints a table for each folder. Exit
# status 1 if a folder has less than what is asked of it, or if docs/testing.md does not name what is missed.
#
#   scripts/coverage.sh           every mode
#   scripts/coverage.sh --short   each test in its default mode
#   scripts/coverage.sh --again   the tables only, from the last run
#   scripts/coverage.sh --windows [PATTERN]  umsshim.dll and umsrun.exe, by all tests under Wine, or by those whose
#                                 names match; optimised, for the engine does not run otherwise. Nothing is asked of it,
#                                 and build/windows-coverage has the files
#
# build/linux-coverage/coverage.txt has each file with the lines that nothing reached, coverage.html the sources.
# A test's child process leaves its counts by tests/support/line_counts.c; any other process that ends by _exit, and each
# that ends by a signal, leaves none: what only such a process does counts as not reached.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)

# print_sums JSON FOLDER=PERCENT...: a line each; status 1 if one has less.
print_sums() {
    python3 - "$@" <<'END'
import json
import sys

wanted = {folder: int(percent) for folder, percent in (word.split('=') for word in sys.argv[2:])}
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
}

# merge_counts FOLDER: the counts of all processes beside their object files. The paths within each process's folder are
# those of the object files.
merge_counts() {
    for folder in "$1"/*; do
        for target in umsshim_dll umsrun; do
            objects=$build/CMakeFiles/$target.dir
            # The tool makes no folders, and says nothing of files that it could not write.
            mkdir -p "$1/next"
            (cd "$objects" && find . -type d -exec mkdir -p "$1/next/{}" \;)
            if [ ! -d "$folder$objects" ]; then
                :
            elif [ ! -d "$1/merged$objects" ]; then
                mkdir -p "$1/merged$objects"
                cp -r "$folder$objects/." "$1/merged$objects"
            elif x86_64-w64-mingw32-gcov-tool merge -o "$1/next" "$folder$objects" "$1/merged$objects" >/dev/null 2>&1; then
                rm -rf "$1/merged$objects"
                mv "$1/next" "$1/merged$objects"
            else
                say "the counts of a process cannot be read: $folder"
                rm -rf "$1/next"
            fi
        done
    done
    cp -r "$1/merged$build/." "$build"
}

# Each process that wine.sh starts leaves its counts in a folder of its own, with those that it starts: gcc's run time
# locks no files there. One that is ended by another, or by a fault, leaves none.
count_windows() {
    build=$PWD/build/windows-coverage
    # shellcheck disable=SC2086
    need_packages $packages_build $packages_windows $packages_windows_test $packages_coverage
    run_quietly "configuring the Windows engine with lines counted" cmake --preset windows -B "$build" \
        -DUMSSHIM_COUNT_LINES=ON -DUMSSHIM_BUILD_BENCH=OFF
    run_quietly "building the Windows engine with lines counted" cmake --build "$build" -j "$jobs"
    rm -rf "$build/counts"
    find "$build" -name '*.gcda' -exec rm -f {} +
    sh scripts/wine.sh --boot
    UMSSHIM_COUNTS=$build/counts ctest --test-dir "$build" -j "$jobs" ${1:+-R "$1"} >"$build/tests.log" 2>&1 ||
        say "some tests failed, which may be for their time: $build/tests.log"
    sh scripts/wine.sh --end
    merge_counts "$build/counts"
    objects=$build/CMakeFiles
    gcovr --root . --gcov-executable x86_64-w64-mingw32-gcov --object-directory "$objects/umsshim_dll.dir" \
        --exclude-unreachable-branches --exclude-throw-branches --txt "$build/coverage.txt" \
        --html-details "$build/coverage.html" --json-summary "$build/coverage.json" \
        --filter umsshim/ --filter platform/ --filter winapi/windows/ \
        "$objects/umsshim_dll.dir" "$objects/umsrun.dir" >"$build/gcovr.log" 2>&1 || {
        cat "$build/gcovr.log" >&2
        die "gcovr failed"
    }
    print_sums "$build/coverage.json" umsshim=0 platform/windows=0 winapi/windows=0
}

build=build/linux-coverage
only=
again=
case ${1:-} in
'') ;;
--short) only=yes ;;
--again) again=yes ;;
--windows)
    count_windows "${2:-}"
    exit
    ;;
*) die "there is no option $1: scripts/coverage.sh [--short | --again | --windows [PATTERN]]" ;;
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
# Some lines are there for a mode alone: --short asks for less.
if [ -n "$only$again" ]; then
    print_sums "$build/coverage.json" umsshim=90 platform/linux=85 winapi/linux=0 || status=1
else
    print_sums "$build/coverage.json" umsshim=95 platform/linux=90 winapi/linux=0 || status=1
fi
# The tables of the page are those of a run in every mode.
[ -n "$only" ] || python3 tests/tools/missed_lines.py . "$build/coverage.json" || status=1
exit $status
