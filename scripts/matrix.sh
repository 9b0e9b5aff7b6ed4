#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix.sh - the README's two commands on fresh systems: a root tree for each Debian suite, a copy of the
# sources in it, demo.sh and test.sh run there, one table of what came of it.
#
#   scripts/matrix.sh [--quick] [SUITE...]   the suites are bookworm, trixie and sid by default
#
# --quick builds and runs the conformance kit, the API's tests and the samples natively, and the kit under
# Wine; without it test.sh runs everything.
#
# Trees are made by mmdebstrap and kept in build/matrix, with the packages: the next run begins with them.
# As root they are entered by chroot in a mount namespace of the script's own, so nothing stays mounted; an
# ordinary user needs user namespaces, and `sudo` for nothing. Exit status: 0 every suite is green, 1 one is
# not, 2 there is nothing to run with: no such suite, no network, no mmdebstrap, no rights.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

cannot() {
    printf 'matrix: %s\n' "$*" >&2
    exit 2
}

lab=$PWD/build/matrix
jobs=$(nproc)
quick=
if [ "${1:-}" = --quick ]; then
    quick=yes
    shift
fi
[ $# -gt 0 ] || set -- bookworm trixie sid

for suite in "$@"; do
    case $suite in
    '' | -* | *[!a-z0-9-]*) cannot "\"$suite\" is no name of a suite: scripts/matrix.sh [--quick] [SUITE...]" ;;
    esac
done
command -v mmdebstrap >/dev/null 2>&1 ||
    cannot "mmdebstrap is not here, which makes the root trees; install it (Debian: mmdebstrap)"
if [ "$(id -u)" = 0 ]; then
    own="unshare --mount --propagation private"
    mode=root
else
    own="unshare --mount --map-auto --map-root-user --propagation private"
    mode=unshare
fi
# shellcheck disable=SC2086
$own true 2>/dev/null ||
    cannot "neither root nor user namespaces here: a tree cannot be entered (see user_namespaces(7))"

# A new tree takes over what this system's apt was told of time-outs, proxies and dates. Its packages are
# fetched with patience.
apt_settings() {
    echo 'Acquire::Retries "5";'
    echo 'APT::Keep-Downloaded-Packages "true";'
    command -v apt-config >/dev/null 2>&1 || return 0
    apt-config dump 2>/dev/null | grep -E '^Acquire::(Check-|http|https|Max-ValidTime)[^ ]* "[^"]+";$' || :
}

# make_tree SUITE DIR
make_tree() {
    [ ! -e "$2/.made" ] || return 0
    say "$1: making a root tree in $2"
    rm -rf "$2"
    mkdir -p "$lab"
    apt_settings >"$lab/apt.conf"
    # shellcheck disable=SC2086
    if ! mmdebstrap --quiet --mode=$mode --variant=minbase --include=ca-certificates \
        --skip=cleanup/apt --aptopt="$lab/apt.conf" "$1" "$2" 2>"$lab/$1.mmdebstrap"; then
        why=$(grep -m 1 -E '^(E|Err)[: ]' "$lab/$1.mmdebstrap" || tail -n 1 "$lab/$1.mmdebstrap")
        rm -rf "$2"
        cannot "suite $1 cannot be had: there is no such suite, or no network. mmdebstrap says: $why"
    fi
    : >"$2/.made"
}

# inside DIR COMMAND: a shell's command in /src of the tree, with this system's /proc, /sys and /dev. The
# network's names are looked up as here.
inside() {
    # shellcheck disable=SC2016,SC2086
    $own sh -c '
        tree=$1
        for folder in proc sys dev; do mount --rbind "/$folder" "$tree/$folder"; done
        cp -L /etc/resolv.conf /etc/hosts "$tree/etc/" 2>/dev/null || :
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
            DEBIAN_FRONTEND=noninteractive chroot "$tree" sh -c "cd /src && $2"
    ' inside "$1" "$2"
}

# The sources as they are here, without what git ignores; build/ of the tree's copy stays for the next time.
copy_sources() {
    mkdir -p "$1/src"
    find "$1/src" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    if [ -e .git ]; then
        { git ls-files -z && git ls-files -z -o --exclude-standard; } |
            tar --null -T - -cf - | tar -C "$1/src" -xf -
    else
        tar --exclude=./build -cf - . | tar -C "$1/src" -xf -
    fi
}

