#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - counts the files that control goes through in a few operations, and fails where there are more than the
# numbers below. walks.py says what is counted.
#
#   tests/walks/run.sh FOLDER           natively; the library is built in FOLDER for it
#   tests/walks/run.sh FOLDER windows   the same for umsshim.dll, under Wine
#
# 77: it cannot be counted here.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "${1:?folder}"
folder=$(cd "$1" && pwd)
system=${2:-linux}
here=$source/tests/walks
set -- -S "$source" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DUMSSHIM_BUILD_TESTS=OFF -DUMSSHIM_BUILD_BENCH=OFF -DUMSSHIM_BUILD_SAMPLES=OFF
if command -v ccache >/dev/null 2>&1; then
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache
fi
flags="-std=gnu11 -O1 -Wall -Wextra -Werror -DWIN32_LEAN_AND_MEAN= -I$source/winapi/include -I$folder/spellings
       -I$source/umsshim/include"

quietly() {
    "$@" >"$folder/build.log" 2>&1 || {
        tail -n 30 "$folder/build.log" >&2
        exit 1
    }
}

if [ "$system" = windows ]; then
    cc=x86_64-w64-mingw32-gcc
    $cc -O1 -c "$here/recorder.c" -o "$folder/recorder.o"
    quietly cmake "$@" "-DCMAKE_C_FLAGS=-O1 -g1 -finstrument-functions" --toolchain "$source/cmake/mingw-w64.cmake" \
        -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY "-DCMAKE_SHARED_LINKER_FLAGS=$folder/recorder.o"
    quietly cmake --build "$folder" --target umsshim_dll --target umsshim_implib
    # shellcheck disable=SC2086 # options
    $cc $flags "$here/walk.c" "$folder/bin/umsshim.dll" "$folder/libumsshim.dll.a" -static \
        -o "$folder/bin/walk.exe"
    UMSSHIM_SWITCH=inplace exec python3 -B "$here/walks.py" --addr2line=x86_64-w64-mingw32-addr2line \
        "$folder/bin/umsshim.dll" wait=18 -- sh "$source/scripts/wine.sh" "$folder/bin/walk.exe"
fi

grep -qw fsgsbase /proc/cpuinfo || {
    echo "walks: this processor has no rdgsbase, by which the recorder knows its thread" >&2
    exit 77
}
quietly cmake "$@" "-DCMAKE_C_FLAGS=-g1 -finstrument-functions"
quietly cmake --build "$folder" --target umsshim
# shellcheck disable=SC2086 # options
cc $flags -D_GNU_SOURCE -include umsshim_msvc.h -mfsgsbase -pthread -isystem "${WINE_INCLUDE:-/usr/include/wine/wine/windows}" \
    "$here/walk.c" "$here/recorder.c" "-L$folder" -lumsshim "-Wl,-rpath,$folder" -ldl -o "$folder/walk"
exec python3 -B "$here/walks.py" "$folder/libumsshim.so" read=12 set=10 -- "$folder/walk"
