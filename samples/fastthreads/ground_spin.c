/* SPDX-License-Identifier: MIT
 *
 * ground_spin.c - threads of the system, as on the kernel ground, that spin for a lock before they
 * block.
 *
 * A thread that finds a lock taken looks at it again for about as long as blocking and being woken
 * takes, and blocks in the kernel after that. So a short section on another processor costs no
 * switch, and a long one at most twice what blocking at once costs. On a single processor the
 * holder cannot leave while somebody spins: there a thread blocks at once. Forks, joins and yields
 * are the kernel ground's.
 */
#include "ground.h"
#include "kernel_share.h"

#include <stdatomic.h>

/* Looks, each some 10 to 40 ns: together some microseconds. */
enum { SPINS = 200 };

enum { FREE, TAKEN, WANTED };

struct lock {
    _Atomic int word; /* WANTED: taken, and a thread may be blocked */
};

struct condition {
    _Atomic int signals; /* a thread waits for the next one */
};

_Static_assert(sizeof(struct lock) <= sizeof(struct ft_lock), "a lock fits");
_Static_assert(sizeof(struct condition) <= sizeof(struct ft_condition), "a condition fits");

static int spins;
static _Atomic unsigned long spun;
static _Atomic unsigned long blocked;

static struct lock *inside(struct ft_lock *lock)
{
    return (struct lock *)(void *)lock;
}

static struct condition *within(struct ft_condition *condition)
{
    return (struct condition *)(void *)condition;
}

static BOOL take(struct lock *lock)
{
    int word = atomic_load_explicit(&lock->word, memory_order_relaxed);

    return word == FREE &&
           atomic_compare_exchange_strong_explicit(&lock->word, &word, TAKEN, memory_order_acquire,
                                                   memory_order_relaxed);
}

static BOOL take_while_spinning(struct lock *lock)
{
    for (int i = 0; i < spins; i++) {
        YieldProcessor();
        if (take(lock))
            return TRUE;
    }
    return FALSE;
}

static __attribute__((noinline)) void acquire_slowly(struct lock *lock)
{
    int wanted = WANTED;

    if (take_while_spinning(lock)) {
        atomic_fetch_add_explicit(&spun, 1, memory_order_relaxed);
        return;
    }
    atomic_fetch_add_explicit(&blocked, 1, memory_order_relaxed);
    while (atomic_exchange_explicit(&lock->word, WANTED, memory_order_acquire) != FREE)
        WaitOnAddress(&lock->word, &wanted, sizeof(wanted), INFINITE);
}

static void spin_acquire(struct ft_lock *lock)
{
    if (!take(inside(lock)))
        acquire_slowly(inside(lock));
}

static void spin_release(struct ft_lock *lock)
{
    struct lock *in = inside(lock);

    if (atomic_exchange_explicit(&in->word, FREE, memory_order_release) == WANTED)
        WakeByAddressSingle(&in->word);
}

/* Zeroes are right. */
static void spin_lock_init(struct ft_lock *lock)
{
    UNREFERENCED_PARAMETER(lock);
}

static void spin_condition_init(struct ft_condition *condition)
{
    UNREFERENCED_PARAMETER(condition);
}

/* A signal after the lock was released changes the number, and the thread does not block. */
static void spin_wait(struct ft_condition *condition, struct ft_lock *lock)
{
    struct condition *in = within(condition);
    int seen = atomic_load(&in->signals);

    spin_release(lock);
    ft__kernel_rests();
    WaitOnAddress(&in->signals, &seen, sizeof(seen), INFINITE);
    ft__kernel_busy();
    spin_acquire(lock);
}

static void spin_signal(struct ft_condition *condition)
{
    atomic_fetch_add(&within(condition)->signals, 1);
    WakeByAddressSingle(&within(condition)->signals);
}

static void spin_broadcast(struct ft_condition *condition)
{
    atomic_fetch_add(&within(condition)->signals, 1);
    WakeByAddressAll(&within(condition)->signals);
}

static struct ft_thread *spin_fork(int priority, void (*body)(void *), void *arg)
{
    return ft__kernel.fork(priority, body, arg);
}

static void spin_join(struct ft_thread *thread)
{
    ft__kernel.join(thread);
}

static void spin_yield(void)
{
    ft__kernel.yield();
}

static DWORD spin_run(const struct ft_options *options, void (*first)(void *), void *arg,
                      struct ft_statistics *statistics)
{
    DWORD error;

    spins = options->processors > 1 ? SPINS : 0;
    atomic_store(&spun, 0);
    atomic_store(&blocked, 0);
    error = ft__kernel.run(options, first, arg, statistics);
    statistics->locks_spun = atomic_load(&spun);
    statistics->locks_blocked = atomic_load(&blocked);
    return error;
}

const struct ft_ground_calls ft__spin = {
    .run = spin_run,
    .fork = spin_fork,
    .join = spin_join,
    .yield = spin_yield,
    .lock_init = spin_lock_init,
    .acquire = spin_acquire,
    .release = spin_release,
    .condition_init = spin_condition_init,
    .wait = spin_wait,
    .signal = spin_signal,
    .broadcast = spin_broadcast,
    .allocate = ft__heap_allocate,
    .free = ft__heap_free,
};
