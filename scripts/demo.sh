#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - installs what is missing, builds two samples and shows them: hello and the tour natively, then hello,
# the same source, as a Windows program under Wine. Can be run again.
#
#   scripts/demo.sh [--linux]   --linux: the native part alone; needs no Wine and no MinGW-w64
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

case "${1:-}" in
'' | --linux) ;;
*) die "there is no option $1: scripts/demo.sh [--linux]" ;;
esac
jobs=$(nproc)

# shellcheck disable=SC2086
need_packages $packages_build
say "building the library and two samples for Linux, in build/demo"
run_quietly "configuring" cmake --preset user -B build/demo -DUMSSHIM_BUILD_SAMPLES=ON
run_in_sight "building" cmake --build build/demo -j "$jobs" --target sample_hello sample_tour
say "hello: two workers and a scheduler in one thread, build/demo/samples/hello"
build/demo/samples/hello
say "the tour: six workers that compute, sleep, read and want a mutex, build/demo/samples/tour"
build/demo/samples/tour
[ -z "${1:-}" ] || exit 0

say "now the same under Wine, as a Windows program: building umsshim.dll and hello.exe in build/demo-windows"
# shellcheck disable=SC2086
need_packages $packages_windows
run_quietly "configuring for Windows" cmake --preset windows-user -B build/demo-windows -DUMSSHIM_BUILD_SAMPLES=ON
run_in_sight "building for Windows" cmake --build build/demo-windows -j "$jobs" --target sample_hello
run_quietly "starting Wine" sh scripts/wine.sh --boot
say "hello.exe, the same source, under Wine: build/demo-windows/bin/hello.exe"
status=0
sh scripts/wine.sh build/demo-windows/bin/hello.exe || status=$?
sh scripts/wine.sh --end
exit $status
