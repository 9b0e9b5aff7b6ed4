/* SPDX-License-Identifier: MIT
 *
 * seat.c - see seat.h.
 */
#include "platform/linux/dispatch/seat.h"

enum { CHUNK = 16 << 10 };

static PLAT_LOCK(SEATS) lock;
static struct sitter *unused; /* under the lock; sitters are never given back */

/* Under the lock. */
static void cut_chunk(void)
{
    struct sitter *chunk = plat_reserve(CHUNK);
    for (size_t i = 0; chunk && i < CHUNK / sizeof *chunk; i++) {
        atomic_store_explicit(&chunk[i].word, SEAT_SET | SEAT_CLAIMED, memory_order_relaxed);
        chunk[i].next_free = unused;
        unused = &chunk[i];
    }
}

struct sitter *sitter_of(struct plat_thread *thread)
{
    if (UMS_LIKELY(thread->sitter != NULL))
        return thread->sitter;
    plat_lock(&lock);
    if (!unused)
        cut_chunk();
    struct sitter *sitter = thread->sitter = unused;
    if (sitter)
        unused = sitter->next_free;
    plat_unlock_lasting(&lock);
    return sitter;
}

void sitter_give(struct sitter *sitter)
{
    if (!sitter)
        return;
    uint64_t word = atomic_load_explicit(&sitter->word, memory_order_relaxed);
    atomic_store_explicit(&sitter->word, (SEAT_NUMBER(word) + SEAT_SET) | SEAT_CLAIMED,
                          memory_order_relaxed);
    sitter->seats = 0;
    plat_lock(&lock);
    sitter->next_free = unused;
    unused = sitter;
    plat_unlock_lasting(&lock);
}

bool seat_take(struct object *object, struct sitter *sitter, unsigned index)
{
    uint64_t own = SEAT_NUMBER(atomic_load_explicit(&sitter->word, memory_order_relaxed));
    if (object->seat && seat_in_use(object))
        return false; /* taken: by this wait itself, if it names the object twice */
    __atomic_store_n(&object->seat, sitter, __ATOMIC_RELAXED);
    __atomic_store_n(&object->seat_number, own, __ATOMIC_RELAXED);
    __atomic_store_n(&object->seat_index, (uint8_t)index, __ATOMIC_RELAXED);
    return true;
}

/* The first look is a compare-exchange with the value that is most likely there. As a locked
 * instruction it orders the caller's change before the look: a thread that arms its word later sees
 * the change. */
struct wait *sitter_claim(struct sitter *sitter, uint64_t number, uint64_t only)
{
    uint64_t word = number | SEAT_PARKED | only;
    plat_written(&sitter->word);
    while (!atomic_compare_exchange_strong_explicit(&sitter->word, &word, word | SEAT_CLAIMED,
                                                    memory_order_seq_cst, memory_order_seq_cst))
        if (SEAT_NUMBER(word) != number || word & SEAT_CLAIMED || (word & only) != only)
            return NULL;
    struct wait *wait = sitter->wait;
    wait->left = word & SEAT_PARKED;
    return wait;
}

void seats_forget(void)
{
    plat_lock_forget(&lock);
}
