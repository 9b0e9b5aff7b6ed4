/* SPDX-License-Identifier: MIT
 *
 * probes.c - every probe of ums_bench.exe by name, and which run on one processor.
 */
#include "windows/probes.h"

#include "driver.h"
#include "lanes.h"
#include "probes_ums.h"

#include <stddef.h>

const struct bench_runner driver_probes[] = {
    {"yield-1", probe_yield_one, true},
    {"yield-slots", probe_yield_slots, true},
    {"yield-1-free", probe_yield_one, false},
    {"yield-2", probe_turns_2, true},
    {"yield-10", probe_turns_10, true},
    {"yield-100", probe_turns_100, true},
    {"yield-1000", probe_turns_1000, true},
    {"home", probe_home, true},
    {"event", probe_event, true},
    {"event-free", probe_event, false},
    {"semaphore", probe_ring, true},
    {"condition", probe_condition, true},
    {"section", probe_section_two, true},
    {"mutex", probe_mutex, true},
    {"create", probe_create, true},
    {"crowd-sleep", probe_crowd_sleep, false},
    {"crowd-event", probe_crowd_event, false},

    {"fiber-trip", probe_fiber_trip, true},
    {"fibers-10", probe_fibers_10, true},
    {"fibers-100", probe_fibers_100, true},
    {"fibers-1000", probe_fibers_1000, true},
    {"address-thread", probe_address_threads, true},
    {"address-thread-free", probe_address_threads, false},
    {"event-thread", probe_event_threads, true},
    {"event-thread-free", probe_event_threads, false},
    {"semaphore-thread", probe_ring_threads, true},
    {"condition-thread", probe_condition_threads, true},
    {"section-thread", probe_section_threads, true},
    {"mutex-thread", probe_mutex_threads, true},
    {"create-thread", probe_create_thread, true},
    {"crowd-sleep-thread", probe_crowd_sleep_threads, false},
    {"crowd-event-thread", probe_crowd_event_threads, false},

    LANES_ROWS(LANES_RUNNERS){0},
};
