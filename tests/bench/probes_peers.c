/* SPDX-License-Identifier: MIT
 *
 * probes_peers.c - the executable of the peers. umsshim is not linked into it, so that none of its
 * wrappers and none of its threads touch what is measured here.
 */
#include "probes_peers.h"

#include "block.h"

int main(int argc, char **argv)
{
    static const struct bench_runner runners[] = {
        {"handover", peer_handover, true},
        {"pipe", peer_pipe, true},
        {"call", peer_call, true},
        {"call-instant", peer_call_instant, true},
        {"create-thread", peer_create_thread, true},
        {"create-thread-left", peer_create_thread_left, true},
        {"footprint-thread", peer_footprint_thread, false},
        {"crowd-wake", peer_crowd_wake, false},
        {"fiber-yield", peer_fiber_yield_two, true},
        {"fiber-yield-crowd", peer_fiber_yield_crowd, true},
        {"context-switch", peer_context_switch, true},
        {"create-fiber", peer_create_fiber, true},
        {"footprint-fiber", peer_footprint_fiber, false},
        {"event-thread", peer_handover, true},
        {"event-fiber", peer_fiber_handover, true},
        {"section-2-thread", peer_section_two, true},
        {"section-2-fiber", peer_fiber_section_two, true},
        {"section-8-thread", peer_section_eight, true},
        {"section-8-fiber", peer_fiber_section_eight, true},
        {"ring-thread", peer_ring, true},
        {"ring-fiber", peer_fiber_ring, true},
        {"sleep-thread", peer_sleep_alike, true},
        {"sleep-fiber", peer_fiber_sleep_alike, true},
        {"sleep-spread-thread", peer_sleep_spread, true},
        {"sleep-spread-fiber", peer_fiber_sleep_spread, true},
        {"sleep-together-thread", peer_sleep_together, true},
        {"sleep-together-fiber", peer_fiber_sleep_together, true},
#define ROW(name) {"block-" #name, peer_block_##name, true},
        BLOCK_KINDS(ROW)
#undef ROW
#define ROW(name) {"nowait-" #name, peer_nowait_##name, true},
            BLOCK_CALLS(ROW)
#undef ROW
                {"line", peer_line, true},
        {"read-cached", peer_read_cached, false},
        {"read-uncached", peer_read_uncached, false},
        {"port-socketpair", peer_block_socketpair, true},
        {0},
    };

    return bench_probe_main(argc, argv, runners);
}
