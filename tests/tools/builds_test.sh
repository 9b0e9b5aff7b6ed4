#!/bin/sh
# SPDX-License-Identifier: MIT
# builds_test.sh - the library as others build it keeps the contract.
#
#   builds_test.sh SOURCE_DIR BUILD_DIR C_COMPILER KIT clang|hardened
#
#   clang      by the other compiler, with its link-time optimization
#   hardened   as a part of another project (add_subdirectory), with a distribution's flags for hardening, at -O3
#              and without link-time optimization
#
# KIT is the conformance kit of this build; it runs with the library that is tried. BUILD_DIR is kept for the next
# time. Status 77 where there is no clang, or C_COMPILER is one already.
set -eu

source=$1 build=$2 compiler=$3 kit=$4 variant=$5

fail() {
    echo "builds_test: $variant: $*" >&2
    exit 1
}

# quietly COMMAND...: what it says only if it fails.
quietly() {
    mkdir -p "$build"
    "$@" >"$build/log" 2>&1 || {
        grep -m 20 -E 'error|undefined|failed' "$build/log" || tail -n 20 "$build/log"
        fail "$1 failed, $build/log"
    }
}

# A C project of somebody's, whose programs are samples of ours.
write_parent() {
    mkdir -p "$build/parent"
    cat >"$build/parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C)
add_subdirectory("$source" umsshim)
file(GLOB tour "$source/samples/tour/*.c")
add_executable(hello "$source/samples/hello/main.c")
add_executable(tour \${tour})
foreach(program hello tour)
  target_link_libraries(\${program} PRIVATE umsshim::umsshim)
endforeach()
get_property(targets DIRECTORY "$source" PROPERTY BUILDSYSTEM_TARGETS)
foreach(target IN LISTS targets)
  if(NOT target MATCHES "^ums(shim|run)")
    message(FATAL_ERROR "error: a target of the library is called \${target}")
  endif()
endforeach()
get_property(tests DIRECTORY "$source" PROPERTY TESTS)
if(tests)
  message(FATAL_ERROR "error: tests of the library in another project: \${tests}")
endif()
END
}

case $variant in
clang)
    ! "$compiler" --version | grep -q clang || {
        echo "builds_test: everything here is built with clang"
        exit 77
    }
    for program in clang ld.lld llvm-ar; do # the last one makes archives of code for link time
        command -v $program >/dev/null || {
            echo "builds_test: there is no $program here"
            exit 77
        }
    done
    quietly cmake -G Ninja -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld -DUMSSHIM_BUILD_TESTS=OFF \
        -DUMSSHIM_BUILD_BENCH=OFF -DUMSSHIM_WARNINGS_FAIL=ON
    grep -q -e '-flto' "$build/build.ninja" || fail "no link-time optimization"
    quietly cmake --build "$build" --target sample_hello sample_tour
    library=$build programs=$build/samples
    ;;
hardened)
    write_parent
    flags="-Wp,-D_FORTIFY_SOURCE=3 -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
-fcf-protection=full -Wformat -Werror=format-security"
    quietly cmake -G Ninja -S "$build/parent" -B "$build/build" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$flags" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF \
        -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-z,relro -Wl,-z,now -Wl,-Bsymbolic-functions"
    ! grep -q -e '-flto' -e '-Werror ' "$build/build/build.ninja" || fail "-flto or -Werror in another project"
    quietly cmake --build "$build/build"
    [ ! -e "$build/installed" ] || rm -r "$build/installed"
    quietly cmake --install "$build/build" --prefix "$build/installed"
    [ ! -e "$build/installed" ] || fail "another project's install takes files of the library's"
    library=$build/build/umsshim programs=$build/build
    ;;
*) fail "there is no such variant" ;;
esac

# Functions of fortified headers that the library does not define would mean that it was built with them.
nm -D --undefined-only "$library/libumsshim.so" | grep -E ' __[a-z_]+_chk(@|$)' | grep -v -e __stack_chk >"$build/log" &&
    fail "the library is fortified: $(tr '\n' ' ' <"$build/log")"
"$programs/hello"
quietly "$programs/tour"
LD_LIBRARY_PATH=$library ldd "$kit" | grep -q "$library" || fail "the kit does not take the library that is tried"
LD_LIBRARY_PATH=$library "$kit" --quiet
