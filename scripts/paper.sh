#!/bin/sh
# SPDX-License-Identifier: MIT
# paper.sh - the experiments of the paper on scheduler activations: installs what is missing,
# builds, measures, and draws the figures. Can be run again.
#
#   scripts/paper.sh                   about two minutes
#   scripts/paper.sh --full            larger problems and more rounds: some ten minutes
#   scripts/paper.sh --publish         the figures go to docs/ as well
#
# Any other option goes to ums_paper (--repeat N, --only EXPERIMENT, --strict).
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

publish=
for option in "$@"; do
    shift
    if [ "$option" = --publish ]; then
        publish=yes
    else
        set -- "$@" "$option"
    fi
done
build_for_figures ums_paper
results=build/linux/paper
mkdir -p "$results"
rm -f "$results"/*
status=0
build/linux/tests/bench/ums_paper --json "$results/paper.json" --figures "$results" "$@" ||
    status=$?
[ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"
for figure in figure2 figure3 figure3-faults; do
    [ -f "$results/$figure.dat" ] || continue
    gnuplot -e "folder='$results'; figure='$figure'; cores=$(nproc)" \
        -e "machine='$(sed -n 's/^# //p' "$results/$figure.dat" | tr -d "'")'" \
        tests/bench/paper/figures.gp || die "gnuplot could not draw $figure"
    say "drew $results/$figure.png"
    [ -z "$publish" ] || cp "$results/$figure.png" docs/
done
say "everything that was measured: $results/paper.json"
exit "$status"
