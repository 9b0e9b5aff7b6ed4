/* SPDX-License-Identifier: MIT
 *
 * looking.c - see looking.h.
 *
 * Two threads that are about to look at each other have both written their words before they read,
 * so at least one sees the other. The thread with the greater id takes its word back and waits. The
 * other waits with its word in place. A thread that waits with its word in place waits for a
 * greater id, so no circle of them comes about.
 */
#include "platform/windows/os/looking.h"

#include "platform/windows/engine.h"

enum { LOOKS = 64 };
static looking looks[LOOKS]; /* 0: free */

/* In place of the id of the thread that is looked at: `by` ends all other threads. */
#define ALL_OTHERS UINT32_MAX

static uint64_t word_of(uint32_t by, uint32_t at)
{
    return (uint64_t)at << 32 | by;
}

static looking *publish(uint64_t word)
{
    for (;; SwitchToThread())
        for (int i = 0; i < LOOKS; i++) {
            uint64_t none = 0;
            if (atomic_compare_exchange_strong(&looks[i], &none, word))
                return &looks[i];
        }
}

/* The thread that looks at this thread, or at one whose id is not known; 0: none does. */
static uint32_t looked_at_by(uint32_t thread_id)
{
    for (int i = 0; i < LOOKS; i++) {
        uint64_t word = atomic_load(&looks[i]);
        uint32_t at = (uint32_t)(word >> 32), by = (uint32_t)word;
        if (word && by != thread_id && (at == thread_id || at == 0))
            return by;
    }
    return 0;
}

/* Whether this thread is about to end all others; 0: whether any is. */
static bool ends_all_others(uint32_t thread_id)
{
    for (int i = 0; i < LOOKS; i++) {
        uint64_t word = atomic_load(&looks[i]);
        if (word >> 32 == ALL_OTHERS && (thread_id == 0 || (uint32_t)word == thread_id))
            return true;
    }
    return false;
}

/* The thread that looks counts as one with a lock, so that no other thread stops it meanwhile. */
looking *looking_begin(uint32_t by, uint32_t at)
{
    uint32_t other;
    plat_count_lock(plat_current());
    for (;; SwitchToThread()) {
        looking *look = publish(word_of(by, at));
        while ((other = looked_at_by(by)) > by)
            SwitchToThread();
        if (!other && !ends_all_others(at))
            return look;
        atomic_store(look, 0);
        while (looked_at_by(by))
            SwitchToThread();
    }
}

void looking_end(looking *look)
{
    atomic_store(look, 0);
    plat_discount_lock(plat_current());
}

void looking_is_over(uint32_t by)
{
    /* Nothing takes the count back, so that no thread stops this one any more. The count rises
     * before other threads see the word. */
    plat_count_lock(plat_current());
    publish(word_of(by, ALL_OTHERS));
    while (looked_at_by(by))
        SwitchToThread();
}
