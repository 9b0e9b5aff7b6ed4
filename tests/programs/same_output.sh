#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh EXPECTED COMMAND... - whether the command ends with 0 and prints what is in the file. The
# ends of its lines may be Windows'.
set -eu

expected=$1
shift
status=0
printed=$("$@") || status=$?
printed=$(printf '%s\n' "$printed" | tr -d '\r')
if [ "$status" -ne 0 ] || [ "$printed" != "$(cat "$expected")" ]; then
    printf 'same_output: status %s, and it printed\n%s\ninstead of\n' "$status" "$printed" >&2
    cat "$expected" >&2
    exit 1
fi
