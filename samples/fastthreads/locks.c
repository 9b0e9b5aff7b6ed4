/* SPDX-License-Identifier: MIT
 *
 * locks.c - locks and conditions: waiting threads lie in lists, their processors go on with others.
 *
 * A lock's word is 0 (free), 1 (taken) or 2 (taken, and somebody may wait); free to taken and back
 * is one instruction each. A lock that somebody waits for is handed to the first: its word stays 2.
 */
#include "package.h"

enum { FREE, TAKEN, WANTED };

struct lock {
    _Atomic int word;
    struct spin guard;
    struct queue waiting;
};

struct condition {
    struct spin guard;
    struct queue waiting;
};

_Static_assert(sizeof(struct lock) <= sizeof(struct ft_lock), "a lock fits");
_Static_assert(sizeof(struct condition) <= sizeof(struct ft_condition), "a condition fits");

static inline struct lock *inside(struct ft_lock *lock)
{
    return (struct lock *)(void *)lock;
}

static inline struct condition *within(struct ft_condition *condition)
{
    return (struct condition *)(void *)condition;
}

static inline BOOL change(struct lock *lock, int from, int to)
{
    return atomic_compare_exchange_strong_explicit(&lock->word, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

void ft__lock_init(struct ft_lock *lock)
{
    UNREFERENCED_PARAMETER(lock); /* zeroes are right */
}

void ft__condition_init(struct ft_condition *condition)
{
    UNREFERENCED_PARAMETER(condition);
}

static __attribute__((noinline)) void acquire_slowly(struct lock *lock, struct ft_thread *self)
{
    spin_enter(&lock->guard, self);
    if (atomic_exchange(&lock->word, WANTED) == FREE) { /* too much said, but nobody minds */
        spin_leave(&lock->guard, self);
        return;
    }
    ft__append(&lock->waiting, self);
    ft__leave(self, REQUEST_WAIT, &lock->guard); /* and back as the owner */
}

void ft__acquire(struct ft_lock *lock)
{
    if (!change(inside(lock), FREE, TAKEN))
        acquire_slowly(inside(lock), ft__self());
}

/* The priority of the one that has it now; -1: nobody has. */
static __attribute__((noinline)) int release_slowly(struct lock *lock, struct ft_thread *self)
{
    struct ft_thread *heir;
    int priority = -1;

    spin_enter(&lock->guard, self);
    heir = ft__take_first(&lock->waiting);
    if (!heir)
        atomic_store(&lock->word, FREE);
    spin_leave(&lock->guard, self);
    if (heir) {
        priority = ft__priority(heir);
        ft__make_ready(self, heir);
    }
    return priority;
}

void ft__release(struct ft_lock *lock)
{
    if (!change(inside(lock), TAKEN, FREE)) {
        struct ft_thread *self = ft__self();

        ft__give_way(self, release_slowly(inside(lock), self));
    }
}

void ft__wait(struct ft_condition *condition, struct ft_lock *lock)
{
    struct condition *in = within(condition);
    struct ft_thread *self = ft__self();

    spin_enter(&in->guard, self);
    /* A thread that takes the lock now and signals waits for the guard until this stack was
     * left. */
    if (!change(inside(lock), TAKEN, FREE))
        release_slowly(inside(lock), self);
    ft__append(&in->waiting, self);
    ft__leave(self, REQUEST_WAIT, &in->guard);
    ft__acquire(lock);
}

void ft__signal(struct ft_condition *condition)
{
    struct condition *in = within(condition);
    struct ft_thread *self = ft__self();
    struct ft_thread *waiter;
    int priority;

    spin_enter(&in->guard, self);
    waiter = ft__take_first(&in->waiting);
    spin_leave(&in->guard, self);
    if (!waiter)
        return;
    priority = ft__priority(waiter);
    ft__make_ready(self, waiter);
    ft__give_way(self, priority);
}

void ft__broadcast(struct ft_condition *condition)
{
    struct condition *in = within(condition);
    struct ft_thread *self = ft__self();
    struct queue all;
    struct ft_thread *waiter;
    int highest = -1;

    spin_enter(&in->guard, self);
    all = in->waiting;
    in->waiting = (struct queue){NULL, NULL};
    spin_leave(&in->guard, self);
    while ((waiter = ft__take_first(&all))) {
        int priority = ft__priority(waiter);

        highest = priority > highest ? priority : highest;
        ft__make_ready(self, waiter);
    }
    ft__give_way(self, highest);
}
