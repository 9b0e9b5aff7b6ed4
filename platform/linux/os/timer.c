/* SPDX-License-Identifier: MIT
 *
 * timer.c - queues of deadlines, and the thread of each that waits for the first of them.
 *
 * Each lane has a queue, for waits of its schedulers' workers; one more is for all other threads.
 * So the time-outs of workers in different lanes share nothing. A timer stays in the queue in which
 * it was set. Code that sets and cancels a timer on several threads does so under a lock of its
 * own.
 *
 * A pairing heap of runs, intrusive: adding is one comparison, cancelling any entry is amortised
 * log n, and nothing is allocated, so timers may be set on the way from a block to the entry point.
 * fire() runs on the queue's thread with no lock held.
 *
 * A run is a list of timers, each set after the one before it and due no earlier; only its first is
 * in the heap. Programs set the same time-out over and over: those are one run, whose timers come
 * and go without a look at any other. It would be costly to sort ten thousand timers that lie on as
 * many stacks: each comparison would miss the processor's page cache.
 */
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

#include <sys/prctl.h>

static struct timer_queue {
    _Alignas(128) PLAT_LOCK(TIMERS) lock;
    bool runs;                /* the queue has its thread */
    _Atomic uint32_t changed; /* futex: bumped when the first deadline moved forward */
    uint64_t sleeping_until;  /* the time for which the thread waits */
    struct plat_timer *root;
    struct plat_timer *newest; /* the timer that was set last, at the end of its run; NULL: it is
                                * gone */
} queues[CPU_SETSIZE + 1];     /* the common one, then one for each processor's lane */

/* On a queue's own thread: its queue. */
static __thread struct timer_queue *served __attribute__((tls_model("initial-exec")));

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

/* The first of a run leaves the heap; the next one of the run takes its place. */
static void unlink_first(struct timer_queue *queue, struct plat_timer *timer)
{
    struct plat_timer *children = meld_siblings(timer->child);
    if (timer->later) {
        timer->later->previous = NULL;
        timer->later->follows = false;
        children = meld(children, timer->later);
    }
    if (timer == queue->root) {
        queue->root = children;
    } else {
        if (timer->previous->child == timer)
            timer->previous->child = timer->sibling;
        else
            timer->previous->sibling = timer->sibling;
        if (timer->sibling)
            timer->sibling->previous = timer->previous;
        queue->root = meld(queue->root, children);
    }
    if (queue->root)
        queue->root->previous = queue->root->sibling = NULL;
}

static void unlink_timer(struct timer_queue *queue, struct plat_timer *timer)
{
    if (queue->newest == timer)
        queue->newest = timer->follows ? timer->previous : NULL;
    if (timer->follows)
        unlink_follower(timer);
    else
        unlink_first(queue, timer);
    timer->armed = false;
}

static struct timer_queue *queue_of(const struct lane *lane)
{
    struct timer_queue *queue = lane ? &queues[1 + plat_lane_cpu(lane)] : queues;
    return __atomic_load_n(&queue->runs, __ATOMIC_ACQUIRE) ? queue : queues;
}

static struct timer_queue *callers_queue(void)
{
    struct plat_context *self = plat_tls.current;
    if (!self)
        return served ? served : queues;
    struct plat_context *scheduler = self->is_scheduler ? self : self->scheduler;
    return queue_of(scheduler ? scheduler->lane : NULL);
}

static void add(struct timer_queue *queue, struct plat_timer *timer)
{
    timer->child = timer->sibling = timer->previous = timer->later = NULL;
    timer->queue = queue;
    plat_lock(&queue->lock);
    timer->armed = true;
    timer->follows = queue->newest && queue->newest->deadline <= timer->deadline;
    if (timer->follows) {
        timer->previous = queue->newest;
        queue->newest->later = timer;
    } else {
        queue->root = meld(queue->root, timer);
    }
    queue->newest = timer;
    bool earlier = queue->root == timer && timer->deadline < queue->sleeping_until;
    if (earlier)
        atomic_fetch_add_explicit(&queue->changed, 1, memory_order_release);
    plat_unlock(&queue->lock);
    if (earlier)
        futex_wake(&queue->changed, 1);
}

void timer_add(struct plat_timer *timer)
{
    add(callers_queue(), timer);
}

void timer_add_in(struct lane *lane, struct plat_timer *timer)
{
    add(queue_of(lane), timer);
}

bool timer_cancel(struct plat_timer *timer)
{
    struct timer_queue *queue = timer->queue;
    if (!queue)
        return false; /* the timer was never set */
    plat_lock(&queue->lock);
    bool armed = timer->armed;
    if (armed)
        unlink_timer(queue, timer);
    plat_unlock(&queue->lock);
    return armed;
}

/* The system wakes a thread up to 50 us late, so that wake-ups coincide. This thread wakes up for
 * all workers that sleep, so it asks for less. */
static void be_punctual(void)
{
    RAW2(SYS_prctl, PR_SET_TIMERSLACK, 1);
}

static void *timer_main(void *arg)
{
    kthread_name("ums:timer");
    struct timer_queue *queue = served = arg;
    uint64_t now = 0;
    plat_tls.counting.counted = true;
    affinity_reset();
    be_punctual();
    policy_rises();
    for (;;) {
        plat_lock(&queue->lock);
        struct plat_timer *root = queue->root;
        if (root && root->deadline > now)
            now = plat_now();
        struct plat_timer *due = root && root->deadline <= now ? root : NULL;
        uint32_t seen = atomic_load_explicit(&queue->changed, memory_order_relaxed);
        if (due)
            unlink_timer(queue, due);
        uint64_t until = due ? 0 : root ? root->deadline : PLAT_FOREVER;
        queue->sleeping_until = until;
        plat_unlock(&queue->lock);
        engine_clock_set(now);
        if (due)
            due->fire(due);
        else
            futex_wait_until(&queue->changed, seen, until);
    }
    return NULL;
}

static int start_thread(struct timer_queue *queue)
{
    pthread_t thread;
    return kthread_create(&thread, 128 << 10, timer_main, queue);
}

/* The thread finds timers that were set before it runs when it looks for the first time. */
int timer_start(void)
{
    for (int i = 0; i <= CPU_SETSIZE; i++) /* after a fork these are the parent's still */
        if (queues[i].runs)
            queues[i] = (struct timer_queue){0};
    queues[0].runs = true;
    return start_thread(queues);
}

/* If there is no thread for it the lane uses the common queue. */
void timer_start_in(struct lane *lane)
{
    struct timer_queue *queue = &queues[1 + plat_lane_cpu(lane)];
    if (!start_thread(queue))
        __atomic_store_n(&queue->runs, true, __ATOMIC_RELEASE);
}
