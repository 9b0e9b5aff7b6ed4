/* SPDX-License-Identifier: MIT
 *
 * ready.c - the ready lists: the newest thread first at home, the oldest first for thieves.
 *
 * A processor that goes to sleep says so, and then looks at every list under its lock; a thread that
 * makes a thread ready looks for sleepers inside the same lock. So one of the two sees the other.
 */
#include "package.h"

#include "share.h"

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

/* One writer at a time, under the lock. */
static void count(struct processor *processor, int change)
{
    int before = atomic_load_explicit(&processor->ready, memory_order_relaxed);

    atomic_store_explicit(&processor->ready, before + change, memory_order_relaxed);
}

void ft__push_newest(struct processor *processor, struct ft_thread *thread)
{
    thread->newer = NULL;
    thread->older = processor->newest;
    if (processor->newest)
        processor->newest->newer = thread;
    else
        processor->oldest = thread;
    processor->newest = thread;
    count(processor, 1);
}

static void push_oldest(struct processor *processor, struct ft_thread *thread)
{
    thread->older = NULL;
    thread->newer = processor->oldest;
    if (processor->oldest)
        processor->oldest->older = thread;
    else
        processor->newest = thread;
    processor->oldest = thread;
    count(processor, 1);
}

static struct ft_thread *pop_newest(struct processor *processor)
{
    struct ft_thread *thread = processor->newest;

    if (!thread)
        return NULL;
    processor->newest = thread->older;
    if (processor->newest)
        processor->newest->newer = NULL;
    else
        processor->oldest = NULL;
    count(processor, -1);
    return thread;
}

static struct ft_thread *pop_oldest(struct processor *processor)
{
    struct ft_thread *thread = processor->oldest;

    if (!thread)
        return NULL;
    processor->oldest = thread->newer;
    if (processor->oldest)
        processor->oldest->older = NULL;
    else
        processor->newest = NULL;
    count(processor, -1);
    return thread;
}

void ft__make_ready(struct ft_thread *self, struct ft_thread *thread)
{
    struct processor *here = atomic_load_explicit(&self->where, memory_order_relaxed);
    int sleepers;

    spin_enter(&here->lock, self);
    ft__push_newest(here, thread);
    sleepers = atomic_load_explicit(&ft__package.idle, memory_order_relaxed);
    spin_leave(&here->lock);
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

struct ft_thread *ft__choose_here(struct processor *self)
{
    struct ft_thread *thread;
    struct ft_thread *taken;
    int sleepers;
    int more;

    ft__package.engine->arrivals(self);
    self->stuck = FALSE;
    if (!spin_try(&self->lock, &self->loop) && !ft__spin_in_loop(&self->lock, self)) {
        self->stuck = TRUE;
        thread = ft__recover(self);
        if (!thread)
            thread = ft__take_first(&self->kept);
        return thread ? thread : ft__take_first(&self->late);
    }
    while ((taken = ft__take_first(&self->kept)))
        ft__push_newest(self, taken);
    thread = pop_newest(self);
    while ((taken = ft__take_first(&self->late)))
        push_oldest(self, taken);
    if (!thread)
        thread = pop_newest(self);
    more = self->newest != NULL;
    sleepers = atomic_load_explicit(&ft__package.idle, memory_order_relaxed);
    spin_leave(&self->lock);
    if (more && sleepers)
        ft__wake_one();
    return thread;
}

struct ft_thread *ft__steal(struct processor *self)
{
    for (int i = 1; i < ft__package.count; i++) {
        struct processor *victim = &ft__package.processors[(self->index + i) % ft__package.count];
        struct ft_thread *thread;

        if (!ft__spin_in_loop(&victim->lock, self))
            continue; /* its loop will see to it */
        thread = pop_oldest(victim);
        spin_leave(&victim->lock);
        if (thread) {
            self->counts.steals++;
            return thread;
        }
    }
    return NULL;
}
