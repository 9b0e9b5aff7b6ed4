#!/bin/sh
# SPDX-License-Identifier: MIT
# register_test.sh WINE.SH BIN - umsrun --register: what it writes to the registry leads to umsrun, which starts the
# program with User-Mode Scheduling; undone, the registry is as it was.
#
# Wine does not go by the value Debugger, so what it says is started here as Windows would: before the command line.
# Keys bear names that no other test has.
# shellcheck source=tests/windows/umsrun_scene.sh
. "$(dirname "$0")/umsrun_scene.sh"

name=umsshim-registered-$$.exe
options='HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Image File Execution Options'
key="$options\\$name"

reg() { $wine reg "$@" </dev/null 2>&1 | tr -d '\r'; }

clean_up() {
    reg delete "$key" /f >/dev/null
    rm -rf "$work"
}
trap clean_up EXIT

snapshot() { reg query "$key" /s; }

cp "$bin/echo.exe" "$work/$name"
before=$(snapshot)

run "$bin/umsrun.exe" --register "$work/$name"
expect "--register" 0 "every program $name is started by .*umsrun.exe from now on"
grep -q "folder below Program Files" "$work/out" || fail "it is not told that the folder of umsrun is not safe:"
run "$bin/umsrun.exe" --registered
expect "--registered" 0 "^$name"
command=$(reg query "$key" /v Debugger | sed -n 's/^ *Debugger *REG_SZ *//p')
case $command in
'"'*'umsrun.exe" --as-registered') ;;
*) fail "the value Debugger is $command" ;;
esac

# As Windows starts it: umsrun's path, its option, and the command line.
program=${command#\"}
program=$($wine winepath -u "${program%%\"*}" 2>/dev/null | tr -d '\r')
run "$program" --as-registered "$work/$name" one "two words"
expect "a registered program" 42 "ums: yes"
grep -q "argument 2: \[two words\]" "$work/out" || fail "its arguments are not handed on:"
run "$bin/umsrun.exe" "$work/$name"
expect "a registered program, by hand" 42 "ums: yes"
# Nobody asked for umsrun, so a program that it cannot serve is started all the same.
mkdir "$work/alone"
cp "$bin/umsrun.exe" "$work/alone"
run "$work/alone/umsrun.exe" --as-registered "$work/$name"
expect "a program that cannot be served" 42 "started without User-Mode Scheduling"
grep -q "ums: no" "$work/out" || fail "it is served without umsshim.dll:"

run "$bin/umsrun.exe" --register "$name"
expect "registered twice" 0 "every program $name"
run "$bin/umsrun.exe" --unregister "$name"
expect "--unregister" 0 "started by itself again"
[ "$(snapshot)" = "$before" ] || fail "the registry is not as it was: $(snapshot), not $before"
run "$bin/umsrun.exe" --unregister "$name"
expect "unregistered twice" 2 "is not registered"
run "$bin/umsrun.exe" --registered
! grep -q "$name" "$work/out" || fail "it is still registered:"

# What somebody else has there stays.
reg add "$key" /v GlobalFlag /t REG_DWORD /d 512 /f >/dev/null
before=$(snapshot)
run "$bin/umsrun.exe" --register "$name"
expect "a key with another value" 0 "every program $name"
run "$bin/umsrun.exe" --unregister "$name"
[ "$(snapshot)" = "$before" ] || fail "another value is not as it was: $(snapshot), not $before"
reg add "$key" /v Debugger /t REG_SZ /d 'other.exe -p' /f >/dev/null
before=$(snapshot)
run "$bin/umsrun.exe" --register "$name"
expect "a program with another debugger" 2 "registered for another program already"
[ "$(snapshot)" = "$before" ] || fail "another debugger is not as it was: $(snapshot), not $before"

for case in "notepad.exe:a part of Windows" "umsrun.exe:start itself" "program:not the name of a program" \
    "$work/none.exe:cannot be opened" "$bin/umsshim.dll:not the name of a program"; do
    run "$bin/umsrun.exe" --register "${case%:*}"
    expect "--register ${case%:*}" 2 "${case##*:}"
done
run "$bin/umsrun.exe" --register
expect "--register alone" 2 "want a program"
[ -z "$failed" ]
