# SPDX-License-Identifier: MIT
# umsrun_scene.sh - what tests of umsrun have in common. They source it, and their arguments are WINE.SH BIN. A folder
# for their files is $work; whether something was wrong, which the last line of each asks, is $failed.
# shellcheck shell=sh disable=SC2034
set -u

wine="timeout 60 sh $1"
bin=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=

# fail WHAT...: with what the last run has said.
fail() {
    echo "FAILED: $*"
    for said in "$work/out" "$work/err"; do
        [ ! -f "$said" ] || cat "$said"
    done
    failed=yes
}

# run PROGRAM [ARGUMENT...]: what it says is in $work/out, its exit code is $status.
run() {
    $wine "$@" >"$work/out" 2>&1 </dev/null
    status=$?
}

# expect WHAT CODE PATTERN: of the last run.
expect() {
    [ "$status" = "$2" ] && grep -q -- "$3" "$work/out" && return
    fail "$1: exit code $status, wanted $2 and \"$3\":"
}
