/* SPDX-License-Identifier: MIT
 *
 * probes_ums.c - the executable whose probes run on umsshim.
 */
#include "probes_ums.h"

#include "lanes.h"

int main(int argc, char **argv)
{
    static const struct bench_runner runners[] = {
        {"yield", probe_yield_two, true},
        {"yield-crowd", probe_yield_crowd, true},
        {"growth", probe_growth, true},
        {"pipe", probe_pipe_libc, true},
        {"pipe-bare", probe_pipe_bare, true},
        {"pipe-read-bare", probe_pipe_read_bare, true},
        {"call-allowed", probe_call_allowed, true},
        {"call-instant", probe_call_instant_libc, true},
        {"call-instant-bare", probe_call_instant_bare, true},
        {"create", probe_create, true},
        {"create-left", probe_create_left, true},
        {"footprint", probe_footprint, false},
        {"crowd", probe_crowd, false},
        {"event", probe_event, true},
        {"event-threads", probe_event_threads, true},
        {"section-2", probe_section_two, true},
        {"section-8", probe_section_eight, true},
        {"ring", probe_ring, true},
        {"read-cached", probe_read_cached, false},
        {"read-uncached", probe_read_uncached, false},
        {"named-pipe", probe_named_pipe, true},
        {"named-pipe-processes", probe_named_pipe_processes, true},
        {"sleep", probe_sleep_alike, true},
        {"sleep-spread", probe_sleep_spread, true},
        {"sleep-together", probe_sleep_together, true},
#define ROW(name) {"block-" #name, probe_block_##name, true},
        BLOCK_KINDS(ROW)
#undef ROW
#define ROW(name) {"nowait-" #name, probe_nowait_##name, true},
            BLOCK_CALLS(ROW)
#undef ROW
#define ROW(name) {"plain-" #name, probe_plain_##name, true},
                BLOCK_CALLS(ROW)
#undef ROW
                    {"plain-call", probe_plain_call, true},
        {"plain-instant", probe_plain_instant, true},
        {"line-few", probe_line_few, true},
        {"line-many", probe_line_many, true},
        LANES_ROWS(LANES_RUNNERS){0},
    };

    return bench_probe_main(argc, argv, runners);
}
