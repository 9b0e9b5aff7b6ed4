#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh - installs what is missing, builds for Linux and Windows, runs every test, those for
# Windows under Wine. Can be run again.
#
# The checked build's tests, those of an ordinary user and the Windows build's come first, all tests
# of the optimised build last. What ends the output is ctest's own summary of these and of what
# failed before: each such test is in the last run again, as one that fails. The exit status covers
# all.
#
#   scripts/test.sh            everything
#   scripts/test.sh --fast     the optimised builds only
#   scripts/test.sh --windows  the Windows build only
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)
failed=
fast=
windows_only=
[ "${1:-}" != --fast ] || fast=yes
[ "${1:-}" != --windows ] || windows_only=yes

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
    list=build/all/$what.failed
    cp "$logs/LastTestsFailed.log" "$list" 2>/dev/null || echo "0:ctest itself" >"$list"
    while IFS=: read -r number name; do
        said=$PWD/build/all/$what-$number.txt
        name="$name" awk '/^[0-9]+\/[0-9]+ Testing: / {
            title = $0; sub(/^[^:]*: /, "", title); on = title == ENVIRON["name"] } on' \
            "$logs/LastTest.log" >"$said" 2>/dev/null || :
        echo "add_test([==[$what: $name]==] sh -c [==[cat '$said'; exit 1]==])" >>"$earlier"
    done <"$list"
}

# Builds a preset; ends the script on failure, for nothing after it would make sense.
build() {
    say "building preset $1"
    run_quietly "configuring preset $1" cmake --preset "$1" "$2" || exit 1
    run_quietly "building preset $1" cmake --build "build/$1" -j "$jobs" || exit 1
}

# The tests of the API, of the contract and of the engine with every state transition and invariant checked.
test_checked() {
    build linux-checks -DUMSSHIM_BUILD_BENCH=OFF
    say "tests labelled api, conformance and linux, preset linux-checks"
    run_tests linux-checks build/linux-checks \
        ctest --test-dir build/linux-checks -L '^(api|conformance|linux)$'
}

# The library needs no privileges; running the tests as root would not show it. ctest writes beside
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
        ctest --test-dir "$scratch" -L '^(api|sample)$'
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

# The last run: all tests of the optimised build, and what failed before.
test_all() {
    printf 'subdirs("%s")\ninclude("%s")\n' "$PWD/build/linux" "$PWD/$earlier" \
        >build/all/CTestTestfile.cmake
    [ -z "$failed" ] || say "FAILED so far:$failed (see above); going on with the main run"
    say "all tests, preset linux"
    ctest --test-dir build/all -j "$jobs" --output-on-failure
}

# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_windows $packages_windows_test $packages_package
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
build linux -DUMSSHIM_BUILD_BENCH=ON
[ -n "$fast" ] || test_unprivileged
test_windows
test_all
