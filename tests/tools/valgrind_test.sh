#!/bin/sh
# SPDX-License-Identifier: MIT
# valgrind_test.sh PROGRAM ARGUMENT... - a program with workers under valgrind, which has neither seccomp nor an io_uring
# that does not stand still: the program ends well, no system call is unknown to valgrind, and the library has said what
# it goes without. Status 77: there is no valgrind.
set -u
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skipped: there is no valgrind"
    exit 77
fi
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT

valgrind -q --fair-sched=try --trace-children=yes "$@" >"$said" 2>&1
status=$?
for unwanted in "unhandled" "FAILED"; do
    ! grep -q "$unwanted" "$said" || status="$status, and it said \"$unwanted\""
done
grep -q "valgrind makes the program's system calls" "$said" ||
    status="$status, and the library did not say what it goes without"
[ "$status" != 0 ] || exit 0
cat "$said"
echo "FAILED: $*: exit status $status"
exit 1
