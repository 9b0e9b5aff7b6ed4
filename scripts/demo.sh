#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - installs what is missing, builds, and runs the main sample. Can be run again.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

# shellcheck disable=SC2086
need_packages $packages_build
say "building in build/demo"
run_quietly "configuring" cmake --preset linux -B build/demo -DUMSSHIM_BUILD_TESTS=OFF \
    -DUMSSHIM_BUILD_BENCH=OFF
run_quietly "building" cmake --build build/demo -j "$(nproc)"
say "running build/demo/samples/tour"
echo
exec build/demo/samples/tour
