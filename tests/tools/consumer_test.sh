#!/bin/sh
# SPDX-License-Identifier: MIT
# consumer_test.sh - what a user does: build and install the library, then compile a UMS source with
# the flags of pkg-config, as C and as C++, and with the CMake package; run each.
#
#   consumer_test.sh SOURCE_DIR [C_COMPILER [CXX_COMPILER]]
set -eu

source_dir=$1
cc=${2:-gcc}
cxx=${3:-g++}
here=$source_dir/tests/tools
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() {
    echo "consumer_test: $*" >&2
    exit 1
}

# Installed in a folder that the build has not heard of, then moved: nothing may name the former place.
{
    cmake -S "$source_dir" -B "$scratch/build" -G Ninja \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
        -DUMSSHIM_BUILD_TESTS=OFF -DUMSSHIM_BUILD_BENCH=OFF -DUMSSHIM_BUILD_SAMPLES=OFF &&
        cmake --build "$scratch/build" &&
        cmake --install "$scratch/build" --prefix "$scratch/first" &&
        mv "$scratch/first" "$prefix"
} >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "building and installing failed"
}

pc=$(find "$prefix" -name umsshim.pc)
[ -n "$pc" ] || fail "no umsshim.pc was installed"
PKG_CONFIG_PATH=$(dirname "$pc")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
flags=$(pkg-config --cflags --libs umsshim) || fail "pkg-config does not know umsshim"
case $flags in
*"$source_dir"*) fail "the flags point into the source tree: $flags" ;;
*"$scratch/first"* | */usr/local/*) fail "the flags point to where the library is not: $flags" ;;
esac

# Strict warnings: our headers are what a user's -Wall -Wextra -Werror sees.
for dialect in gnu11 gnu17; do
    # Word splitting is wanted: flags.
    # shellcheck disable=SC2086
    "$cc" -std=$dialect -Wall -Wextra -Werror "$here/consumer.c" -o "$scratch/app" $flags ||
        fail "the C source does not compile ($dialect)"
    "$scratch/app" || fail "the C program failed ($dialect)"
done
for dialect in gnu++11 gnu++17 gnu++20; do
    # shellcheck disable=SC2086
    "$cxx" -std=$dialect -x c++ -Wall -Wextra -Werror "$here/consumer.c" -o "$scratch/app++" \
        -x none $flags || fail "the C++ source does not compile ($dialect)"
    "$scratch/app++" || fail "the C++ program failed ($dialect)"
done

# The plain command of the documentation, nothing added.
# shellcheck disable=SC2046
"$cc" "$here/consumer.c" -o "$scratch/plain" $(pkg-config --cflags --libs umsshim) ||
    fail "the documented command does not compile"
"$scratch/plain" || fail "the program made by the documented command failed"

mkdir "$scratch/package"
cp "$here/consumer.c" "$scratch/package/main.c"
cat >"$scratch/package/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(umsshim REQUIRED)
add_executable(app main.c)
target_link_libraries(app PRIVATE umsshim::umsshim)
END
{
    cmake -S "$scratch/package" -B "$scratch/package/build" -G Ninja \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/package/build"
} >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "the CMake package does not serve"
}
"$scratch/package/build/app" || fail "the program made with the CMake package failed"
echo "consumer_test: pkg-config in C and C++ and the CMake package serve"
