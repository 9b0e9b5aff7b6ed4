#!/bin/sh
# SPDX-License-Identifier: MIT
# umsrun_test.sh WINE.SH BIN - what umsrun passes on, what it refuses, and that it leaves nobody behind.
# shellcheck source=tests/windows/umsrun_scene.sh
. "$(dirname "$0")/umsrun_scene.sh"

refused() {
    what=$1
    pattern=$2
    shift 2
    run "$bin/umsrun.exe" "$@"
    expect "$what" 2 "$pattern"
    [ "$(wc -l <"$work/out")" = 1 ] || fail "$what: more than one line:"
}

refused "no arguments" "which program"
refused "an unknown option" "no such option: --nonsense" --nonsense
refused "a missing program" "there is no program" no-such-program.exe
echo "not a program" >"$work/text.exe"
refused "a text file" "is not a Windows program" "$work/text.exe"
refused "a DLL" "is a DLL" "$bin/umsshim.dll"
# 32-bit and .NET programs as far as umsrun looks: its own header with one field changed.
cp "$bin/echo.exe" "$work/x86.exe"
pe=$(od -An -tu4 -j60 -N4 "$work/x86.exe" | tr -d ' ')
printf '\114\001' | dd of="$work/x86.exe" bs=1 seek=$((pe + 4)) conv=notrunc 2>/dev/null
refused "a 32-bit program" "32-bit" "$work/x86.exe"
cp "$bin/echo.exe" "$work/net.exe"
printf '\001\020' | dd of="$work/net.exe" bs=1 seek=$((pe + 24 + 112 + 14 * 8)) conv=notrunc 2>/dev/null
refused "a .NET program" "\.NET" "$work/net.exe"
head -c 200 "$bin/echo.exe" >"$work/short.exe"
refused "a program that is cut off" "umsrun: " "$work/short.exe"

run "$bin/umsrun.exe" --help
expect "--help" 0 "usage: umsrun"

(cd "$work" && mkdir folder && cd folder && echo "some input" |
    $wine "$bin/umsrun.exe" "$bin/echo.exe" one "two words" 'quo"te' >"$work/out" 2>&1)
status=$?
expect "exit code" 42 "ums: yes"
expect "first argument" 42 "argument 1: \[one\]"
expect "second argument" 42 "argument 2: \[two words\]"
expect "an argument with a quote" 42 'argument 3: \[quo"te\]'
expect "standard input" 42 "input: some input"
expect "working folder" 42 "folder: folder"

# A program whose header names no directory of import addresses: umsrun's header does.
cp "$bin/echo.exe" "$work/no_iat.exe"
cp "$bin/umsrun.exe" "$bin/umsshim.dll" "$work"
printf '\0\0\0\0\0\0\0\0' |
    dd of="$work/no_iat.exe" bs=1 seek=$((pe + 24 + 112 + 12 * 8)) conv=notrunc 2>/dev/null
run "$work/no_iat.exe" addresses
expect "a header without import addresses" 42 "addresses: not told"
run "$work/umsrun.exe" "$work/no_iat.exe" addresses
expect "the same, rewritten" 42 "addresses: told"
expect "the same, in use" 42 "ums: yes"

run "$bin/echo.exe"
expect "without umsrun" 42 "ums: no"
run "$bin/umsrun.exe" "$bin/echo.exe" spawn
expect "a child without --children" 42 "ums: no"
run "$bin/umsrun.exe" "$bin/echo.exe" "break away"
expect "a child outside of the job" 42 "ums: no"
run "$bin/umsrun.exe" --children "$bin/echo.exe" spawn
expect "a child with --children" 42 "ums: yes"
run "$bin/umsrun.exe" --children "$bin/echo.exe" respawn
expect "a child's child in another environment with --children" 42 "ums: yes"
run "$bin/umsrun.exe" --children "$bin/umsrun.exe" "$bin/echo.exe" spawn
expect "a child of umsrun's child with --children" 42 "ums: yes"
UMSSHIM_DISABLE=1 run "$bin/umsrun.exe" "$bin/echo.exe"
expect "UMSSHIM_DISABLE" 42 "ums: no"
run "$bin/umsrun.exe" --check
expect "--check" 0 "self-test: passed"
UMSSHIM_DISABLE=1 run "$bin/umsrun.exe" --check
expect "--check with UMS off" 1 "self-test: FAILED at creating a completion list, last error 50"
UMSSHIM_DETECT=0 run "$bin/umsrun.exe" --check
expect "--check without detection" 1 "hook NtDelayExecution (delay, user wait, asked): not applied"

# An end in the loader: one line says what it means. Its exit code is handed on (a shell sees the last byte).
for code in 0xC0000135:found 0xC0000142:"refused to start" 0xC000007B:32-bit 0xC0E90002:"Smart App" \
    0xC0000428:signature 0xC0000022:"may not be read" 0xC0000139:"lacks a function"; do
    run "$bin/umsrun.exe" "$bin/echo.exe" end "${code%%:*}"
    expect "an end with ${code%%:*}" $((${code%%:*} & 255)) "^umsrun: .*cannot be loaded: .*${code#*:}"
done
run "$bin/umsrun.exe" "$bin/echo.exe" end 0xC0000005
if [ "$status" != 5 ] || [ -s "$work/out" ]; then
    fail "an end of the program's own: exit code $status, and it is explained:"
fi

# Killed from outside: by Windows' means, so that only umsrun is. By name, so under names that no other
# test has.
cp "$bin/umsrun.exe" "$work/umsrun_killed.exe"
cp "$bin/echo.exe" "$work/echo_left.exe"
cp "$bin/umsshim.dll" "$work"
$wine "$work/umsrun_killed.exe" "$work/echo_left.exe" hang >"$work/out" 2>&1 </dev/null &
umsrun=$!
tries=0
until grep -q "ums: yes" "$work/out" || [ $tries = 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
$wine taskkill /f /im umsrun_killed.exe >"$work/err" 2>&1 </dev/null || fail "taskkill:"
wait $umsrun
tries=0
while $wine tasklist 2>/dev/null </dev/null | grep -q "echo_left.exe" && [ $tries != 50 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
if $wine tasklist 2>/dev/null </dev/null | grep -q "echo_left.exe"; then
    fail "umsrun was killed, its program lives on:"
    $wine taskkill /f /im echo_left.exe >/dev/null 2>&1
fi
[ -z "$failed" ]
