#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh - installs what is missing, builds for Linux and Windows, runs every test, those for
# Windows under Wine. Can be run again.
#
# The checked build's tests, the sanitizers', those of an ordinary user and the Windows build's come first, all
# tests of the optimised build last. What ends the output is ctest's own summary of these and of what
# failed before: each such test is in the last run again, as one that fails. The exit status covers
# all.
#
#   scripts/test.sh                  everything
#   scripts/test.sh --linux          the native builds only; needs no Wine and no MinGW-w64
#   scripts/test.sh --fast           the optimised builds only, also with --linux
#   scripts/test.sh --windows        the Windows build only
#   scripts/test.sh --also-in SUITE  before the last run, the quick tests in a fresh tree of a Debian suite
#                                    (matrix.sh); where none can be made, a line says why
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)
failed=
fast=
windows_only=
linux_only=
also_in=
while [ $# -gt 0 ]; do
    case $1 in
    --fast) fast=yes ;;
    --windows) windows_only=yes ;;
    --linux) linux_only=yes ;;
    --also-in)
        [ $# -gt 1 ] || die "--also-in needs the name of a Debian suite"
        also_in=$2
        shift
        ;;
    *) die "there is no option $1: scripts/test.sh [--fast] [--linux | --windows] [--also-in SUITE]" ;;
    esac
    shift
done
[ -z "$linux_only" ] || [ -z "$windows_only" ] || die "--linux and --windows exclude each other"

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
    if "$@" -j "$jobs" --no-tests=error --output-on-failure; then
        return 0
    fi
    failed="$failed $what"
    if [ -s "$logs/LastTestsFailed.log" ]; then
        failed_tests "$what" "$logs" "$PWD/build/all" | fail_later
    else
        printf '%s: ctest itself\t/dev/null\n' "$what" | fail_later
    fi
}

# Builds a preset; ends the script on failure, for nothing after it would make sense.
build() {
    say "building preset $1"
    run_quietly "configuring preset $1" cmake --preset "$1" "$2" || exit 1
    run_quietly "building preset $1" cmake --build "build/$1" -j "$jobs" || exit 1
}

# The tests of the API, of the contract and of the engine with every state transition and invariant checked. Without
# detection the engine's own tests are enough: those of the API have their turn in the last run.
test_checked() {
    build linux-checks -DUMSSHIM_BUILD_BENCH=OFF
    say "tests labelled api, conformance and linux, preset linux-checks"
    run_tests linux-checks build/linux-checks \
        ctest --test-dir build/linux-checks -L '^(api|conformance|linux)$' -E '^api/.*[(]UMSSHIM_DETECT=0'
}

# Units, API and contract in their default modes, with the sanitizers.
test_sanitized() {
    say "tests labelled unit, api and conformance, preset linux-asan"
    run_tests linux-asan build/linux-asan sh scripts/sanitize.sh --short
}

# The library needs no privileges; running the tests as root would not show it. In their default modes. ctest writes beside
# its test file, so that user gets a folder whose test file refers to the build's.
test_unprivileged() {
    if [ "$(id -u)" != 0 ]; then
        say "already running as an ordinary user: no extra run as nobody"
        return 0
    fi
    if ! command -v setpriv >/dev/null 2>&1 || ! id nobody >/dev/null 2>&1; then
        say "skipped the run as nobody: there is no setpriv, or no such user"
        return 0
    fi
    as_nobody="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
    if ! $as_nobody test -r "$PWD/build/linux/CTestTestfile.cmake"; then
        say "skipped the run as nobody: $PWD is not readable for that user"
        return 0
    fi
    # Listing the tests writes their names into the build tree, which nobody cannot.
    ctest --test-dir build/linux -N >/dev/null
    scratch=$(mktemp -d)
    echo "subdirs(\"$PWD/build/linux\")" >"$scratch/CTestTestfile.cmake"
    chown -R nobody "$scratch"
    say "tests labelled api and sample, as user nobody"
    # shellcheck disable=SC2086
    run_tests nobody "$scratch" env HOME="$scratch" TMPDIR="$scratch" $as_nobody \
        ctest --test-dir "$scratch" -L '^(api|sample)$' -E '[(]UMSSHIM_'
    rm -rf "$scratch"
}

# PE files of the same sources. The first start of Wine takes longer than any test may.
test_windows() {
    build windows -DUMSSHIM_BUILD_TESTS=ON
    say "starting Wine"
    run_quietly "starting Wine" sh scripts/wine.sh --boot || exit 1
    say "all tests, preset windows, under Wine"
    run_tests windows build/windows ctest --test-dir build/windows
    sh scripts/wine.sh --end
}

# The quick tests on another system, where one can be made here.
test_elsewhere() {
    status=0
    rm -rf "build/matrix/$1/failed"
    sh scripts/matrix.sh --quick "$1" || status=$?
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

# The last run: all tests of the optimised build, and what failed before.
test_all() {
    printf 'subdirs("%s")\ninclude("%s")\n' "$PWD/build/linux" "$PWD/$earlier" \
        >build/all/CTestTestfile.cmake
    [ -z "$failed" ] || say "FAILED so far:$failed (see above); going on with the main run"
    say "all tests, preset linux"
    ctest --test-dir build/all -j "$jobs" --output-on-failure --no-label-summary
}

# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_lint $packages_package
# shellcheck disable=SC2086
[ -n "$linux_only" ] || need_packages $packages_windows $packages_windows_test
rm -rf build/all
mkdir -p build/all
earlier=build/all/earlier.cmake
: >"$earlier"
if [ -n "$windows_only" ]; then
    test_windows
    [ -z "$failed" ]
    exit
fi
[ -n "$fast" ] || test_checked
[ -n "$fast" ] || test_sanitized
build linux -DUMSSHIM_BUILD_BENCH=ON
[ -n "$fast" ] || test_unprivileged
[ -n "$linux_only" ] || test_windows
[ -z "$also_in" ] || test_elsewhere "$also_in"
test_all