# counts LOG: "passed of run" of the last summary of ctest's in it.
counts() {
    sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$1" | tail -n 1 |
        awk '{ printf "%d of %d", $2 - $1, $2; ok = 1 } END { if (!ok) printf "none" }'
}

# Conformance of each world whose report lies in the tree: "world passed/testable".
conformance() {
    for report in "$1"/src/build/linux/tests/conformance/linux.json \
        "$1"/src/build/windows/tests/conformance/wine_*.json; do
        [ ! -e "$report" ] || awk -v world="$(basename "$report" .json)" '
            /"result": / && !/"result": "untestable"/ { clauses++ }
            /"result": "passed"/ { passed++ }
            END { printf "%s %d/%d ", world, passed, clauses }' "$report"
    done
}

version() {
    inside "$1" "dpkg-query -W -f='\${Version}' $2 2>/dev/null || echo none" | sed 's/^[0-9]*://'
}

# What a quick run does inside a tree, each step with its log beside it.
quick_steps="sh scripts/demo.sh >demo.log 2>&1 && . scripts/lib.sh &&
    need_packages \$packages_build \$packages_test \$packages_windows \$packages_windows_test &&
    cmake --preset linux -DUMSSHIM_BUILD_BENCH=OFF && cmake --build build/linux -j $jobs &&
    cmake --preset windows && cmake --build build/windows -j $jobs &&
    sh scripts/wine.sh --boot; status=0;
    ctest --test-dir build/linux -j $jobs -L '^(api|conformance|sample)$' --output-on-failure \
        >native.log 2>&1 || status=1;
    ctest --test-dir build/windows -j $jobs -L '^conformance$' --output-on-failure \
        >wine.log 2>&1 || status=1; sh scripts/wine.sh --end; exit \$status"
full_steps="sh scripts/demo.sh >demo.log 2>&1; sh scripts/test.sh >native.log 2>&1; status=\$?;
    cp native.log wine.log; exit \$status"

failed=
table=$lab/table.md
mkdir -p "$lab"
for suite in "$@"; do
    make_tree "$suite" "$lab/$suite"
done
{
    echo "| suite | glibc | gcc | Wine | MinGW-w64 | liburing | demo | native | under Wine | conformance |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
} >"$table"
for suite in "$@"; do
    tree=$lab/$suite
    copy_sources "$tree"
    rm -f "$tree"/src/*.log
    steps=$full_steps
    [ -z "$quick" ] || steps=$quick_steps
    say "$suite: demo, build and tests; logs in $tree/src"
    result=ok
    inside "$tree" "$steps" >"$lab/$suite.log" 2>&1 || result=failed
    [ "$result" = ok ] || failed="$failed $suite"
    if grep -q '^verdict: OK' "$tree/src/demo.log" 2>/dev/null; then demo=OK; else demo=failed; fi
    touch "$tree/src/native.log" "$tree/src/wine.log"
    under_wine=$(counts "$tree/src/wine.log")
    if [ -z "$quick" ]; then # the Windows run's summary is test.sh's last but one
        under_wine=$(grep -o '[0-9]* tests failed out of [0-9]*' "$tree/src/native.log" |
            tail -n 2 | head -n 1 | awk '{ printf "%d of %d", $6 - $1, $6 }')
    fi
    echo "| $suite | $(version "$tree" libc6) | $(version "$tree" gcc) | $(version "$tree" libwine-dev) |" \
        "$(version "$tree" mingw-w64-x86-64-dev) | $(version "$tree" liburing-dev) | $demo |" \
        "$(counts "$tree/src/native.log") | $under_wine | $(conformance "$tree")|" >>"$table"
done
echo
cat "$table"
[ -z "$failed" ] || {
    echo
    say "not green:$failed"
    for suite in $failed; do
        grep -h -A 40 'The following tests FAILED' "$lab/$suite/src/"*.log | head -n 40 ||
            tail -n 5 "$lab/$suite.log"
    done
    exit 1
}
