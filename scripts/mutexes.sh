#!/bin/sh
# SPDX-License-Identifier: MIT
# mutexes.sh - what a fair and an unfair mutex let through, on the layer of samples/sqlos: builds, measures, draws the
# plot. Can be run again.
#
#   scripts/mutexes.sh                 about a quarter of a minute
#   scripts/mutexes.sh --quick         a second
#   scripts/mutexes.sh --publish       the plot goes to docs/ as well
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

figure_options "$@"
build_for_figures sqlos_mutexes
results=build/linux/mutexes
mkdir -p "$results"
build/linux/samples/sqlos_mutexes $quick >"$results/mutexes.dat"
cat "$results/mutexes.dat"
draw_figure "$results" mutexes samples/sqlos/compare/mutexes.gp
