#!/bin/sh
# SPDX-License-Identifier: MIT
# use_installed.sh - compiles programs against an installed library and runs them: by pkg-config as C and C++,
# by the CMake package.
#
#   use_installed.sh SOURCE_DIR [--thorough] ROOT C_COMPILER CXX_COMPILER
#
# ROOT is the folder that has include and lib, in any place; / is the system, whose linker then finds the
# library by itself. Only sources of programs are read from SOURCE_DIR. With --thorough in all dialects.
set -eu

source_dir=$1
shift
dialects="gnu17 gnu++17"
if [ "$1" = --thorough ]; then
    dialects="gnu11 gnu17 gnu++11 gnu++17 gnu++20"
    shift
fi
root=$1
cc=$2
cxx=$3
consumer=$source_dir/tests/tools/consumer.c
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "use_installed: $*" >&2
    [ ! -s "$scratch/log" ] || head -n 30 "$scratch/log" >&2
    exit 1
}

prefix_option=
if [ "$root" = / ]; then
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH || :
else
    pc=$(find "$root" -name umsshim.pc)
    [ -n "$pc" ] || fail "there is no umsshim.pc below $root"
    PKG_CONFIG_PATH=$(dirname "$pc")
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    prefix_option=-DCMAKE_PREFIX_PATH=$root
fi
flags=$(pkg-config --cflags --libs umsshim) || fail "pkg-config does not know umsshim"
include=$(pkg-config --variable=includedir umsshim)
[ -f "$include/umsshim/umsshim.h" ] || fail "the flags name a folder that has no umsshim.h: $flags"
[ "$root" = / ] || case $(cd "$include" && pwd) in
"$(cd "$root" && pwd)"/*) ;;
*) fail "the flags point to where the library is not: $flags" ;;
esac

# Strict warnings: our headers are what a user's -Wall -Wextra -Werror sees.
for dialect in $dialects; do
    case $dialect in
    *++*) compiler="$cxx -x c++" ;;
    *) compiler="$cc -x c" ;;
    esac
    # Word splitting is wanted: flags.
    # shellcheck disable=SC2086
    $compiler -std=$dialect -Wall -Wextra -Werror "$consumer" -o "$scratch/app" -x none $flags \
        >"$scratch/log" 2>&1 || fail "the source does not compile as $dialect"
    "$scratch/app" || fail "the program failed, compiled as $dialect"
done

# The plain command of the documentation, nothing added.
# shellcheck disable=SC2046
"$cc" "$consumer" -o "$scratch/plain" $(pkg-config --cflags --libs umsshim) ||
    fail "the documented command does not compile"
"$scratch/plain" || fail "the program made by the documented command failed"

# A Unicode build, and what it prints.
unicode=$source_dir/tests/tools/unicode/strings.cpp
# shellcheck disable=SC2046
"$cxx" "$unicode" -o "$scratch/unicode" $(pkg-config --cflags --libs umsshim-unicode) >"$scratch/log" 2>&1 ||
    fail "a Unicode build does not compile"
"$scratch/unicode" b a >"$scratch/log" || fail "the program of a Unicode build failed"
grep -q '^xsum=42 17' "$scratch/log" || fail "the program of a Unicode build prints something else:"

mkdir "$scratch/package"
cp "$unicode" "$scratch/package/unicode.cpp"
cp "$consumer" "$scratch/package/main.c"
cat >"$scratch/package/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(umsshim REQUIRED)
foreach(language C CXX)
  configure_file(main.c ${language}/main.c COPYONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${language}/main.c PROPERTIES LANGUAGE ${language})
  add_executable(app_${language} ${CMAKE_CURRENT_BINARY_DIR}/${language}/main.c)
  target_link_libraries(app_${language} PRIVATE umsshim::umsshim)
endforeach()
add_executable(app_unicode unicode.cpp)
target_link_libraries(app_unicode PRIVATE umsshim::unicode)
END
# shellcheck disable=SC2086 # one option or none
{
    cmake -S "$scratch/package" -B "$scratch/package/build" -G Ninja \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" $prefix_option &&
        cmake --build "$scratch/package/build"
} >"$scratch/log" 2>&1 || fail "the CMake package does not serve"
"$scratch/package/build/app_unicode" b a >"$scratch/log" || fail "the CMake package's Unicode build failed"
for language in C CXX; do
    "$scratch/package/build/app_$language" || fail "the $language program made with the CMake package failed"
done
echo "use_installed: pkg-config in C and C++ and the CMake package serve, in $root"
