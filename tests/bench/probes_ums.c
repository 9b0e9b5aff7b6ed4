/* SPDX-License-Identifier: MIT
 *
 * probes_ums.c - the executable whose probes run on umsshim.
 */
#include "probes_ums.h"

int main(int argc, char **argv)
{
    static const struct bench_runner runners[] = {
        {"yield", probe_yield_two, true},
        {"yield-crowd", probe_yield_crowd, true},
        {"growth", probe_growth, true},
        {"pipe", probe_pipe_libc, true},
        {"pipe-notified", probe_pipe_notified, true},
        {"pipe-read-notified", probe_pipe_read_notified, true},
        {"call-allowed", probe_call_allowed, true},
        {"call-instant", probe_call_instant_libc, true},
        {"call-instant-notified", probe_call_instant_notified, true},
        {"create", probe_create, true},
        {"footprint", probe_footprint, false},
        {"crowd", probe_crowd, false},
        {0},
    };

    return bench_probe_main(argc, argv, runners);
}
