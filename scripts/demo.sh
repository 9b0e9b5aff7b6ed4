#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - installs what is missing, builds, runs the smallest sample natively and as a Windows
# program under Wine, then the main sample. Can be run again.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

# shellcheck disable=SC2086
need_packages $packages_build $packages_windows
say "building in build/demo"
run_quietly "configuring" cmake --preset linux -B build/demo -DUMSSHIM_BUILD_TESTS=OFF \
    -DUMSSHIM_BUILD_BENCH=OFF
run_quietly "building" cmake --build build/demo -j "$(nproc)"
run_quietly "configuring for Windows" cmake --preset windows -B build/demo-windows \
    -DUMSSHIM_BUILD_TESTS=OFF
run_quietly "building for Windows" cmake --build build/demo-windows -j "$(nproc)"
run_quietly "starting Wine" sh scripts/wine.sh --boot
say "running build/demo/samples/hello"
build/demo/samples/hello
say "running build/demo-windows/bin/hello.exe, the same source, under Wine"
sh scripts/wine.sh build/demo-windows/bin/hello.exe
sh scripts/wine.sh --end
say "running build/demo/samples/tour"
echo
exec build/demo/samples/tour
