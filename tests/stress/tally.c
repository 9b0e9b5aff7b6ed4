/* SPDX-License-Identifier: MIT
 *
 * tally.c - see tally.h.
 */
#include "tally.h"
#include "gtest_c.h"

#include <stdatomic.h>

static _Atomic(long long) counts[TALLY_COUNT];

void tally_add(enum tally_kind kind, long long count)
{
    atomic_fetch_add_explicit(&counts[kind], count, memory_order_relaxed);
}

long long tally_sum(void)
{
    long long sum = 0;

    for (int i = 0; i < TALLY_COUNT; i++)
        sum += atomic_load_explicit(&counts[i], memory_order_relaxed);
    return sum;
}

void tally_say(void)
{
    static const char *const texts[] = {
#define TALLY_TEXT(name, text) text,
        TALLY_KINDS(TALLY_TEXT)
#undef TALLY_TEXT
    };

    for (int i = 0; i < TALLY_COUNT; i++) {
        long long count = atomic_exchange_explicit(&counts[i], 0, memory_order_relaxed);

        if (count)
            tc_note("operations: %lld %s", count, texts[i]);
    }
}
