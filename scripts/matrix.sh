#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix.sh - the README's two commands on fresh systems: a root tree for each Debian suite, a copy of the
# sources in it, demo.sh and test.sh run there, one table of what came of it.
#
#   scripts/matrix.sh [--quick | --prepare] [--keep] [--drop] [--mirror URL] [--spare MB] [SUITE...]
#
# The suites are bookworm, trixie and sid by default.
#   --quick   instead of test.sh --all: the build, the quick tests natively, and the conformance kit in all worlds
#   --prepare makes the trees and installs the packages there, for --quick --keep after it: so test.sh does, beside
#             its tests
#   --keep    goes on in the trees of the last run, with what is built there
#   --drop    removes the tree of a suite that is green; its logs and packages stay
#   --spare   so many MB of the disk are to stay free for others
#   --mirror  where packages come from, http: or file:; else what mmdebstrap takes, deb.debian.org
#
# build/matrix/SUITE has the tree, a log of each step, the list of what failed, and the packages for the next
# run's apt. tree.sh says how a tree is entered, and what that needs. Exit status: 0 every suite is green, 1 one
# is not, 2 there is nothing to run with, and a line says what: no such suite, no network, no mmdebstrap, no
# rights, no room, no such option.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/tree.sh

cannot() {
    printf 'matrix: %s\n' "$*" >&2
    exit 2
}

lab=$PWD/build/matrix
usage="scripts/matrix.sh [--quick | --prepare] [--keep] [--drop] [--mirror URL] [--spare MB] [SUITE...]"
quick=
only_prepare=
keep=
drop=
spare=0
mirror=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --prepare) only_prepare=yes ;;
    --keep) keep=yes ;;
    --drop) drop=yes ;;
    --spare)
        case ${2:-} in
        '' | *[!0-9]*) cannot "--spare needs a number of MB: $usage" ;;
        esac
        spare=$2
        shift
        ;;
    --mirror)
        [ $# -gt 1 ] || cannot "--mirror needs a URL: $usage"
        mirror=$2
        shift
        ;;
    -*) cannot "there is no option $1: $usage" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || set -- bookworm trixie sid
for suite in "$@"; do
    case $suite in
    '' | -* | *[!a-z0-9-]*) cannot "\"$suite\" is no name of a suite: $usage" ;;
    esac
done
tree_rights
# shellcheck disable=SC2086
(need_packages $tree_packages) || cannot "mmdebstrap, which makes the trees, is not here and cannot be had"

# here SUITE COMMAND: in the suite's tree.
here() {
    inside "$lab/$1/tree" "$lab/$1/packages" "$2"
}

# A tree, its packages and what is built there, in MB. The parts that are there already are not counted.
room=5400
[ -n "$quick$only_prepare" ] || room=8000
mkdir -p "$lab"
missing=0
for suite in "$@"; do
    look_for_room "$lab" $room "$lab/$suite"
    missing=$((missing + needed))
done
[ "$free" -ge $((missing + spare)) ] || cannot "$((missing + spare)) MB are needed on the disk of $lab, and $free are free:" \
    "free some, or have the sources on a larger disk"

# The sources as they are here, without what git ignores. What was built in a kept tree stays.
copy_sources() {
    list=$lab/$1/sources
    if [ -e .git ] && git ls-files -z >"$list" 2>/dev/null &&
        git ls-files -z -o --exclude-standard >>"$list"; then
        set -- "$1" --null --ignore-failed-read -T "$list"
    else
        set -- "$1" --exclude=./build .
    fi
    suite=$1
    shift
    tar -cf - "$@" 2>/dev/null | here "$suite" \
        'find . -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} + && tar --no-same-owner -xf -'
}

