#!/bin/sh
# SPDX-License-Identifier: MIT
# link_test.sh WINE.SH BIN - umsrun --link: copies that load umsshim.dll themselves do what umsrun makes of the
# programs; --unlink gives each back bit by bit; what goes wrong leaves no file and changes none.
# shellcheck source=tests/windows/umsrun_scene.sh
. "$(dirname "$0")/umsrun_scene.sh"

umsrun() { run "$bin/umsrun.exe" "$@"; }

# same PROGRAM [ARGUMENT...]: by umsrun, and as a linked copy. umsrun hands on the program's name as it is written,
# and Wine 10's xcopy takes a slash there for an option: so it is written as Wine writes that of a copy.
same() {
    program=$1
    name=$(basename "$program")
    shift
    cp "$program" "$work/same/$name"
    umsrun "Z:$(printf '%s' "$work/same/$name" | tr / '\134')" "$@"
    tr -d '\r' <"$work/out" | sort >"$work/by_umsrun"
    by_umsrun=$status
    rm -f "$work/same/linked.exe" "$work/same/back.exe"
    umsrun --link "$work/same/$name" "$work/same/linked.exe"
    [ "$status" = 0 ] || { fail "$name is not linked: exit code $status" && return; }
    cmp -s "$program" "$work/same/$name" || fail "$name was changed"
    run "$work/same/linked.exe" "$@"
    tr -d '\r' <"$work/out" | sort >"$work/by_itself"
    if [ "$status" != "$by_umsrun" ] || ! [ -s "$work/by_itself" ] ||
        ! diff "$work/by_umsrun" "$work/by_itself"; then
        fail "$name: exit code $by_umsrun by umsrun, $status linked, and it says:"
    fi
    umsrun --unlink "$work/same/linked.exe" "$work/same/back.exe"
    if [ "$status" != 0 ] || ! cmp "$program" "$work/same/back.exe"; then
        fail "$name is not what comes back: exit code $status"
    fi
}

mkdir "$work/same"
cp "$bin/umsshim.dll" "$work/same"
for name in legacy_import legacy_api_set legacy_lookup legacy_many; do
    same "$bin/$name.exe"
done
# Programs that know nothing of UMS: one of the tests', and two of the system's.
same "$bin/echo.exe" child "two words"
system=$($wine winepath -u 'C:\windows\system32' 2>/dev/null | tr -d '\r')
same "$system/xcopy.exe" '/?'
same "$system/reg.exe" query 'HKCU\Software\Wine\Drivers'

# refused WHAT PATTERN ARGUMENT...: one line, exit code 2, and nothing new in the folder.
refused() {
    what=$1
    pattern=$2
    shift 2
    find "$work/safe" -type f -exec cksum {} + | sort >"$work/before"
    umsrun "$@"
    find "$work/safe" -type f -exec cksum {} + | sort >"$work/after"
    if [ "$status" != 2 ] || [ "$(wc -l <"$work/out")" != 1 ] || ! grep -q -- "$pattern" "$work/out"; then
        fail "$what: exit code $status, wanted 2 and one line with \"$pattern\":"
    fi
    diff "$work/before" "$work/after" || fail "$what: files were changed"
}

mkdir "$work/safe"
old=$work/safe/old.exe
cp "$bin/echo.exe" "$old"
ln -s old.exe "$work/safe/other-name.exe"
ln "$old" "$work/safe/second-name.exe"
refused "no new name" "wants a program" --link "$old"
refused "a name too many" "wants a program" --link "$old" "$work/safe/new.exe" more
refused "itself" "another name" --link "$old" "$old"
refused "itself by a link" "another name" --link "$old" "$work/safe/other-name.exe"
refused "itself by its second name" "another name" --link "$old" "$work/safe/second-name.exe"
echo "in the way" >"$work/safe/there.exe"
refused "a file that is there" "is there already" --link "$old" "$work/safe/there.exe"
mkdir "$work/safe/folder.exe"
refused "a folder that is there" "is there already" --link "$old" "$work/safe/folder.exe"
refused "a folder that is not there" "cannot be written: error 3" --link "$old" "$work/safe/none/new.exe"
refused "no right to write" "cannot be written: error 5" --link "$old" "/sys/new.exe"
refused "no such program" "cannot be opened: error 2" --link "$work/safe/none.exe" "$work/safe/new.exe"
refused "a text" "is not a Windows program" --link "$work/safe/there.exe" "$work/safe/new.exe"
refused "a DLL" "is a DLL" --link "$bin/umsshim.dll" "$work/safe/new.exe"
refused "a program that is linked" "umsshim.dll already" --link "$bin/hello.exe" "$work/safe/new.exe"
refused "a file that was not linked" "not made by" --unlink "$old" "$work/safe/new.exe"
# A full disk: no file may grow beyond 64 KiB.
full=$(
    trap '' XFSZ
    # shellcheck disable=SC3045 # dash and bash have it
    ulimit -f 128
    refused "a full disk" "cannot be written: error" --link "$old" "$work/safe/new.exe"
)
[ -z "$full" ] || fail "$full"

# What the user has to know is told.
umsrun --link "$old" "$work/safe/new.exe"
grep -q "umsshim.dll has to lie in its folder" "$work/out" || fail "it is not told that the DLL has to be there:"
cp "$work/safe/new.exe" "$work/safe/changed.exe"
printf 'x' | dd of="$work/safe/changed.exe" bs=1 seek=2000 conv=notrunc 2>/dev/null
refused "a linked file that was changed" "was changed after" --unlink "$work/safe/changed.exe" "$work/safe/back.exe"
# Without the DLL it does not start.
run "$work/safe/new.exe"
[ "$status" != 42 ] || fail "a linked program starts without the DLL"
[ -z "$failed" ]
