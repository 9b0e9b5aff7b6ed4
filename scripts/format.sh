#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh - lays out every C and C++ file as .clang-format says.
#
#   scripts/format.sh            changes the files
#   scripts/format.sh --check    changes nothing, names each file that would change; exit status 1 if there is one
#   scripts/format.sh FILE...    these files only, also after --check
#
# .clang-format names the version of clang-format that decides. Where it is not here, --check exits with 77,
# which ctest shows as skipped: another version would break other lines.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

version=$(sed -n 's/^# clang-format \([0-9][0-9]*\) .*/\1/p' .clang-format)
[ -n "$version" ] || die "the head of .clang-format names no version"
format=
for candidate in "clang-format-$version" clang-format; do
    if is_version "$version" "$candidate" --version; then
        format=$candidate
        break
    fi
done
check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
if [ -z "$format" ]; then
    printf 'format: skipped: .clang-format is for clang-format %s, which is not here; Debian 12 has it\n' "$version" >&2
    [ -z "$check" ] || exit 77
    exit 1
fi

# Assembler in a header's clothes is none of its business.
files() {
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
    else
        source_files c h cc cpp hpp | grep -vx platform/windows/switch/nonvolatile.h
    fi
}

if [ -z "$check" ]; then
    files "$@" | xargs -P "$(nproc)" -n 25 "$format" -i
    exit
fi
# One line for each place that would change: the files are wanted, once.
wrong=$(files "$@" | xargs -P "$(nproc)" -n 25 "$format" --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:.*/\1/p' | sort -u)
[ -n "$wrong" ] || exit 0
printf '%s\n' "$wrong"
die "these $(printf '%s\n' "$wrong" | wc -l) files are not laid out as .clang-format says: sh scripts/format.sh"
