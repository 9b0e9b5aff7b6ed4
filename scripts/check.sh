#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh - the inner loop: builds what an edit has changed, checked and unoptimised, and runs what
# most often notices a mistake: the units, the contract's clauses, twenty hazards of the Linux engine.
# Under a minute after an edit of one file. test.sh is the gate; this is not.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

jobs=$(nproc)
hazards="blocking_files blocking_polls blocking_sockets cancel_worker condition_variables credentials
    exit_with_blocked_workers fork_from_worker handlers_own_thread immediate_completion kernel_kept
    mutex_across_blocking registers_across_switch scheduler_affinity second_listener signal_handlers
    signal_masks signal_waits spawn_from_worker terminate_blocked"

launcher=
if command -v ccache >/dev/null 2>&1; then
    launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi
if [ ! -e build/dev/build.ninja ]; then
    # shellcheck disable=SC2086
    need_packages $packages_build $packages_test
    # shellcheck disable=SC2086
    run_quietly "configuring preset dev" cmake --preset dev $launcher
fi
programs="units ums_conformance"
names=
for hazard in $hazards; do
    programs="$programs test_linux_$hazard"
    names="$names${names:+|}$hazard"
done
# shellcheck disable=SC2086
run_quietly "building" cmake --build build/dev -j "$jobs" --target $programs
# A mode is written in brackets behind a test's name; here each test runs in the default one.
exec ctest --test-dir build/dev -j "$jobs" --output-on-failure --no-tests=error \
    -R "^(unit/.*|conformance[.]linux|linux/($names)/[^(]*)\$"
