#!/bin/sh
# SPDX-License-Identifier: MIT
# items.sh - the guide's claim about many short work items: builds, measures UMS, fibers, the thread pool, kernel
# threads and boost.fiber, and draws the plot. Can be run again.
#
#   scripts/items.sh                   about a minute
#   scripts/items.sh --windows         the same sources for Windows, under Wine, beside Wine's fibers and pool: five minutes
#   scripts/items.sh --quick           a fifth of it
#   scripts/items.sh --publish         the plot goes to docs/ as well
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

windows=
for option in "$@"; do
    shift
    if [ "$option" = --windows ]; then windows=yes; else set -- "$@" "$option"; fi
done
figure_options "$@"
# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_figures ${windows:+$packages_windows $packages_windows_test}
preset=${windows:+windows}
preset=${preset:-linux}
programs="ums_items"
[ -n "$windows" ] || programs="ums_items ums_items_boost"
say "building in build/$preset"
run_quietly "configuring" cmake --preset "$preset" -DUMSSHIM_BUILD_BENCH=ON
# shellcheck disable=SC2086
run_quietly "building" cmake --build "build/$preset" -j "$(nproc)" --target $programs
results=build/$preset/items
name=items${windows:+-windows}
mkdir -p "$results"
if [ -n "$windows" ]; then
    say "starting Wine"
    run_quietly "starting Wine" sh scripts/wine.sh --boot
    trap 'sh scripts/wine.sh --end || :' EXIT
    sh scripts/wine.sh build/windows/bin/ums_items.exe $quick | tr -d '\r' >"$results/$name.dat"
else
    for program in $programs; do
        "build/linux/tests/bench/$program" $quick
    done >"$results/$name.dat"
fi
draw_figure "$results" "$name" tests/bench/items/items.gp