# A tree with the sources, and everything that its apt will ask for fetched: after this a failure is a finding.
# A package that the suite does not have is one, too; demo.sh or test.sh will say so.
prepare() {
    mkdir -p "$lab/$1"
    if [ -z "$keep" ] || [ ! -e "$lab/$1/made" ]; then
        say "$1: making a root tree"
        rm -f "$lab/$1/made"
        make_tree "$1" "$lab/$1/tree" "$lab/$1/mmdebstrap.log" "$mirror"
        : >"$lab/$1/made"
    fi
    here "$1" true 2>"$lab/$1/enter.log" || cannot "$1: its tree cannot be entered: $(head -n 1 "$lab/$1/enter.log")"
    copy_sources "$1"
    say "$1: fetching packages"
    # shellcheck disable=SC2016
    here "$1" '. scripts/lib.sh; apt-get update && apt-get install -y --no-install-recommends --download-only \
        $packages_build $packages_test $packages_windows $packages_windows_test' >"$lab/$1/fetch.log" 2>&1 ||
        grep -q '^E: Unable to locate' "$lab/$1/fetch.log" ||
        cannot "$1: its packages cannot be fetched: $(grep -m 1 '^E: ' "$lab/$1/fetch.log")"
}

# step SUITE NAME BUILD COMMAND: one part of a run, with its log. One that fails is on the list of what failed,
# by the tests that did where ctest ran in the folder BUILD.
step() {
    log=$lab/$1/$2.log
    started=$(date +%s)
    if here "$1" "rm -f $3/Testing/Temporary/LastTestsFailed.log; $4" >"$log" 2>&1; then
        say "$1: $2: ok, $(($(date +%s) - started)) seconds"
        return 0
    fi
    say "$1: $2: FAILED, $log"
    failed_tests "$1" "$lab/$1/tree/src/$3/Testing/Temporary" "$lab/$1/failed" >"$lab/$1/failed/new"
    [ -s "$lab/$1/failed/new" ] || printf '%s: %s\t%s\n' "$1" "$2" "$log" >"$lab/$1/failed/new"
    cat "$lab/$1/failed/new" >>"$lab/$1/failed/list"
    return 1
}

# shellcheck disable=SC2016
packages_step='. scripts/lib.sh
    need_packages $packages_build $packages_test $packages_windows $packages_windows_test'

# What Ubuntu 24.04's gcc adds by itself, and dpkg-buildflags for its packages: each tree's library is built so, and its
# quick tests. A test that does not ask what read returned is no mistake of the library's. The programs of a quick run
# are linked without link-time optimization, which takes half of the time and tells nothing of the library: a full run
# links the samples with it.
ubuntu="CFLAGS='-O2 -flto=auto -ffat-lto-objects -fno-omit-frame-pointer -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
-fstack-clash-protection -fcf-protection -Wformat -Werror=format-security -Wno-error=unused-result' \
LDFLAGS='-Wl,-Bsymbolic-functions -flto=auto -Wl,-z,relro -Wl,-z,now'"
plain_links='-DCMAKE_EXE_LINKER_FLAGS=-fno-lto -Wl,-z,relro -Wl,-z,now'

# The programs of the tests that a quick run makes, and the tests that it leaves out: they build the library by other
# compilers and flags, or read its sources.
quick_programs="samples/all tests/api/all tests/conformance/all tests/fastthreads/all tests/inspect/all \
tests/linux/all tests/posix/all tests/programs/all tests/sandboxes/all tests/sqlos/all tests/tools/all umsshim_missing_table"
for_a_full_run='[(]UMSSHIM_|^tools[.](clang|hardened|walks)$'

# The parts of a quick run. Each begins with what the one before has left, so what fails stops those that need
# it. Modes of a test that switch a part of the engine off are for a full run.
quick_run() {
    step "$1" packages none "$packages_step" || return 0
    if step "$1" build-linux none "env $ubuntu cmake --preset linux -DUMSSHIM_BUILD_BENCH=OFF '$plain_links' &&
        cmake --build build/linux -j $jobs --target $quick_programs"; then
        step "$1" linux build/linux "build/linux/samples/tour &&
            ctest --test-dir build/linux -j $jobs -L '^(api|conformance|linux|sample|tools)$' \
            -E '$for_a_full_run' --no-tests=error --output-on-failure" || :
    fi
    if step "$1" build-windows none "cmake --preset windows &&
        cmake --build build/windows -j $jobs --target samples/all tests/conformance/all umsrun"; then
        step "$1" wine build/windows "sh scripts/wine.sh --boot || exit
            sh scripts/wine.sh build/windows/bin/hello.exe &&
            ctest --test-dir build/windows -j $jobs -L '^conformance$' --no-tests=error --output-on-failure
            status=\$?; sh scripts/wine.sh --end; exit \$status" || :
    fi
}

