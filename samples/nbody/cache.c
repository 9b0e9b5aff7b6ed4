/* SPDX-License-Identifier: MIT
 *
 * cache.c - the buffer cache that the program manages itself: which pages are in memory.
 *
 * Only the waiting matters here, so that alone is real: the data never leaves memory, but a page
 * that is not "in" costs its reader a blocking call, and one page must go for it. Second chance:
 * a hand goes round and takes the first page that nobody has read since it came by last.
 * A hit is one load and, the first time after the hand, one store.
 */
#include "nbody.h"

#include <stdatomic.h>

enum state { ABSENT, COMING, PRESENT, READ_LATELY };

static atomic_uchar *states;
static struct ft_lock lock; /* for what follows, and for every change but PRESENT to READ_LATELY */
static struct ft_condition *arrived;
static int pages;
static int room;
static int hand;
static int miss_ms;
static unsigned long misses;

BOOL cache_open(int page_count, int page_room, int page_miss_ms)
{
    pages = page_count;
    room = page_room;
    miss_ms = page_miss_ms;
    hand = 0;
    misses = 0;
    states = ft_allocate((size_t)pages * sizeof(*states));
    arrived = ft_allocate((size_t)pages * sizeof(*arrived));
    if (!states || !arrived)
        return FALSE;
    ft_lock_init(&lock);
    for (int i = 0; i < pages; i++) {
        ft_condition_init(&arrived[i]);
        atomic_store_explicit(&states[i], i < room ? PRESENT : ABSENT, memory_order_relaxed);
    }
    return TRUE;
}

void cache_close(void)
{
    if (states)
        ft_free(states, (size_t)pages * sizeof(*states));
    if (arrived)
        ft_free(arrived, (size_t)pages * sizeof(*arrived));
    states = NULL;
    arrived = NULL;
}

unsigned long cache_misses(void)
{
    return misses;
}

/* Pages that are coming have their room already. If all that are in are read all the time, the
 * second time round one of them goes nevertheless. */
static void make_room(void)
{
    for (int looks = 0; looks < 3 * pages; looks++) {
        int page = hand;
        unsigned char state = atomic_load_explicit(&states[page], memory_order_relaxed);

        hand = (hand + 1) % pages;
        if (state == READ_LATELY && looks < 2 * pages) {
            atomic_store_explicit(&states[page], PRESENT, memory_order_relaxed);
        } else if (state == PRESENT || state == READ_LATELY) {
            atomic_store_explicit(&states[page], ABSENT, memory_order_relaxed);
            return;
        }
    }
    /* Every page is on its way: for a moment one more is in than fits. */
}

static void miss(int page)
{
    ft_acquire(&lock);
    while (atomic_load(&states[page]) == COMING)
        ft_wait(&arrived[page], &lock);
    if (atomic_load(&states[page]) == ABSENT) {
        misses++;
        atomic_store(&states[page], COMING);
        make_room();
        ft_release(&lock);
        Sleep((DWORD)miss_ms); /* the disk */
        ft_acquire(&lock);
        atomic_store(&states[page], PRESENT);
        ft_broadcast(&arrived[page]);
    }
    ft_release(&lock);
}

void cache_read(int page)
{
    unsigned char state = atomic_load_explicit(&states[page], memory_order_relaxed);

    if (state == READ_LATELY)
        return;
    if (state == ABSENT || state == COMING) {
        miss(page);
        return;
    }
    /* If the hand takes it at this moment it is read once more than it should be: no harm. */
    atomic_compare_exchange_strong(&states[page], &state, READ_LATELY);
}
