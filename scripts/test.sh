#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh - installs what is missing, builds for Linux and Windows, and runs the tests, those for Windows under
# Wine. Can be run again.
#
#   scripts/test.sh                  in some minutes: every call, every clause of the contract, every hazard of the
#                                    Linux engine, in default modes; under Wine every call and every clause, in both
#                                    ways of switching
#   scripts/test.sh --all            every test in every mode; the checked build, the sanitizers, an ordinary user
#   scripts/test.sh --linux          also with --all: the native half; needs no Wine and no MinGW-w64
#   scripts/test.sh --windows        also with --all: the Windows half
#   scripts/test.sh --all --also-in SUITE   the quick tests in a fresh tree of a Debian suite as well (matrix.sh);
#                                    where none can be made, a line says why
#
# All native tests of the optimised build come last. The output ends with ctest's own summary of
# these and of all that failed before: each such test is in the last run again, as one that fails.
# The exit status covers all.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

usage="scripts/test.sh [--all] [--linux | --windows] [--also-in SUITE]"
jobs=$(nproc)
at_once=$((jobs + (jobs + 1) / 2)) # many tests wait most of their time
failed=
all=
windows_only=
linux_only=
also_in=
while [ $# -gt 0 ]; do
    case $1 in
    --all) all=yes ;;
    --windows) windows_only=yes ;;
    --linux) linux_only=yes ;;
    --also-in)
        [ $# -gt 1 ] || die "--also-in needs the name of a Debian suite"
        also_in=$2
        shift
        ;;
    *) die "there is no option $1: $usage" ;;
    esac
    shift
done
[ -z "$linux_only" ] || [ -z "$windows_only" ] || die "--linux and --windows exclude each other"
[ -z "$also_in" ] || [ -n "$all" ] || die "--also-in goes with --all"

# Makes tests for the last run of lines "name, tab, file": each prints the end of the file and fails. They come
# after all others, so what they print stands beside the summary; all of it was printed when it happened.
fail_later() {
    while IFS='	' read -r name said; do
        cat >>"$earlier" <<END
add_test([==[$name]==] sh -c [==[tail -n 30 '$said'; exit 1]==])
set_tests_properties([==[$name]==] PROPERTIES RUN_SERIAL TRUE)
END
    done
}

# Runs the tests of a build tree: "run_tests WHAT DIR ctest's arguments...". One that fails leaves a
# test for the last run, which prints what this one said and fails.
run_tests() {
    what=$1
    logs=$2/Testing/Temporary
    shift 2
    rm -f "$logs/LastTestsFailed.log"
    if "$@" -j "$at_once" --no-tests=error --output-on-failure; then
        return 0
    fi
    failed="$failed $what"
    if [ -s "$logs/LastTestsFailed.log" ]; then
        failed_tests "$what" "$logs" "$PWD/build/all" | fail_later
    else
        printf '%s: ctest itself\t/dev/null\n' "$what" | fail_later
    fi
}

# Builds a preset, "build PRESET OPTION [TARGET...]"; ends the script on failure, for nothing after it would make
# sense.
build() {
    preset=$1
    say "building preset $preset"
    run_quietly "configuring preset $preset" cmake --preset "$preset" "$2" -DUMSSHIM_TEST_WHOLE="$whole" || exit 1
    shift 2
    run_in_sight "building preset $preset" cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"} || exit 1
}

# The API, the contract and the engine with every state transition and invariant checked. The API's calls in their
# default modes alone: what those modes change is the engine's, whose tests run in all of theirs. As root, the
# API's run as an ordinary user.
test_checked() {
    build linux-checks -DUMSSHIM_BUILD_BENCH=OFF
    say "tests labelled conformance and linux, preset linux-checks"
    run_tests linux-checks build/linux-checks ctest --test-dir build/linux-checks -L '^(conformance|linux)$'
    test_unprivileged linux-checks '^api$' "$modes"
}

# Units, API and contract in their default modes, with the sanitizers.
test_sanitized() {
    say "tests labelled unit, api and conformance, preset linux-asan"
    run_tests linux-asan build/linux-asan sh scripts/sanitize.sh --short
}

# test_unprivileged PRESET LABELS WITHOUT: as nobody if this is root. The library needs no privileges; running the
# tests as root would not show it. ctest writes beside its test file, so that user gets a folder whose test file
# refers to the build's.
test_unprivileged() {
    say "tests labelled $2, preset $1, as an ordinary user"
    why=
    if [ "$(id -u)" != 0 ]; then
        why="this is one"
    elif ! command -v setpriv >/dev/null 2>&1 || ! id nobody >/dev/null 2>&1; then
        why="as root, for there is no setpriv, or no user nobody"
    else
        as_nobody="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
        $as_nobody test -r "$PWD/build/$1/CTestTestfile.cmake" || why="as root, for $PWD is not readable for nobody"
    fi
    if [ -n "$why" ]; then
        say "$why"
        run_tests "$1" "build/$1" ctest --test-dir "build/$1" -L "$2" -E "$3"
        return 0
    fi
    # Listing the tests writes their names into the build tree, which nobody cannot.
    ctest --test-dir "build/$1" -N >/dev/null
    scratch=$(mktemp -d)
    echo "subdirs(\"$PWD/build/$1\")" >"$scratch/CTestTestfile.cmake"
    chown -R nobody "$scratch"
    # shellcheck disable=SC2086
    run_tests "nobody-$1" "$scratch" env HOME="$scratch" TMPDIR="$scratch" $as_nobody \
        ctest --test-dir "$scratch" -L "$2" -E "$3"
    rm -rf "$scratch"
}

