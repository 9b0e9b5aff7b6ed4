#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh - what tools say about the sources and commits without running anything. Each says its findings and fails.
#
#   scripts/lint.sh             all
#   scripts/lint.sh shell       shellcheck, over every script
#   scripts/lint.sh spelling    codespell, over sources, pages and manual pages; .codespellrc has the exceptions
#   scripts/lint.sh subjects    each commit's first line: "subsystem: what" in at most 75 characters; no merges
#   scripts/lint.sh width       no line of the product's C and assembly, or of the samples, is over 100 columns
#   scripts/lint.sh atomics     __atomic_ on plain fields is in the product's files of tests/tools/atomics.txt only
#   scripts/lint.sh tidy [DIR]  clang-tidy with the checks of .clang-tidy, over the core, the Linux engine and the
#                               Win32 calls on Linux, compiled as in the build folder DIR (build/linux)
#
# As with clang-format, one version of each tool decides, Debian 12's: another one says other things. With another one,
# or none, a line says so and the exit status is 77, which ctest shows as skipped; so it is where there is no history to
# look at. format.sh looks at the layout.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

# skip WHY: ends the script, for there is nothing to check, or nothing to check it with.
skip() {
    printf 'lint: skipped: %s\n' "$1" >&2
    exit 77
}

# needs TOOL VERSION: ends the script where the tool is not here in that version.
needs() {
    is_version "$2" "$1" --version || skip "$1 $2 is not here"
}

shell() {
    needs shellcheck 0.9
    { source_files sh && echo .ci/run; } | xargs shellcheck
}

spelling() {
    needs codespell 2.2
    source_files c h cc cpp hpp S def sh py md txt cmake in 1 3 7 map | xargs codespell
}

# The commits after this one; those up to it are older than the rule. A shallow clone may lack it, and so may the clone of a
# project of which this tree is a part.
last_exempt=41ca2934cda75a02e063cfd8ab2b34c93ad68670

subjects() {
    command -v git >/dev/null 2>&1 || skip "there is no git to read the commits with"
    said=$(git rev-parse --git-dir 2>&1) || skip "no commits to read: $said"
    git merge-base --is-ancestor "$last_exempt" HEAD 2>/dev/null ||
        skip "the commits here do not reach back to $last_exempt"
    found=$(
        git log --merges --format='%h %s: a merge; rebase instead' "$last_exempt..HEAD"
        git log --no-merges --format='%h %s' "$last_exempt..HEAD" | awk '{
            subject = substr($0, length($1) + 2)
            if (subject !~ /^[a-z0-9_][a-z0-9_.\/-]*: [^ ]/)
                print $0 ": does not begin with \"subsystem: \""
            if (length(subject) > 75)
                print $0 ": " length(subject) " characters, of at most 75"
        }'
    )
    [ -z "$found" ] || {
        printf '%s\n' "$found"
        return 1
    }
}

width() {
    wide=$(source_files c h S def cpp hpp | grep -E '^(umsshim|platform|winapi|samples)/' |
        LC_ALL=C.UTF-8 xargs grep -nE '^.{101}' /dev/null) || : # nothing found is grep's failure
    [ -z "$wide" ] || {
        printf "%s\n" "$wide"
        return 1
    }
}

atomics() {
    wrong=$({
        sed 's/#.*//; /^$/d' tests/tools/atomics.txt | sed 's/$/: is in tests\/tools\/atomics.txt, and says no __atomic_/'
        source_files c h | grep -E '^(umsshim|platform|winapi)/' | xargs grep -l __atomic_ |
            sed 's/$/: says __atomic_, and is not in tests\/tools\/atomics.txt/'
    } | awk -F: '{ count[$1]++; text[$1] = $0 } END { for (file in count) if (count[file] == 1) print text[file] }')
    [ -z "$wrong" ] || {
        printf "%s\n" "$wrong"
        return 1
    }
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
    subjects) subjects ;;
    width) width ;;
    atomics) atomics ;;
    tidy) tidy "${2:-}" ;;
    *) die "there is no check $1: scripts/lint.sh [shell | spelling | subjects | width | atomics | tidy [DIR]]" ;;
    esac
}

if [ $# -gt 0 ]; then
    run "$@"
    exit
fi
status=0
for check in shell spelling subjects width atomics tidy; do
    result=0
    (run "$check") || result=$?
    [ "$result" = 0 ] || [ "$status" = 1 ] || status=$result
done
exit "$status"