full_run() {
    step "$1" demo none 'sh scripts/demo.sh' || :
    step "$1" ubuntu none "env $ubuntu cmake --preset user -DUMSSHIM_BUILD_SAMPLES=ON &&
        cmake --build --preset user && build/user/samples/hello && build/user/samples/tour" || :
    step "$1" test build/all 'rm -rf build/linux/tests/conformance/linux.json; sh scripts/test.sh --all' || :
}

# count LOG [HEADING]: "passed of run" of ctest's last summary in a log, or of the one that is under a heading.
count() {
    awk -v heading="${2:-}" '
        BEGIN { on = heading == "" }
        heading != "" && /^test: / { on = index($0, heading) }
        on && /^[0-9]+% tests passed, / { text = ($NF - $4) " of " $NF }
        END { print text ? text : "none" }' "$1" 2>/dev/null || echo none
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

# version SUITE PACKAGE
version() {
    here "$1" "dpkg-query -W -f='\${Version}' $2 2>/dev/null || echo none" | sed 's/^[0-9]*://'
}

# The suite's line of the table.
row() {
    if [ -n "$quick" ]; then
        verdicts=$(grep -c '^verdict: OK' "$lab/$1/linux.log" 2>/dev/null) || :
        native=$(count "$lab/$1/linux.log")
        wine=$(count "$lab/$1/wine.log")
    else
        verdicts=$(grep -c '^verdict: OK' "$lab/$1/demo.log" 2>/dev/null) || :
        native=$(count "$lab/$1/test.log" "all tests, preset linux")
        wine=$(count "$lab/$1/test.log" "under Wine")
    fi
    verdict=OK
    [ "$verdicts" = 1 ] || verdict="not OK"
    printf '| %s ' "$1" "$(version "$1" libc6)" "$(version "$1" gcc)" "$(version "$1" libwine-dev)" \
        "$(version "$1" mingw-w64-x86-64-dev)" "$(version "$1" liburing-dev)" "$verdict" "$native" "$wine" \
        "$(conformance "$lab/$1/tree")"
    echo '|'
}

jobs=$(nproc)
for suite in "$@"; do
    prepare "$suite"
done
# What cannot be installed is for the run to say.
if [ -n "$only_prepare" ]; then
    for suite in "$@"; do
        here "$suite" "$packages_step" >"$lab/$suite/installed.log" 2>&1 || :
    done
    exit 0
fi
table=$lab/table.md
{
    echo "| $(date +%Y-%m-%d) | glibc | gcc | Wine | MinGW-w64 | liburing | tour | native tests | under Wine |" \
        "conformance |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
} >"$table"
failed=
for suite in "$@"; do
    rm -rf "$lab/$suite/failed" "$lab/$suite/test.log" "$lab/$suite/linux.log" "$lab/$suite/wine.log"
    mkdir "$lab/$suite/failed"
    : >"$lab/$suite/failed/list"
    if [ -n "$quick" ]; then quick_run "$suite"; else full_run "$suite"; fi
    row "$suite" >>"$table"
    if [ -s "$lab/$suite/failed/list" ]; then
        failed="$failed $suite"
    elif [ -n "$drop" ]; then
        remove_tree "$lab/$suite/tree"
        rm -f "$lab/$suite/made"
    fi
done
echo
cat "$table"
[ -n "$failed" ] || exit 0
echo
say "not green:$failed; what failed, and the file with what it said:"
for suite in $failed; do
    cat "$lab/$suite/failed/list"
done
exit 1
