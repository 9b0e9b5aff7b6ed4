#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh - a program must refuse these options: exit code 2, and on stderr what is wrong.
output=$("$@" 2>&1 >/dev/null)
code=$?
if [ "$code" != 2 ]; then
    echo "exit code $code, not 2, from: $*"
    exit 1
fi
case $output in
*usage:*) ;;
*)
    echo "no usage on stderr, but: $output"
    exit 1
    ;;
esac
