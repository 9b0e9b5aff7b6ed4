#!/bin/sh
# SPDX-License-Identifier: MIT
# bench-windows.sh - the benchmarks of the Windows library under Wine: installs what is missing,
# builds, measures. Can be run again.
#
#   scripts/bench-windows.sh [--repeat N] [--only NAME] [--quick] [--list] [--json FILE] [--strict]
#
# The options are those of ums_bench.exe, and so is the exit status. Beside it runs a reader that
# counts, on the Linux side, the wake-ups of probes that wait: Wine cannot. Without --json FILE the
# report goes to build/windows/bench.json as well, but for runs of a part.
set -eu

start=$PWD
cd "$(dirname "$0")/.."
. scripts/lib.sh

# As the program under Wine finds it: a file is named from where the caller is.
wine_path() {
    case $1 in
    /*) echo "Z:$1" ;;
    *) echo "Z:$start/$1" ;;
    esac
}

json=build/windows/bench.json
previous=
for option in "$@"; do
    shift
    case $option in
    --json=*) option=--json=$(wine_path "${option#--json=}") ;;
    *) [ "$previous" != --json ] || option=$(wine_path "$option") ;;
    esac
    case $option in
    --json* | --only* | --list | --quick | --help) json= ;;
    esac
    previous=$option
    set -- "$@" "$option"
done

# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_windows $packages_windows_test
say "building in build/windows"
run_quietly "configuring" cmake --preset windows -DUMSSHIM_BUILD_BENCH=ON
run_quietly "building" cmake --build build/windows -j "$(nproc)" --target ums_bench
say "starting Wine"
run_quietly "starting Wine" sh scripts/wine.sh --boot

folder=$(mktemp -d)
reader=
# shellcheck disable=SC2317 # called by the trap
finish() {
    [ -z "$reader" ] || kill "$reader" 2>/dev/null || :
    rm -rf "$folder"
    sh scripts/wine.sh --end || :
}
trap finish EXIT
trap 'exit 130' INT TERM
python3 tests/bench/windows/host_watch.py "$folder" &
reader=$!
export BENCH_WATCH="Z:$folder"
status=0
sh scripts/wine.sh build/windows/bin/ums_bench.exe ${json:+--json "$json"} "$@" || status=$?
[ -z "$json" ] || say "every sample: $json"
exit "$status"
