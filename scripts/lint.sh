#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh - what tools say about the sources without running them. Each says its findings and fails.
#
#   scripts/lint.sh             all
#   scripts/lint.sh shell       shellcheck, over every script
#   scripts/lint.sh spelling    codespell, over sources, pages and manual pages; .codespellrc has the exceptions
#   scripts/lint.sh tidy [DIR]  clang-tidy with the checks of .clang-tidy, over the core, the Linux engine and the
#                               Win32 calls on Linux, compiled as in the build folder DIR (build/linux)
#
# As with clang-format, one version of each tool decides, Debian 12's: another one says other things. With another one,
# or none, a line says so and the exit status is 77, which ctest shows as skipped. format.sh looks at the layout.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

# needs TOOL VERSION: ends the script where the tool is not here in that version.
needs() {
    is_version "$2" "$1" --version && return 0
    printf 'lint: skipped: %s %s is not here\n' "$1" "$2" >&2
    exit 77
}

shell() {
    needs shellcheck 0.9
    { source_files sh && echo .ci/run; } | xargs shellcheck
}

spelling() {
    needs codespell 2.2
    source_files c h cc cpp hpp S def sh py md txt cmake in 1 3 7 map | xargs codespell
}

# gcc's own words for link-time optimisation mean nothing to clang.
tidy() {
    needs clang-tidy 14
    folder=${1:-build/linux}
    [ -e "$folder/compile_commands.json" ] || die "$folder is not configured: cmake --preset linux"
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    sed 's/ -flto[^ ]*//g; s/ -fno-fat-lto-objects//g; s/ -fanalyzer//g' "$folder/compile_commands.json" \
        >"$scratch/compile_commands.json"
    # Its count of warnings that it does not show goes to stderr.
    source_files c | grep -E '^(umsshim|platform/linux|winapi/linux)/' |
        xargs -P "$(nproc)" -n 8 clang-tidy -p "$scratch" --quiet 2>"$scratch/log" ||
        { grep -vE '^[0-9]+ warnings? ' "$scratch/log"; return 1; }
}

run() {
    case $1 in
    shell) shell ;;
    spelling) spelling ;;
    tidy) tidy "${2:-}" ;;
    *) die "there is no check $1: scripts/lint.sh [shell | spelling | tidy [DIR]]" ;;
    esac
}

if [ $# -gt 0 ]; then
    run "$@"
    exit
fi
status=0
for check in shell spelling tidy; do
    (run "$check") || status=$?
done
exit "$status"
