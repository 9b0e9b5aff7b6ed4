#!/bin/sh
# SPDX-License-Identifier: MIT
# items.sh - the guide's claim about many short work items: builds, measures UMS, fibers, the thread pool, kernel
# threads and boost.fiber, and draws the plot. Can be run again.
#
#   scripts/items.sh                   about a minute
#   scripts/items.sh --quick           a fifth of it
#   scripts/items.sh --publish         the plot goes to docs/ as well
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

figure_options "$@"
# shellcheck disable=SC2086
need_packages $packages_build $packages_test $packages_figures
say "building in build/linux"
run_quietly "configuring" cmake --preset linux -DUMSSHIM_BUILD_BENCH=ON
run_quietly "building" cmake --build build/linux -j "$(nproc)" --target ums_items ums_items_boost
results=build/linux/items
mkdir -p "$results"
for program in ums_items ums_items_boost; do
    build/linux/tests/bench/$program $quick
done >"$results/items.dat"
draw_figure "$results" items tests/bench/items/items.gp