# PE files of the same sources. The first start of Wine takes longer than any test may. Without --all a program is
# one test: most of the time of a test under Wine goes into the start of its process.
test_windows() {
    if [ -n "$all" ]; then
        build windows -DUMSSHIM_BUILD_BENCH=ON
        say "all tests, preset windows, under Wine"
        set --
    else
        build windows -DUMSSHIM_BUILD_BENCH=OFF tests/api/all tests/conformance/all samples/all umsrun
        say "tests labelled api and conformance, preset windows, under Wine, in both ways of switching"
        set -- -L '^(api|conformance)$' -E "_strict_|$modes"
    fi
    run_quietly "starting Wine" sh scripts/wine.sh --boot || exit 1
    run_tests windows build/windows ctest --test-dir build/windows "$@"
    sh scripts/wine.sh --end
}

# How many MB of the disk a run fills: builds, Wine's prefix, and what tests write for a while. Sets `needed` to those
# that are not there from an earlier run. With less than half of that no run can end well, and this one does not begin.
look_for_disk() {
    fills=300
    [ -n "$windows_only" ] || fills=$((fills + 400))
    [ -n "$windows_only" ] || [ -z "$all" ] || fills=$((fills + 700))
    [ -n "$linux_only" ] || fills=$((fills + 1300))
    [ -n "$linux_only" ] || [ -z "$all" ] || fills=$((fills + 300))
    look_for_room . $fills build/linux build/linux-checks build/linux-asan build/windows build/wine-prefix
    [ "$free" -lt "$needed" ] || return 0
    lacking="$needed MB are needed on the disk of $PWD, and $free are free: free some, or have the sources on a larger disk"
    [ "$free" -ge $((needed / 2)) ] || die "$lacking"
    say "$lacking. A test or a build may fail for that"
}

# The quick tests on another system, where one can be made here. Its packages are fetched and unpacked beside the
# tests here, in what room these leave; a tree that cannot be had is said in its turn.
prepare_elsewhere() {
    sh scripts/matrix.sh --prepare --spare "$needed" "$1" </dev/null >build/all/prepare.log 2>&1 &
    preparing=$!
}

test_elsewhere() {
    status=0
    keep=--keep
    wait "$preparing" || keep=
    rm -rf "build/matrix/$1/failed"
    # shellcheck disable=SC2086 # one option or none
    sh scripts/matrix.sh --quick $keep --drop --spare 300 "$1" || status=$?
    case $status in
    0) ;;
    2) say "not tried in a tree of $1: the line above says why" ;;
    *)
        failed="$failed $1"
        if [ -s "build/matrix/$1/failed/list" ]; then
            fail_later <"build/matrix/$1/failed/list"
        else
            printf '%s: matrix.sh itself\t/dev/null\n' "$1" | fail_later
        fi
        ;;
    esac
}

# The last run: the native tests of the optimised build, and what failed before.
test_native() {
    printf 'subdirs("%s")\ninclude("%s")\n' "$PWD/build/linux" "$PWD/$earlier" \
        >build/all/CTestTestfile.cmake
    [ -z "$failed" ] || say "FAILED so far:$failed (see above); going on with the main run"
    if [ -n "$all" ]; then
        say "all tests, preset linux"
        set --
    else
        say "tests in default modes, preset linux"
        set -- -LE '^(again|lint|stress)$' -E "$modes"
    fi
    ctest --test-dir build/all -j "$at_once" --output-on-failure --no-label-summary "$@"
}

# In the name of a test that runs in another mode than the default: settings, but for a way of switching.
modes='[(]UMSSHIM_|UMSSHIM_.*='
whole=OFF
look_for_disk
# shellcheck disable=SC2086
need_packages $packages_build $packages_test
# shellcheck disable=SC2086
[ -z "$all" ] || need_packages $packages_lint $packages_package $packages_proof
# shellcheck disable=SC2086
[ -n "$linux_only" ] || need_packages $packages_windows $packages_windows_test
[ -n "$all" ] || say "--all adds: every test in all modes, the checked build, the sanitizers, an ordinary user, stress," \
    "benchmarks, the Windows engine's hazards, old binaries and files, what tools say about the sources"
rm -rf build/all
mkdir -p build/all
earlier=build/all/earlier.cmake
: >"$earlier"
if [ -n "$windows_only" ]; then
    [ -n "$all" ] || whole=ON
    test_windows
    [ -z "$failed" ]
    exit
fi
if [ -n "$all" ]; then
    [ -z "$also_in" ] || prepare_elsewhere "$also_in"
    test_checked
    test_sanitized
    build linux -DUMSSHIM_BUILD_BENCH=ON
    test_unprivileged linux '^sample$' "$modes"
    [ -n "$linux_only" ] || test_windows
    [ -z "$also_in" ] || test_elsewhere "$also_in"
else
    build linux -DUMSSHIM_BUILD_BENCH=OFF
    if [ -z "$linux_only" ]; then
        whole=ON
        test_windows
    fi
fi
test_native
