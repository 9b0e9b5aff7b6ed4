#!/bin/sh
# SPDX-License-Identifier: MIT
# valgrind_test.sh TOLD PROGRAM ARGUMENT... - a program with workers under valgrind, which has neither seccomp nor an
# io_uring that does not stand still: the program ends well, no system call is unknown to valgrind, and the library has
# said what it goes without. TOLD is 1 if the library was built with valgrind's header: then memcheck, which knows the
# stacks, reports nothing. Status 77: there is no valgrind.
set -u
told=$1
shift
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skipped: there is no valgrind"
    exit 77
fi
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT

# A larger frame is a change of stacks to valgrind; the kit has one of 3.8 MB.
valgrind -q --fair-sched=try --trace-children=yes --max-stackframe=4194304 "$@" >"$said" 2>&1
status=$?
for unwanted in "unhandled" "FAILED"; do
    ! grep -q "$unwanted" "$said" || status="$status, and it said \"$unwanted\""
done
if [ "$told" = 1 ]; then
    ! grep -q "^==[0-9]*== [A-Z]" "$said" || status="$status, and memcheck had something to report"
fi
grep -q "valgrind makes the program's system calls" "$said" ||
    status="$status, and the library did not say what it goes without"
[ "$status" != 0 ] || exit 0
cat "$said"
echo "FAILED: $*: exit status $status"
exit 1
