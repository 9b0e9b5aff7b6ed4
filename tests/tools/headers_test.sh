#!/bin/sh
# SPDX-License-Identifier: MIT
# headers_test.sh - Windows sources compile as they are: each snippet of tests/tools/headers as C
# and as C++, with the documented flags and strict warnings; those named run_* are also run. The
# same sources go through MinGW's compiler when there is one, for the headers must let its own pass.
#
#   headers_test.sh MODE SOURCE_DIR SPELLINGS_DIR COMPILER... -- FLAGS
#
# MODE is native or mingw; COMPILER is a C and a C++ compiler. Exit status 77: skipped.
set -eu

mode=$1
here=$2/tests/tools/headers
spellings=$3
cc=$4
cxx=$5
shift 6
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-Wall -Wextra -Werror $*"
failures=0
compiled=0

if ! command -v "$cc" >/dev/null || ! command -v "$cxx" >/dev/null; then
    echo "headers_test: skipped, no $cc or no $cxx"
    exit 77
fi

# try NAME OUTPUT COMMAND...
try() {
    what=$1
    output=$2
    shift 2
    compiled=$((compiled + 1))
    "$@" -o "$output" 2>"$scratch/log" || {
        echo "headers_test: does not compile: $what"
        head -n 12 "$scratch/log"
        failures=$((failures + 1))
        return 0
    }
    case $output in
    */run)
        "$output" || {
            echo "headers_test: wrong results: $what"
            failures=$((failures + 1))
        }
        ;;
    esac
}

# snippet NAME EXTRA...: as C and as C++. What is to be run is optimised, what is not is not.
snippet() {
    name=$1
    shift
    case $mode,$name in
    native,run_*) to=$scratch/run how=-O2 ;;
    *) to=$scratch/object how=-fsyntax-only ;;
    esac
    case $name in
    *.c)
        # Word splitting is wanted: flags.
        # shellcheck disable=SC2086
        try "$name in C $*" "$to" "$cc" -std=gnu11 $flags $how "$@" "$here/$name"
        ;;
    esac
    # shellcheck disable=SC2086
    try "$name in C++ $*" "$to" "$cxx" -std=gnu++17 $flags $how "$@" -x c++ "$here/$name"
}

snippet program.c
snippet calls.c
snippet calls.c -UWIN32_LEAN_AND_MEAN
snippet calls.c -DUNICODE -D_UNICODE
snippet run_interlocked.c
snippet run_crt.c
snippet standard.cpp
snippet standard.cpp -DAFTER -DUNICODE -D_UNICODE
if [ "$mode" = native ]; then
    snippet run_interlocked.c -UWIN32_LEAN_AND_MEAN -O0
    snippet run_crt.c -O0
    # The program that was just built: an overflow ends it.
    # shellcheck disable=SC3045 # dash and bash have it, and it is for the machine's sake only
    if { (ulimit -c 0 && "$scratch/run" 12345678); } 2>"$scratch/log" ||
        ! grep -q "strcpy_s: invalid parameter" "$scratch/log"; then
        echo "headers_test: strcpy_s lets a string through that is too long"
        failures=$((failures + 1))
    fi
    snippet run_unicode.c
    snippet posix.c
    snippet posix.c -UWIN32_LEAN_AND_MEAN
    for order in 1 2 3 4 5 6; do # of <winsock2.h>, <windows.h> and POSIX headers
        snippet winsock.c "-DORDER=$order"
        snippet winsock.c "-DORDER=$order" -UWIN32_LEAN_AND_MEAN -DUNICODE
    done
    for name in program.c run_crt.c winsock.c; do
        # shellcheck disable=SC2086
        try "$name with -std=c11" "$scratch/object" "$cc" -std=c11 -pedantic $flags \
            -fsyntax-only "$here/$name"
    done
fi
snippet run_spellings.c
snippet run_spellings.c -UWIN32_LEAN_AND_MEAN
snippet sal_in_out.cpp -DUMSSHIM_SAL_IN_OUT
if [ "$mode" = native ]; then
    snippet run_spellings.c -O0
    snippet run_spellings.c -DWITHOUT
fi

# What is refused, and says why; a cross build leaves __try to MinGW's headers.
refused="1:declspec(naked) 2:structured.exception 3:declspec(allocate) 4:declspec(naked) 5:structured.exception
    6:structured.exception 7:inline.assembly 8:inline.assembly 9:based 10:constant 11:no_such_word"
[ "$mode" = mingw ] || refused="$refused 12:structured.exception"
for case in $refused; do
    # shellcheck disable=SC2086
    if "$cc" $flags -fsyntax-only -DCASE="${case%%:*}" "$here/refused.c" 2>"$scratch/log" ||
        ! grep -q "error:.*${case##*:}" "$scratch/log"; then
        echo "headers_test: $case is not refused by name"
        head -n 4 "$scratch/log"
        failures=$((failures + 1))
    fi
done

# Every spelling, in one source.
{
    echo "#include <windows.h>"
    for header in "$spellings"/*; do
        echo "#include <${header##*/}>"
    done
} >"$scratch/spellings.c"
[ "$(wc -l <"$scratch/spellings.c")" -gt 100 ] || {
    echo "headers_test: no spellings in $spellings"
    exit 1
}
if [ "$mode" = native ]; then
    # shellcheck disable=SC2086
    try "all spellings in C" "$scratch/object" "$cc" $flags -fsyntax-only "$scratch/spellings.c"
    # shellcheck disable=SC2086
    try "all spellings in C++" "$scratch/object" "$cxx" $flags -fsyntax-only -x c++ \
        "$scratch/spellings.c"
fi

[ "$failures" -eq 0 ] || {
    echo "headers_test: $failures failures"
    exit 1
}
echo "headers_test: $mode: $compiled compilations"
