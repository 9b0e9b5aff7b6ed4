#!/bin/sh
# SPDX-License-Identifier: MIT
# refuses.sh program "options" ... - the program refuses each: one line on stderr with a usage hint,
# nothing on stdout, exit code 2.
program=$1
shift
failed=0
for options; do
    # shellcheck disable=SC2086 # several words
    errors=$("$program" $options 2>&1 >/dev/null)
    status=$?
    lines=$(printf '%s\n' "$errors" | wc -l)
    # shellcheck disable=SC2086
    output=$("$program" $options 2>/dev/null)
    case $errors in *"try: "*) hint=yes ;; *) hint= ;; esac
    if [ $status -ne 2 ] || [ "$lines" -ne 1 ] || [ -z "$hint" ] || [ -n "$output" ]; then
        echo "$program $options: exit code $status, $lines lines: $errors"
        failed=1
    fi
done
[ $# -gt 0 ] || { echo "nothing was tried"; exit 1; }
exit $failed
