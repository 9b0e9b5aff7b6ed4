/* SPDX-License-Identifier: MIT
 *
 * processor.c - what a processor's loop does between two threads: requests, choice, idling.
 */
#include "package.h"

#include "processor_share.h"

/* How often an idle processor looks around before it says that it is idle: some microseconds. */
enum { LOOKS_BEFORE_IDLE = 300 };

static void end_of(struct processor *self, struct ft_thread *thread)
{
    struct ft_thread *joiner = atomic_exchange(&thread->joiner, FT__FINISHED);

    if (thread == ft__package.first) {
        atomic_store(&ft__package.over, 1);
        ft__wake_all();
    }
    self->next = joiner;
}

void ft__has_left(struct processor *self, struct ft_thread *thread)
{
    struct ft_thread *nobody = NULL;
    struct ft_thread *joined;
    int priority = ft__priority(thread);

    ft__take_back_loan(thread);
    no_longer_called(thread);
    switch (thread->request) {
    case REQUEST_YIELD:
        ft__append(&self->late, thread);
        break;
    case REQUEST_GIVE_WAY:
        ft__append(&self->kept, thread);
        break;
    case REQUEST_SPIN:
        ft__lend(self, thread->object, priority);
        ft__append(&self->late, thread);
        break;
    case REQUEST_SECTION_OVER:
        self->counts.returns++;
        ft__append(&self->late, thread);
        break;
    case REQUEST_WAIT:
        section_ends(thread);
        spin_drop(thread->object); /* from here on anybody may go on with it */
        break;
    case REQUEST_JOIN:
        joined = thread->object;
        if (!atomic_compare_exchange_strong(&joined->joiner, &nobody, thread))
            self->next = thread; /* it has finished meanwhile */
        break;
    case REQUEST_FINISH:
        end_of(self, thread);
        break;
    }
    /* After the lock was left: a processor that finds it taken must not take its holder for
     * stopped. */
    atomic_store_explicit(&self->current, NULL, memory_order_release);
}

static BOOL something_somewhere(struct processor *self)
{
    ft__package.engine->arrivals(self);
    if (self->kept.first || self->late.first)
        return TRUE;
    for (int i = 0; i < ft__package.count; i++)
        if (ft__highest(&ft__package.processors[i]) >= 0)
            return TRUE;
    return FALSE;
}

/* A single processor need not look: only an arrival helps it, and that wakes it. */
static BOOL look_around(struct processor *self)
{
    if (ft__package.count == 1)
        return FALSE;
    for (int i = 0; i < LOOKS_BEFORE_IDLE; i++) {
        if (something_somewhere(self) || atomic_load(&ft__package.over))
            return TRUE;
        YieldProcessor();
    }
    return FALSE;
}

/* TRUE: it was not counted as idle. */
static BOOL mark_idle(struct processor *processor)
{
    if (atomic_exchange(&processor->idle, 1))
        return FALSE;
    atomic_fetch_add(&ft__package.idle, 1);
    return TRUE;
}

static void unmark_idle(struct processor *processor)
{
    if (atomic_exchange(&processor->idle, 0))
        atomic_fetch_sub(&ft__package.idle, 1);
}

void ft__rest_is_idle(void)
{
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];

        /* A processor that is granted between the two looks leaves give_up later, and unmarks
         * itself there. */
        if (!atomic_load(&processor->granted) && mark_idle(processor) &&
            atomic_load(&processor->granted))
            unmark_idle(processor);
    }
}

static struct ft_thread *sleep_until_something(struct processor *self)
{
    struct ft_thread *thread;

    if (look_around(self))
        return NULL;
    mark_idle(self);
    thread = ft__choose_here(self);
    if (!thread)
        thread = ft__steal(self);
    if (!thread) {
        ft__rest_is_idle();
        ft__share_tell();
    }
    if (!thread && !atomic_load(&ft__package.over) && atomic_load(&self->idle)) {
        self->counts.idle++;
        ft__package.engine->doze(self, self->stuck ? 1 : INFINITE);
    }
    unmark_idle(self);
    ft__notice_busy();
    self->untold = TRUE;
    return thread;
}

