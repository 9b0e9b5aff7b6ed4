/* SPDX-License-Identifier: MIT
 *
 * plain_locks.c - see plain_locks.h.
 */
#include "platform/windows/os/plain_locks.h"

#include <stdatomic.h>
#include <windows.h>

/* At most PLACES threads are noted at a time. Each place is a cache line of its own. */
enum { PLACES = 256, ID_STEP = 4 };
static struct {
    _Alignas(64) _Atomic uint32_t id; /* 0: free */
} places[PLACES];

static unsigned first_of(uint32_t thread_id)
{
    return thread_id / ID_STEP % PLACES;
}

/* If all places are taken the thread goes without one. It cannot wait for one: a thread that has a
 * place may wait for a lock of this thread's. */
void plain_locks_add(void)
{
    uint32_t id = GetCurrentThreadId();
    for (unsigned i = first_of(id), tries = 0; tries < PLACES; i = (i + 1) % PLACES, tries++) {
        uint32_t none = 0;
        if (atomic_load_explicit(&places[i].id, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&places[i].id, &none, id))
            return;
    }
}

/* Frees one of the places that have the thread's id; all are alike. It finds none if there was no
 * room when the thread took the lock. */
void plain_locks_remove(void)
{
    uint32_t id = GetCurrentThreadId();
    for (unsigned i = first_of(id), tries = 0; tries < PLACES; i = (i + 1) % PLACES, tries++)
        if (atomic_load_explicit(&places[i].id, memory_order_relaxed) == id) {
            atomic_store_explicit(&places[i].id, 0, memory_order_release);
            return;
        }
}

bool plain_locks_of(uint32_t thread_id)
{
    for (unsigned i = 0; thread_id && i < PLACES; i++)
        if (atomic_load(&places[i].id) == thread_id)
            return true;
    return false;
}
