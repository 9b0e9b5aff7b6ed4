/* SPDX-License-Identifier: MIT
 *
 * timer.c - one queue of deadlines and the thread that waits for the first of them.
 *
 * A pairing heap of runs, intrusive: adding is one comparison, cancelling any entry is amortised
 * log n, and nothing is allocated, so timers may be set on the way from a block to the entry point.
 * fire() runs on the timer thread with no lock held.
 *
 * A run is a list of timers, each set after the one before it and due no earlier; only its first is
 * in the heap. Programs set the same time-out over and over: those are one run, whose timers come
 * and go without a look at any other. To sort ten thousand that lie on as many stacks costs a page
 * walk a comparison.
 */
#include "platform/linux/engine.h"
#include "platform/linux/inspect/clock.h"
#include "platform/linux/raw.h"

static struct plat_lock lock;
static struct plat_timer *root;
static struct plat_timer *newest; /* the timer set last, which ends its run; NULL: it is gone */
static _Atomic uint32_t changed; /* futex: bumped when the first deadline moved forward */
static uint64_t sleeping_until;  /* what the timer thread waits for */

static struct plat_timer *meld(struct plat_timer *a, struct plat_timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (b->deadline < a->deadline) {
        struct plat_timer *t = a;
        a = b;
        b = t;
    }
    b->previous = a;
    b->sibling = a->child;
    if (a->child)
        a->child->previous = b;
    a->child = b;
    return a;
}

/* Merges a list of siblings pairwise, left to right and back: two passes without recursion. */
static struct plat_timer *meld_siblings(struct plat_timer *first)
{
    struct plat_timer *pairs = NULL, *all = NULL;
    while (first) {
        struct plat_timer *a = first, *b = a->sibling;
        first = b ? b->sibling : NULL;
        a->sibling = a->previous = NULL;
        if (b)
            b->sibling = b->previous = NULL;
        a = meld(a, b);
        a->sibling = pairs;
        pairs = a;
    }
    while (pairs) {
        struct plat_timer *next = pairs->sibling;
        pairs->sibling = NULL;
        all = meld(all, pairs);
        pairs = next;
    }
    return all;
}

static void unlink_follower(struct plat_timer *timer)
{
    timer->previous->later = timer->later;
    if (timer->later)
        timer->later->previous = timer->previous;
}

/* The first of a run leaves the heap; the next one of the run takes part instead. */
static void unlink_first(struct plat_timer *timer)
{
    struct plat_timer *children = meld_siblings(timer->child);
    if (timer->later) {
        timer->later->previous = NULL;
        timer->later->follows = false;
        children = meld(children, timer->later);
    }
    if (timer == root) {
        root = children;
    } else {
        if (timer->previous->child == timer)
            timer->previous->child = timer->sibling;
        else
            timer->previous->sibling = timer->sibling;
        if (timer->sibling)
            timer->sibling->previous = timer->previous;
        root = meld(root, children);
    }
    if (root)
        root->previous = root->sibling = NULL;
}

static void unlink_timer(struct plat_timer *timer)
{
    if (newest == timer)
        newest = timer->follows ? timer->previous : NULL;
    if (timer->follows)
        unlink_follower(timer);
    else
        unlink_first(timer);
    timer->armed = false;
}

void timer_add(struct plat_timer *timer)
{
    timer->child = timer->sibling = timer->previous = timer->later = NULL;
    plat_lock(&lock);
    timer->armed = true;
    timer->follows = newest && newest->deadline <= timer->deadline;
    if (timer->follows) {
        timer->previous = newest;
        newest->later = timer;
    } else {
        root = meld(root, timer);
    }
    newest = timer;
    bool earlier = root == timer && timer->deadline < sleeping_until;
    if (earlier)
        atomic_fetch_add_explicit(&changed, 1, memory_order_release);
    plat_unlock(&lock);
    if (earlier)
        futex_wake(&changed, 1);
}

bool timer_cancel(struct plat_timer *timer)
{
    plat_lock(&lock);
    bool armed = timer->armed;
    if (armed)
        unlink_timer(timer);
    plat_unlock(&lock);
    return armed;
}

static void *timer_main(void *unused)
{
    uint64_t now = 0;
    (void)unused;
    plat_tls.counted = true;
    affinity_reset();
    for (;;) {
        plat_lock(&lock);
        if (root && root->deadline > now)
            now = plat_now();
        struct plat_timer *due = root && root->deadline <= now ? root : NULL;
        uint32_t seen = atomic_load_explicit(&changed, memory_order_relaxed);
        if (due)
            unlink_timer(due);
        sleeping_until = due ? 0 : root ? root->deadline : PLAT_FOREVER;
        uint64_t until = sleeping_until;
        plat_unlock(&lock);
        engine_clock_set(now);
        if (due)
            due->fire(due);
        else
            futex_wait_until(&changed, seen, until);
    }
    return NULL;
}

/* Timers set before the thread runs are found when it looks for the first time. */
int timer_start(void)
{
    root = newest = NULL;
    lock = (struct plat_lock){0};
    sleeping_until = 0;
    pthread_t thread;
    return kthread_create(&thread, 128 << 10, timer_main, NULL);
}
