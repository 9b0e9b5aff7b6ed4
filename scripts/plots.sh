#!/bin/sh
# SPDX-License-Identifier: MIT
# plots.sh - every plot of measurements, by the script that measures it. Can be run again.
#
#   scripts/plots.sh                   about five minutes
#   scripts/plots.sh --publish         the plots go to docs/ as well
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

figure_options "$@"
[ -z "$quick" ] || die "unknown option $quick"
missed=
for script in paper items mutexes regain; do
    status=0
    sh "scripts/$script.sh" ${publish:+--publish} || status=$?
    [ "$status" = 0 ] || missed="$missed $script"
done
[ -z "$missed" ] || die "not drawn, or a bar was missed:$missed"
