#!/bin/sh
# SPDX-License-Identifier: MIT
# Has spin look at every interleaving of the dispatcher's protocol (dispatcher.pml). Needs spin and a C compiler;
# some minutes and some hundreds of megabytes.
set -e
model=$(cd "$(dirname "$0")" && pwd)/dispatcher.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for without in 0 1 2; do # ANY, ONE, ALL
    spin -a -DWITHOUT=$without "$model"
    ${CC:-cc} -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
    ./pan -m100000 > out
    if ! grep -q 'errors: 0' out || grep -q 'max search depth too small\|out of memory' out; then
        cat out
        exit 1
    fi
    echo "without $without: $(grep 'states, stored' out | sed 's/^ *//')"
done
