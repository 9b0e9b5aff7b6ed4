/* SPDX-License-Identifier: MIT
 *
 * ready.c - the ready lists: the highest priority first; of each the newest thread first at home,
 * and the oldest first for thieves.
 *
 * A processor that goes to sleep says so, and then looks at every list under its lock; a thread
 * that makes a thread ready looks for sleepers inside the same lock. So one of the two sees the
 * other.
 */
#include "package.h"

#include "processor_share.h"

void ft__append(struct queue *queue, struct ft_thread *thread)
{
    thread->older = NULL;
    if (queue->last)
        queue->last->older = thread;
    else
        queue->first = thread;
    queue->last = thread;
}

struct ft_thread *ft__take_first(struct queue *queue)
{
    struct ft_thread *thread = queue->first;

    if (thread) {
        queue->first = thread->older;
        if (!queue->first)
            queue->last = NULL;
    }
    return thread;
}

BOOL ft__take_out(struct queue *queue, struct ft_thread *wanted)
{
    struct queue rest = {NULL, NULL};
    struct ft_thread *thread;
    BOOL found = FALSE;

    while ((thread = ft__take_first(queue)))
        if (thread == wanted)
            found = TRUE;
        else
            ft__append(&rest, thread);
    *queue = rest;
    return found;
}

/* The first of the highest priority. */
static struct ft_thread *take_highest(struct queue *queue)
{
    struct ft_thread *highest = queue->first;

    for (struct ft_thread *thread = highest; thread; thread = thread->older)
        if (ft__priority(thread) > ft__priority(highest))
            highest = thread;
    if (highest)
        ft__take_out(queue, highest);
    return highest;
}

/* ---- Under the processor's lock -------------------------------------------------------------- */

/* One writer at a time. */
static void mark(struct processor *processor, int level, BOOL occupied)
{
    unsigned levels = atomic_load_explicit(&processor->levels, memory_order_relaxed);

    levels = occupied ? levels | 1u << level : levels & ~(1u << level);
    atomic_store_explicit(&processor->levels, levels, memory_order_relaxed);
}

/* Chosen when it is listed: a loan may change its priority later. */
static struct level *level_for(struct processor *processor, struct ft_thread *thread)
{
    thread->level = ft__priority(thread);
    atomic_store_explicit(&thread->listed, processor, memory_order_relaxed);
    mark(processor, thread->level, TRUE);
    return &processor->ready[thread->level];
}

void ft__push_newest(struct processor *processor, struct ft_thread *thread)
{
    struct level *level = level_for(processor, thread);

    thread->newer = NULL;
    thread->older = level->newest;
    if (level->newest)
        level->newest->newer = thread;
    else
        level->oldest = thread;
    level->newest = thread;
}

static void push_oldest(struct processor *processor, struct ft_thread *thread)
{
    struct level *level = level_for(processor, thread);

    thread->older = NULL;
    thread->newer = level->oldest;
    if (level->oldest)
        level->oldest->older = thread;
    else
        level->newest = thread;
    level->oldest = thread;
}

void ft__unlist(struct processor *processor, struct ft_thread *thread)
{
    struct level *level = &processor->ready[thread->level];

    if (thread->newer)
        thread->newer->older = thread->older;
    else
        level->newest = thread->older;
    if (thread->older)
        thread->older->newer = thread->newer;
    else
        level->oldest = thread->newer;
    if (!level->newest)
        mark(processor, thread->level, FALSE);
    atomic_store_explicit(&thread->listed, NULL, memory_order_relaxed);
}

static struct ft_thread *pop_newest(struct processor *processor)
{
    int highest = ft__highest(processor);
    struct ft_thread *thread = highest < 0 ? NULL : processor->ready[highest].newest;

    if (thread)
        ft__unlist(processor, thread);
    return thread;
}

static struct ft_thread *pop_oldest(struct processor *processor)
{
    int highest = ft__highest(processor);
    struct ft_thread *thread = highest < 0 ? NULL : processor->ready[highest].oldest;

    if (thread)
        ft__unlist(processor, thread);
    return thread;
}

