#!/bin/sh
# SPDX-License-Identifier: MIT
# dialects_test.sh - a user's UMS source compiles, links and runs in each dialect that the compiler has, with
# strict warnings, optimised and fortified.
#
#   dialects_test.sh SOURCE_DIR LIBRARY C_COMPILER CXX_COMPILER -- FLAGS
#
# FLAGS are those of the pkg-config file. With the compilers that the library is built with, and with clang where
# there is one.
set -eu

source=$1/tests/tools/consumer.c
library=$2
cc=$3
cxx=$4
shift 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tried=

# try COMPILER LANGUAGE DIALECT...: the first of the dialects that the compiler knows.
try() {
    compiler=$1
    language=$2
    shift 2
    for dialect in "$@"; do
        if "$compiler" -std="$dialect" -x "$language" -fsyntax-only /dev/null 2>/dev/null; then
            # shellcheck disable=SC2086
            "$compiler" -std="$dialect" -x "$language" -Wall -Wextra -Werror -O2 -D_FORTIFY_SOURCE=3 $flags \
                "$source" -x none "$library" -Wl,-rpath,"$(dirname "$library")" -o "$scratch/app" \
                2>"$scratch/log" || {
                head -n 20 "$scratch/log"
                echo "dialects_test: $compiler -std=$dialect: does not compile"
                exit 1
            }
            "$scratch/app" >"$scratch/log" 2>&1 || {
                cat "$scratch/log"
                echo "dialects_test: $compiler -std=$dialect: the program fails"
                exit 1
            }
            tried="$tried $compiler:$dialect"
            return 0
        fi
    done
    echo "dialects_test: $compiler knows none of $*"
    exit 1
}

flags=$*
for pair in "$cc $cxx" "clang clang++"; do
    c=${pair% *}
    cpp=${pair#* }
    if ! command -v "$c" >/dev/null || ! command -v "$cpp" >/dev/null; then
        echo "dialects_test: no $c here"
        continue
    fi
    for dialect in c11 c17 "c23 c2x"; do
        # shellcheck disable=SC2086
        try "$c" c $dialect
    done
    for dialect in c++14 c++17 c++20 "c++23 c++2b"; do
        # shellcheck disable=SC2086
        try "$cpp" c++ $dialect
    done
done
echo "dialects_test:$tried"
