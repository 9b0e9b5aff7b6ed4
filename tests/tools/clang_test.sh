#!/bin/sh
# SPDX-License-Identifier: MIT
# clang_test.sh - the library builds with clang, and what clang has made of it keeps the contract.
#
#   clang_test.sh SOURCE_DIR BUILD_DIR C_COMPILER
#
# BUILD_DIR is kept for the next time. Status 77 where there is no clang, or C_COMPILER is one already.
set -eu

source=$1
build=$2
! "$3" --version | grep -q clang || {
    echo "clang_test: everything here is built with clang"
    exit 77
}
for compiler in clang clang++; do
    command -v $compiler >/dev/null || {
        echo "clang_test: there is no $compiler here"
        exit 77
    }
done

# quietly COMMAND...: what it says only if it fails.
quietly() {
    mkdir -p "$build"
    "$@" >"$build/log" 2>&1 || {
        grep -m 20 -E 'error|undefined|failed' "$build/log" || tail -n 20 "$build/log"
        echo "clang_test: $1 failed, $build/log"
        exit 1
    }
}

quietly cmake -G Ninja -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DUMSSHIM_BUILD_BENCH=OFF
quietly cmake --build "$build" --target ums_conformance sample_hello sample_tour
"$build/samples/hello"
quietly "$build/samples/tour"
"$build/tests/conformance/ums_conformance" --quiet
