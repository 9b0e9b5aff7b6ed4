/* SPDX-License-Identifier: MIT
 *
 * seen_faults.c - see seen_faults.h.
 */
#include "seen_faults.h"

#include <time.h>

atomic_bool faults_over;
atomic_long faults_seen, fault_since, soonest_seen_us = 1000000;

long now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void see_faults(struct worker *self)
{
    long last = 0;

    while (!atomic_load(&faults_over)) {
        long began = atomic_load(&fault_since);

        if (began && began != last) {
            long us = now_us() - began;

            last = began;
            if (us < atomic_load(&soonest_seen_us))
                atomic_store(&soonest_seen_us, us);
            atomic_fetch_add(&faults_seen, 1);
        }
        UmsThreadYield(NULL);
    }
}