/* ---- Ready, and chosen ----------------------------------------------------------------------- */

void ft__make_ready(struct ft_thread *self, struct ft_thread *thread)
{
    struct processor *here = atomic_load_explicit(&self->where, memory_order_relaxed);
    int sleepers;

    spin_enter(&here->lock, self);
    ft__push_newest(here, thread);
    sleepers = atomic_load_explicit(&ft__package.idle, memory_order_relaxed);
    spin_leave(&here->lock, self);
    if (sleepers)
        ft__wake_one();
}

void ft__wake_one(void)
{
    for (int granted = 1; granted >= 0; granted--) {
        for (int i = 0; i < ft__package.count; i++) {
            struct processor *processor = &ft__package.processors[i];

            if (!atomic_load_explicit(&processor->idle, memory_order_relaxed) ||
                atomic_load(&processor->granted) != granted ||
                !atomic_exchange(&processor->idle, 0))
                continue;
            atomic_fetch_sub(&ft__package.idle, 1);
            if (granted)
                SetEvent(processor->wake);
            else
                ft__share_tell(); /* it will be woken if it is granted */
            return;
        }
    }
}

void ft__wake_all(void)
{
    for (int i = 0; i < ft__package.count; i++)
        SetEvent(ft__package.processors[i].wake);
}

/* Another processor's, of a higher priority than any here. Only by trying, under the own lock. */
static struct ft_thread *take_better(struct processor *self)
{
    int here = ft__highest(self);
    int best = ft__best_ready(self);

    for (int i = 1; best > here && i < ft__package.count; i++) {
        struct processor *other = &ft__package.processors[(self->index + i) % ft__package.count];
        struct ft_thread *thread = NULL;

        if (ft__highest(other) < best || !spin_try(&other->lock, &self->loop))
            continue;
        if (ft__highest(other) > here)
            thread = pop_oldest(other);
        spin_drop(&other->lock);
        if (thread) {
            self->counts.steals++;
            return thread;
        }
    }
    return NULL;
}

struct ft_thread *ft__choose_here(struct processor *self)
{
    struct ft_thread *thread = NULL;
    struct ft_thread *taken;
    int sleepers;
    BOOL more;

    ft__package.engine->arrivals(self);
    self->stuck = FALSE;
    if (!spin_try(&self->lock, &self->loop) && !ft__spin_in_loop(&self->lock, self)) {
        self->stuck = TRUE;
        thread = ft__recover(self);
        if (!thread)
            thread = take_highest(&self->kept);
        return thread ? thread : take_highest(&self->late);
    }
    while ((taken = ft__take_first(&self->kept)))
        ft__push_newest(self, taken);
    while ((taken = ft__take_first(&self->late)))
        push_oldest(self, taken);
    if (atomic_load_explicit(&ft__package.ranked, memory_order_relaxed))
        thread = take_better(self);
    if (!thread)
        thread = pop_newest(self);
    more = ft__highest(self) >= 0;
    sleepers = atomic_load_explicit(&ft__package.idle, memory_order_relaxed);
    spin_drop(&self->lock);
    if (more && sleepers)
        ft__wake_one();
    return thread;
}

static struct ft_thread *take_from(struct processor *self, struct processor *victim)
{
    struct ft_thread *thread;

    if (!ft__spin_in_loop(&victim->lock, self))
        return NULL; /* its loop will see to it */
    thread = pop_oldest(victim);
    spin_drop(&victim->lock);
    if (thread)
        self->counts.steals++;
    return thread;
}

/* First by the hints, the highest priority before others; then everywhere, because hints may be
 * old. */
struct ft_thread *ft__steal(struct processor *self)
{
    struct ft_thread *thread = NULL;

    for (int hints = 1; hints >= 0 && !thread; hints--) {
        int best = ft__best_ready(self);

        for (int i = 1; i < ft__package.count && !thread; i++) {
            struct processor *victim =
                &ft__package.processors[(self->index + i) % ft__package.count];

            if (!hints || (best >= 0 && ft__highest(victim) == best))
                thread = take_from(self, victim);
        }
    }
    return thread;
}
