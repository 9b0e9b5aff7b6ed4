/* SPDX-License-Identifier: MIT
 *
 * handler_thread.c - the thread that runs the program's handlers for signals that no worker can
 * take now (signal_thread.c), and carries out default actions.
 *
 * A handler may wait for long, or end its thread by pthread_exit or ExitThread. So the engine runs
 * nothing else here. When the thread ends, the broker thread makes a new one; signals wait in the
 * queue meanwhile. The end of this thread never counts as the end of the program's last thread.
 *
 * A child that a handler forks has only this thread, and no engine. When the handler returns in the
 * child, the thread ends, and the process with it, as after a return from a start routine.
 *
 * A handler must not leave by longjmp: the place it would go to is on another thread's stack.
 */
#include <string.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/interrupt/handler_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/unwinding.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_taking.h"

enum { HANDLER_STACK = 1 << 20, ROOM = 64 };

static _Atomic unsigned generation; /* another value in each child of fork */
static __thread unsigned mine       /* the generation of this handler thread */
    __attribute__((tls_model("initial-exec")));
static PLAT_LOCK(HANDLERS) lock; /* for the queue */
static siginfo_t queue[ROOM];
static unsigned queued;
static _Atomic uint32_t arrivals; /* futex: bumped with each signal */

static bool create(void);

static bool orphaned(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed) != mine;
}

static bool take(siginfo_t *info)
{
    plat_lock(&lock);
    bool found = queued > 0;
    if (found) {
        *info = queue[0];
        queued--;
        memmove(queue, queue + 1, queued * sizeof *queue);
    }
    plat_unlock(&lock);
    return found;
}

/* A handler ends this thread by unwinding it: has the broker make another handler thread. */
static void handler_unwound(void)
{
    if (!orphaned())
        broker_post(POST_HANDLERS, create);
}

static void *handler_main(void *unused)
{
    kthread_name("ums:handlers");
    (void)unused;
    mine = atomic_load_explicit(&generation, memory_order_relaxed);
    plat_tls.counting.auxiliary = true;
    while (!orphaned()) {
        uint32_t seen = atomic_load_explicit(&arrivals, memory_order_acquire);
        siginfo_t info;
        if (!take(&info)) {
            futex_wait(&arrivals, seen);
            continue;
        }
        UNWINDING_RUNS(handler_personality);
        signal_natively(info.si_signo, &info);
    }
    return NULL;
}

static bool create(void)
{
    pthread_t thread;
    return kthread_create(&thread, HANDLER_STACK, handler_main, NULL) == 0;
}

int handler_thread_start(void)
{
    pthread_t thread;
    unwinding_calls(UNWINDING_HANDLER, handler_unwound);
    return kthread_create(&thread, HANDLER_STACK, handler_main, NULL);
}

/* With the lock. A standard signal is pending once, as in the kernel. */
static bool is_queued(int number)
{
    for (unsigned i = 0; i < queued; i++)
        if (queue[i].si_signo == number)
            return true;
    return false;
}

/* A signal for which there is no room is lost. The kernel refuses one with EAGAIN at its own limit.
 * Here the sender was told long ago that its signal was sent. */
void handler_thread_signal(const siginfo_t *info)
{
    plat_lock(&lock);
    if (info->si_signo < SIGNAL_FIRST_QUEUED && is_queued(info->si_signo))
        ; /* it is pending already, which is enough */
    else if (queued < ROOM)
        queue[queued++] = *info;
    plat_unlock(&lock);
    atomic_fetch_add_explicit(&arrivals, 1, memory_order_release);
    futex_wake(&arrivals, 1);
}

/* In a child after fork. */
void handler_thread_forget(void)
{
    plat_lock_forget(&lock);
    queued = 0;
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}