/* Others are idle, and a thread is ready: one of them is woken, or the allocator hears that one is
 * wanted. */
static void wake_one_if_needed(void)
{
    if (atomic_load(&ft__package.idle) && ft__best_ready(NULL) >= 0)
        ft__wake_one();
}

/* It is idle from now on, unless it hands a thread over or one was stopped here and is about to
 * arrive. Somebody may have woken it, and so ended its being idle, for a thread that it cannot run
 * now: so it looks, once it is idle again, whether one is ready anywhere. */
static void tell_before_away(struct processor *self, BOOL wanted)
{
    if (!wanted)
        mark_idle(self);
    wake_one_if_needed();
    if (self->untold)
        ft__share_tell();
    self->untold = FALSE;
}

/* The allocator wants the processor back: what is here becomes everybody's. TRUE: waited. */
static BOOL give_up(struct processor *self)
{
    struct ft_thread *thread;

    if (self->next)
        ft__append(&self->kept, self->next);
    self->next = NULL;
    thread = ft__choose_here(self);
    if (self->stuck) { /* nothing can be handed over now: go on a little */
        self->next = thread;
        return FALSE;
    }
    if (thread) {
        if (!ft__spin_in_loop(&self->lock, self)) {
            self->next = thread;
            return FALSE;
        }
        ft__push_newest(self, thread);
        spin_drop(&self->lock);
    }
    tell_before_away(self, thread || atomic_load(&self->awaited));
    self->counts.given_up++;
    atomic_store(&self->away, 1);
    if (atomic_load(&self->awaited))
        SetEvent(self->left);
    while (!atomic_load(&self->granted) && !atomic_load(&ft__package.over))
        ft__package.engine->doze(self, INFINITE);
    atomic_store(&self->away, 0);
    unmark_idle(self);
    ft__notice_busy();
    self->untold = TRUE;
    return TRUE;
}

/* One to go on with at once, unless another goes first. */
static struct ft_thread *next_of(struct processor *self)
{
    struct ft_thread *thread = self->next;

    self->next = NULL;
    if (!thread || !atomic_load_explicit(&ft__package.ranked, memory_order_relaxed) ||
        ft__best_ready(NULL) <= ft__priority(thread))
        return thread;
    ft__append(&self->kept, thread);
    return NULL;
}

/* It was idle or away, and goes on with a thread. Whoever made that one ready, or another, may have
 * woken only this processor, and it can take only one. ft__rest_is_idle may even have come after a
 * processor had handed its thread over. So it looks for both: is there more to do than those do
 * that are not idle? */
static void busy_again(struct processor *self)
{
    self->untold = FALSE;
    /* Marked while it computed and was not granted: nobody can stop it on the ground user. */
    unmark_idle(self);
    wake_one_if_needed();
    ft__share_tell();
}

struct ft_thread *ft__choose(struct processor *self)
{
    struct ft_thread *thread;

    for (;;) {
        if (atomic_load_explicit(&ft__package.over, memory_order_relaxed))
            return NULL;
        if (!atomic_load_explicit(&self->granted, memory_order_relaxed) && give_up(self))
            continue;
        thread = next_of(self);
        if (!thread)
            thread = ft__choose_here(self);
        if (!thread)
            thread = ft__steal(self);
        if (!thread)
            thread = sleep_until_something(self);
        if (thread)
            break;
    }
    if (self->untold || atomic_load_explicit(&self->idle, memory_order_relaxed))
        busy_again(self);
    self->counts.switches++;
    atomic_store_explicit(&thread->where, self, memory_order_relaxed);
    atomic_store_explicit(&thread->stopped, 0, memory_order_relaxed);
    /* Seen before the thread takes any lock: it takes it with a locked instruction. */
    atomic_store_explicit(&self->current, thread, memory_order_release);
    return thread;
}
