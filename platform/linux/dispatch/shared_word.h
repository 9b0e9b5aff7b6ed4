/* SPDX-License-Identifier: MIT
 *
 * shared_word.h - the state of an object that processes share: pages of memory, and the word in
 * them that decides.
 *
 *     value     event      bit 0: signalled; above it, how often it let its waiters go: at each
 *                          pulse, and a manual-reset event each time it is set
 *               semaphore  the count
 *               mutex      the number of the process that owns it (peers.h); 0: free. Which of its
 *                          threads, and how often, only that process knows
 *     holder    the number of the process that holds the word; 0: none
 *     flags     ABANDONED  of a free mutex: the next owner is told
 *               PULSED     of an auto-reset event: it was pulsed, and no waiter has gone by that
 *                          yet. Only one that waited then may take it: the flag stays when all
 *                          of those have ended
 *
 * Only a process that holds the word changes it. So the word is a lock, and what the lock protects:
 *
 *     free -> held        one compare-exchange, which leaves value and flags as they are
 *     held -> free        one store, which has the new value and flags
 *     held -> free        one compare-exchange, by a process that sees that the holder has died
 *                         (peer_alive): value and flags are still those from before
 *
 * So a process that is killed between any two instructions has made its change or has not, and
 * holds nothing for longer than it takes others to see that it has died.
 *
 * `waiting` has a bit for each slot whose process has threads that wait, and `who` the number of
 * the process that has set the bit. Only the holder writes there:
 *
 *     to wait             a process holds the word, finds nothing to take, sets its own bit and
 *                         lets go. It also sets its bit when a thread begins to wait for an event
 *                         and other objects, all of them: each pulse is to be seen, whichever of
 *                         these it found nothing in
 *     to signal           a process holds the word, rings at all processes whose bits are set,
 *                         changes the word and lets go, in one store
 *     after a ring        a process holds the word: that lasts until the one that rang has let go,
 *                         or has died. Then it finds the change, or that there is none
 *
 * The ring comes before the change. So no process is still to be told of a change that is made, and
 * none needs to watch for processes that are killed in between. A process that is killed before it
 * has let go has signalled nothing, and the processes that it has rung go on waiting.
 *
 * The next process that rings clears a bit whose process has died, or whose slot is another
 * process's by now. It holds the word, so the slot's new process cannot be just setting the bit.
 *
 * A thread that holds a word waits for no other object's lock. A thread that waits for all of
 * several objects holds several words, which it takes in the order of their files' numbers. When it
 * takes a mutex, it may try the locks of other mutexes that it owns, and takes the store's lock, a
 * leaf, for those that go.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_WORD_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SHARED_WORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/linux/dispatch/peers.h"

struct shared_page {
    _Atomic uint64_t word;
    _Alignas(64) _Atomic uint64_t waiting[PEERS / 64];
    _Alignas(64) _Atomic uint32_t who[PEERS];
};

#define WORD_VALUE UINT64_C(0xffffffff)
#define WORD_SIGNAL UINT64_C(1) /* of an event */
#define WORD_HOLDER (UINT64_C(0x3fffffff) << 32)
#define WORD_ABANDONED (UINT64_C(1) << 62)
#define WORD_PULSED (UINT64_C(1) << 63)
_Static_assert(PEERS *PEER_GENERATIONS - 1 <= WORD_HOLDER >> 32, "a number fits");

static inline uint32_t word_value(uint64_t word)
{
    return (uint32_t)word;
}

/* How often an event let its waiters go. */
static inline uint32_t word_times(uint64_t word)
{
    return word_value(word) >> 1;
}

static inline uint32_t word_holder(uint64_t word)
{
    return (uint32_t)((word & WORD_HOLDER) >> 32);
}

static inline uint64_t word_with(uint64_t word, uint32_t value)
{
    return (word & ~WORD_VALUE) | value;
}

static inline uint64_t word_look(struct shared_page *page)
{
    return atomic_load_explicit(&page->word, memory_order_acquire);
}

/* Takes hold of the word; returns its value and flags. With the proxy's lock held. */
uint64_t word_hold(struct shared_page *page);
/* Gives the word this value and these flags, and lets go of it. */
static inline void word_let_go(struct shared_page *page, uint64_t to)
{
    atomic_store_explicit(&page->word, to & ~WORD_HOLDER, memory_order_release);
}

/* With the word held: says that threads of this process wait, or do so no more. */
void waiting_set(struct shared_page *page);
void waiting_clear(struct shared_page *page);
/* With the word held: rings at each other process whose threads wait. True: there is one. `which`:
 * see peers.h. */
bool waiting_ring(struct shared_page *page, uint64_t which);

#endif
