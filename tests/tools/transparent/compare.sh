#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh PLAIN LINKED LAST LIBRARY - a program that makes no call of ours cannot tell that we are
# there: what PLAIN sees is what it sees
#   linked      with the library
#   after libc  with the library behind libc in the linker's order
#   preloaded   with the library in LD_PRELOAD
#   late        when it opens the library at its beginning
#
# The first three are files of one name in folders of their own: a program sees its name.
set -u
plain=$1 linked=$2 last=$3 library=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 preload=

# observe <file for the output> <program> <argument>... What a program wrote, and how it ended. A hang ends with status 124. A shell says how a child ended by
# its status alone: 128 and the signal's number.
observe() {
    out=$1 program=$2
    shift 2
    (cd "$(dirname "$program")" &&
        exec timeout 40 ${preload:+env LD_PRELOAD="$preload"} "./$(basename "$program")" "$@") \
        > "$out" 2>&1 < /dev/null
    echo "status $?" >> "$out"
}

compare() {
    if ! diff -u "$work/plain" "$work/$2" > "$work/diff"; then
        echo "FAILED: $1, $2:"
        sed 1,2d "$work/diff"
        failed=1
    fi
}

count=0
for name in $("$plain" --list); do
    observe "$work/plain" "$plain" "$name"
    observe "$work/linked" "$linked" "$name"
    compare "$name" linked
    observe "$work/after libc" "$last" "$name"
    compare "$name" "after libc"
    preload=$library
    observe "$work/preloaded" "$plain" "$name"
    preload=
    compare "$name" preloaded
    observe "$work/late" "$plain" --late "$library" "$name"
    compare "$name" late
    if grep -q '^status 12[456]$' "$work/plain"; then
        echo "FAILED: $name by itself:"
        cat "$work/plain"
        failed=1
    fi
    count=$((count + 1))
done
if [ "$count" -lt 20 ]; then
    echo "FAILED: only $count observations"
    failed=1
fi
exit $failed
