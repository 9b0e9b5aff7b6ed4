/* SPDX-License-Identifier: MIT
 *
 * shared_word.c - see shared_word.h.
 */
#include "platform/linux/dispatch/shared_word.h"

#include <time.h>

#include "platform/linux/os/raw.h"

/* The holder may have lost its processor, or be stopped. After some tries this thread sleeps: one
 * of a higher priority would keep the holder from going on. */
static void wait_a_moment(unsigned tries)
{
    enum { SPINS = 200, YIELDS = 20 };
    static const struct timespec moment = {.tv_nsec = 50000};
    if (tries < SPINS)
        __builtin_ia32_pause();
    else if (tries < SPINS + YIELDS)
        RAW0(SYS_sched_yield);
    else
        RAW2(SYS_nanosleep, &moment, 0);
}

static bool change(struct shared_page *page, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong_explicit(&page->word, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

uint64_t word_hold(struct shared_page *page)
{
    enum { LOOKS = 256 };
    for (unsigned tries = 0;; tries++) {
        uint64_t word = word_look(page);
        uint32_t holder = word_holder(word);
        if (!holder && change(page, word, word | (uint64_t)peer_self() << 32))
            return word;
        if (holder && tries % LOOKS == LOOKS - 1 && !peer_alive(holder))
            change(page, word, word & ~WORD_HOLDER);
        else if (holder)
            wait_a_moment(tries);
    }
}

/* ---- Who waits ------------------------------------------------------------------------------- */

static uint64_t bit_of(unsigned slot)
{
    return UINT64_C(1) << slot % 64;
}

static void clear(struct shared_page *page, unsigned slot)
{
    atomic_fetch_and_explicit(&page->waiting[slot / 64], ~bit_of(slot), memory_order_relaxed);
}

void waiting_set(struct shared_page *page)
{
    unsigned slot = peer_slot(peer_self());
    atomic_store_explicit(&page->who[slot], peer_self(), memory_order_relaxed);
    atomic_fetch_or_explicit(&page->waiting[slot / 64], bit_of(slot), memory_order_release);
}

void waiting_clear(struct shared_page *page)
{
    clear(page, peer_slot(peer_self()));
}

bool waiting_ring(struct shared_page *page, uint64_t which)
{
    bool any = false;
    for (unsigned i = 0; i < PEERS / 64; i++) {
        uint64_t bits = atomic_load_explicit(&page->waiting[i], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            unsigned slot = i * 64 + (unsigned)__builtin_ctzll(bits);
            uint32_t number = atomic_load_explicit(&page->who[slot], memory_order_relaxed);
            if (number == peer_self())
                continue;
            if (peer_ring(number, which))
                any = true;
            else
                clear(page, slot);
        }
    }
    return any;
}
