#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix_test.sh - where there is nothing to run with, scripts/matrix.sh says so in one line and exits with 2; a
# tree that fails makes test.sh fail, and is named in the last run.
#
#   matrix_test.sh SOURCE_DIR
#
# Parts that need mmdebstrap, or root, are left out where that is not there, and a line says so.
# Nothing is installed. A df of the test's own says how much room there is: the machine's disk decides nothing here.
set -eu

source_dir=$1
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
chmod 755 "$scratch"
# The scripts work in the folder above theirs.
mkdir "$scratch/copy"
cp -R "$source_dir/scripts" "$scratch/copy"
mkdir "$scratch/bin"
cat >"$scratch/bin/df" <<'END'
#!/bin/sh
echo "Filesystem 1024-blocks Used Available Capacity Mounted on"
echo "stand-in 1000000000 0 ${ROOM:-900000000} 0% /"
END
chmod 755 "$scratch/bin/df"
PATH=$scratch/bin:$PATH

fail() {
    echo "matrix_test: $*" >&2
    exit 1
}

# refused WHAT TEXT COMMAND...: exit status 2, and one line with TEXT in it.
refused() {
    what=$1
    text=$2
    shift 2
    status=0
    (cd "$scratch/copy" && timeout 120 "$@") >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    [ $status = 2 ] || fail "$what: exit status $status: $(cat "$scratch/out" "$scratch/err")"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "$what: not one line: $(cat "$scratch/err")"
    grep -q "^matrix: .*$text" "$scratch/err" || fail "$what: says $(cat "$scratch/err")"
}

refused "an unknown option" "no option --frob" sh scripts/matrix.sh --frob
refused "a word that is no name" "no name of a suite" sh scripts/matrix.sh 'no/suite'
refused "an option without its value" "needs a URL" sh scripts/matrix.sh --mirror
refused "a value that is no number" "needs a number of MB" sh scripts/matrix.sh --spare some trixie

if [ "$(id -u)" = 0 ] && unshare --mount --propagation private true 2>/dev/null; then
    # In a changed root nobody may make a user namespace.
    mkdir "$scratch/root"
    # shellcheck disable=SC2016
    refused "an ordinary user without user namespaces" "neither root nor user namespaces" \
        unshare --mount --propagation private sh -c 'mount --rbind / "$1/root" &&
            exec chroot "$1/root" setpriv --reuid=nobody --clear-groups sh "$1/copy/scripts/matrix.sh" sid' \
        sh "$scratch"
    # In a root without the right to mount.
    refused "root without a right" "no right to mount" \
        setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin sh scripts/matrix.sh sid
    if (cd "$source_dir" && . scripts/lib.sh && . scripts/tree.sh && for package in $tree_packages; do
        is_installed "$package" || exit 1
    done); then
        refused "too little room" "5400 MB are needed .*build/matrix, and 4000 are free" \
            env ROOM=4096000 sh scripts/matrix.sh --quick trixie
        refused "too little room for two" "10800 MB are needed" \
            env ROOM=6000000 sh scripts/matrix.sh --quick trixie sid
        refused "too little room beside others" "6400 MB are needed" \
            env ROOM=6000000 sh scripts/matrix.sh --quick --spare 1000 trixie
        mkdir "$scratch/mirror"
        refused "a suite that does not exist" "suite nosuchsuite cannot be had" \
            sh scripts/matrix.sh --quick --mirror "file://$scratch/mirror" nosuchsuite
        refused "no network" "no network" unshare --net sh scripts/matrix.sh --quick trixie
    else
        echo "matrix_test: no mmdebstrap here: room, a suite that does not exist and no network were left out"
    fi
else
    echo "matrix_test: not root, or no right to mount: what needs a tree was left out"
fi

# test.sh with nothing to build, one test of its own, and a matrix.sh that ends as told.
sed -e '/^need_packages/d' -e '/^\[ .* need_packages/d' -e 's/^ *build linux .*/:/' -e '/test_checked$/d' \
    -e '/test_sanitized$/d' -e '/^ *test_unprivileged linux /d' -e 's/^ *\[ .* test_windows$/:/' "$source_dir/scripts/test.sh" >"$scratch/copy/scripts/test.sh"
cat >"$scratch/copy/scripts/matrix.sh" <<'END'
mkdir -p build/matrix/trixie/failed
[ "$AS_TOLD" != 1 ] || {
    echo "it said this" >build/matrix/trixie/failed/it.txt
    printf 'trixie: linux/it (A=0)\t%s\n' "$PWD/build/matrix/trixie/failed/it.txt" >build/matrix/trixie/failed/list
}
exit "$AS_TOLD"
END
cp -R "$source_dir/.ci" "$scratch/copy"
mkdir -p "$scratch/copy/build/linux"
echo "add_test(own true)" >"$scratch/copy/build/linux/CTestTestfile.cmake"

# On a full disk it does not begin; on one that may do it says so, and goes on.
status=0
AS_TOLD=0 ROOM=1024000 bash "$scratch/copy/.ci/run" >"$scratch/out" 2>&1 || status=$?
[ $status = 1 ] || fail "a full disk: status $status: $(cat "$scratch/out")"
[ "$(wc -l <"$scratch/out")" = 1 ] || fail "a full disk: not one line: $(cat "$scratch/out")"
grep -q "^test: 3000 MB are needed on the disk of .*, and 1000 are free: " "$scratch/out" ||
    fail "a full disk: says $(cat "$scratch/out")"
AS_TOLD=0 ROOM=2048000 bash "$scratch/copy/.ci/run" >"$scratch/out" 2>&1 || fail "half a disk: $(cat "$scratch/out")"
grep -q "^test: 3000 MB .* and 2000 are free: .* may fail for that" "$scratch/out" ||
    fail "half a disk: no line says so: $(cat "$scratch/out")"
grep -q "^100% tests passed" "$scratch/out" || fail "half a disk: it does not go on: $(cat "$scratch/out")"

for told in 0 1 2 3; do
    status=0
    AS_TOLD=$told bash "$scratch/copy/.ci/run" >"$scratch/out" 2>&1 || status=$?
    case $told in
    0 | 2) wanted="100% tests passed, 0 tests failed out of 1" ;;
    *) wanted="50% tests passed, 1 tests failed out of 2" ;;
    esac
    grep -q "^$wanted" "$scratch/out" || fail "matrix.sh ends with $told: no line \"$wanted\": $(cat "$scratch/out")"
    case $told,$status in
    0,0 | 2,0 | [13],[!0]) ;;
    *) fail "matrix.sh ends with $told, test.sh with $status" ;;
    esac
    [ $told != 1 ] || { tail -n 3 "$scratch/out" | grep -q 'trixie: linux/it (A=0) (Failed)' &&
        grep -q "it said this" "$scratch/out"; } || fail "what failed is not named: $(cat "$scratch/out")"
    [ $told != 2 ] || grep -q "not tried in a tree of trixie" "$scratch/out" || fail "a tree that cannot be had: no line"
    rm -rf "$scratch/copy/build/matrix"
done
echo "matrix_test: all as it should be"
