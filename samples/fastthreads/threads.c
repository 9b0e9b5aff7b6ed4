/* SPDX-License-Identifier: MIT
 *
 * threads.c - fork, join, yield, and the frame in which a thread's bodies run one after another.
 */
#include "package.h"

struct ft_thread ft__finished;

static _Thread_local struct ft_thread *t_self;

__attribute__((noinline)) struct ft_thread *ft__self(void)
{
    return t_self;
}

__attribute__((noinline)) void ft__set_self(struct ft_thread *self)
{
    t_self = self;
}

void ft__leave(struct ft_thread *self, enum request request, void *object)
{
    self->request = request;
    self->object = object;
    ft__package.engine->leave(self);
}

/* A thread that has ended waits here for its next body. */
void ft__thread_main(struct ft_thread *self)
{
    while (self->body) {
        self->body(self->arg);
        ft__leave(self, REQUEST_FINISH, NULL);
    }
}

static struct ft_thread *take_unused(struct processor *processor)
{
    struct ft_thread *thread = atomic_load_explicit(&processor->unused, memory_order_relaxed);

    if (thread)
        atomic_store_explicit(&processor->unused, thread->older, memory_order_relaxed);
    return thread;
}

/* In a critical section of its own: another processor may have finished threads to spare. */
static struct ft_thread *borrow_unused(struct processor *here, struct ft_thread *self)
{
    for (int i = 1; i < ft__package.count; i++) {
        struct processor *other = &ft__package.processors[(here->index + i) % ft__package.count];
        struct ft_thread *thread;

        if (!atomic_load_explicit(&other->unused, memory_order_relaxed) ||
            !spin_try_enter(&other->lock, self))
            continue;
        thread = take_unused(other);
        spin_leave(&other->lock, self);
        if (thread)
            return thread;
    }
    return NULL;
}

static struct ft_thread *fork_new(struct ft_thread *self, int priority, void (*body)(void *),
                                  void *arg)
{
    struct ft_thread *thread = ft__new_thread(priority, body, arg);

    if (thread && !ft__package.engine->arrives)
        ft__give_way(self, priority);
    return thread;
}

struct ft_thread *ft__fork(int priority, void (*body)(void *), void *arg)
{
    struct ft_thread *self = ft__self();
    struct processor *here = atomic_load_explicit(&self->where, memory_order_relaxed);
    struct ft_thread *thread;
    int sleepers;

    if (priority == FT__INHERITED)
        priority = atomic_load_explicit(&self->own, memory_order_relaxed);
    spin_enter(&here->lock, self);
    here->forks++;
    thread = take_unused(here);
    if (!thread) {
        spin_leave(&here->lock, self);
        thread = borrow_unused(here, self);
        if (!thread)
            return fork_new(self, priority, body, arg);
        spin_enter(&here->lock, self);
    }
    thread->body = body;
    thread->arg = arg;
    atomic_store_explicit(&thread->joiner, NULL, memory_order_relaxed);
    ft__set_priority(thread, priority);
    ft__push_newest(here, thread);
    sleepers = atomic_load_explicit(&ft__package.idle, memory_order_relaxed);
    spin_leave(&here->lock, self);
    if (sleepers)
        ft__wake_one();
    ft__give_way(self, priority);
    return thread;
}

void ft__join(struct ft_thread *thread)
{
    struct ft_thread *self = ft__self();
    struct processor *here;

    if (atomic_load_explicit(&thread->joiner, memory_order_acquire) != FT__FINISHED)
        ft__leave(self, REQUEST_JOIN, thread);
    here = atomic_load_explicit(&self->where, memory_order_relaxed);
    spin_enter(&here->lock, self);
    thread->older = atomic_load_explicit(&here->unused, memory_order_relaxed);
    atomic_store_explicit(&here->unused, thread, memory_order_relaxed);
    spin_leave(&here->lock, self);
}

void ft__yield(void)
{
    ft__leave(ft__self(), REQUEST_YIELD, NULL);
}
