#!/bin/sh
# SPDX-License-Identifier: MIT
# switch_mode_test.sh WINE.SH BIN - UMSSHIM_SWITCH: umsrun --check says in one line how workers are
# switched and why, every value ends in a way that works, and one that is none is said to be none.
#
# By default in place must have been tried on this very Windows, and what came of it is kept. Under Wine that is so with
# "tried" only. And hooks that calls go around are no hooks.
#
# The hazard: a way that was asked for and silently is not the one in use, so that whoever measures or
# reports a problem describes another.
# shellcheck source=tests/windows/umsrun_scene.sh
. "$(dirname "$0")/umsrun_scene.sh"

# check VALUE: sets $line to what --check says about switching. "unset" is no value.
check() {
    if [ "$1" = unset ]; then
        (unset UMSSHIM_SWITCH && $wine "$bin/umsrun.exe" --check >"$work/out" 2>"$work/err" </dev/null)
    else
        UMSSHIM_SWITCH=$1 $wine "$bin/umsrun.exe" --check >"$work/out" 2>"$work/err" </dev/null
    fi || fail "$1: the exit code of --check is not 0"
    tr -d '\r' <"$work/out" | grep '^switching: ' >"$work/line"
    line=$(cat "$work/line")
    [ "$(wc -l <"$work/line")" = 1 ] || fail "$1: not one line that begins \"switching: \""
    grep -q '^self-test: passed' "$work/out" || fail "$1: the self-test did not pass"
}

is_pinned() {
    echo "$line" | grep -q '^switching: pinned (..*)$'
}

check inplace
[ "$line" = "switching: in place" ] || fail "inplace: it says \"$line\""
[ ! -s "$work/err" ] || fail "inplace: something on standard error"

check pinned
is_pinned || fail "pinned: it says \"$line\""
[ ! -s "$work/err" ] || fail "pinned: something on standard error"

check unset
default=$line
[ "$default" = "switching: in place" ] || is_pinned || fail "by default: it says \"$line\""
check auto
[ "$line" = "$default" ] || fail "auto: it says \"$line\", by default \"$default\""
[ ! -s "$work/err" ] || fail "auto: something on standard error"

# What a trial has found, for whom. The file is the user's.
kept() {
    find "${UMSSHIM_WINEPREFIX:-$(dirname "$1")/../build/wine-prefix}" -path '*umsshim/in-place.txt'
}
expect_tried() {
    check tried
    [ "$line" = "$1" ] || fail "tried, $2: it says \"$line\""
    [ ! -s "$work/err" ] || fail "tried, $2: something on standard error"
}
none="switching: pinned (in place has not been tried on this Windows: umsrun --try)"
for file in $(kept "$1"); do rm "$file"; done
expect_tried "$none" "with no trial"
$wine "$bin/umsrun.exe" --try >"$work/out" 2>"$work/err" </dev/null || fail "--try: it did not pass"
file=$(kept "$1")
[ -n "$file" ] || fail "--try: nothing was kept"
expect_tried "switching: in place" "after one"
$wine "$bin/umsrun.exe" --try >"$work/out" 2>"$work/err" </dev/null || fail "--try again: it did not pass"
[ "$(wc -l <"$file")" = 1 ] || fail "--try again: $(wc -l <"$file") lines are kept"
sed -i 's/^passed/failed/' "$file"
expect_tried "switching: pinned (in place did not pass its trial on this Windows)" "after one that failed"
sed -i 's/^failed/passed/; s/ntdll [0-9a-f]*/ntdll 12345678/' "$file"
expect_tried "$none" "after one on another Windows"
rm "$file"

export UMSSHIM_TEST_AS_WINDOWS=effect
check inplace
unset UMSSHIM_TEST_AS_WINDOWS
[ "$line" = "switching: pinned (calls of SetEvent do not arrive at the hooks)" ] ||
    fail "hooks without effect: it says \"$line\""

# The trial's process, by itself: it ends with the number of what is wrong, canary.c.
canary() {
    UMSSHIM_SWITCH=inplace $wine "$bin/umsrun.exe" --canary >"$work/out" 2>"$work/err" </dev/null
}
canary || fail "the trial: exit code $?"
export UMSSHIM_TEST_AS_WINDOWS=alerts
code=0
canary || code=$?
unset UMSSHIM_TEST_AS_WINDOWS
[ "$code" = 14 ] || fail "alerts that go around their hook: the trial's exit code is $code"

# A stub of a rare call, or of one that signals, that is somebody else's: in place all the same.
export UMSSHIM_TEST_AS_WINDOWS=strangers
check inplace
unset UMSSHIM_TEST_AS_WINDOWS
[ "$line" = "switching: in place" ] || fail "strangers: it says \"$line\""
grep -q '^hook NtCreateUserProcess .*refused' "$work/out" || fail "strangers: no hook was refused"
grep -q 'hooks were refused' "$work/err" || fail "strangers: nobody was told"

# One line for the user, and on as by default; programs as well.
for value in nonsense "" INPLACE inplacexyz; do
    check "$value"
    [ "$line" = "$default" ] || fail "\"$value\": it says \"$line\", by default \"$default\""
    [ -z "$value" ] && continue # empty is as good as unset
    [ "$(wc -l <"$work/err")" = 1 ] || fail "\"$value\": not one line on standard error"
    grep -q 'UMSSHIM_SWITCH' "$work/err" || fail "\"$value\": the line does not name UMSSHIM_SWITCH"
done
for value in inplace pinned auto nonsense; do
    UMSSHIM_SWITCH=$value $wine "$bin/hello.exe" >"$work/out" 2>"$work/err" </dev/null ||
        fail "hello.exe with $value: the exit code is not 0"
    grep -q 'workers ended: 2' "$work/out" || fail "hello.exe with $value"
done
[ -z "$failed" ]
