/* SPDX-License-Identifier: MIT
 *
 * helper.c - helpers: threads that make a blocked worker's call for real, where the ring cannot
 * make it or there is no ring.
 *
 * A helper has the worker's memory and files and is outside the filter, so it makes the call with
 * the worker's arguments as they stand. A thread that submits a call, or makes a helper, takes no
 * lock of libc's: a worker that forks holds those of the heap while it waits for other locks, and
 * without a ring a helper makes that wait. The timer thread makes helpers. A helper that has had
 * nothing to do for IDLE_SECONDS ends.
 */
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

enum { HELPER_STACK = 128 << 10, IDLE_SECONDS = 5, TRY_AGAIN_NS = 50000000 };

static PLAT_LOCK(HELPERS) lock;
static struct call *first, **end = &first;
static unsigned idle, queued, coming;
static _Atomic uint32_t work; /* futex: counts submissions */
static struct plat_timer birth;
static bool birth_due; /* under the lock: `birth` is set, or firing */

static void *helper_main(void *unused)
{
    kthread_name("ums:helper");
    (void)unused;
    pid_t tid = own_tid();
    plat_lock(&lock);
    coming--;
    plat_unlock(&lock);
    for (;;) {
        uint64_t until = plat_now() + IDLE_SECONDS * 1000000000ull;
        plat_lock(&lock);
        idle++;
        while (!first) {
            uint32_t seen = atomic_load_explicit(&work, memory_order_relaxed);
            plat_unlock(&lock);
            bool awake = futex_wait_until(&work, seen, until);
            plat_lock(&lock);
            if (!awake && !first) {
                idle--;
                plat_unlock(&lock);
                return NULL;
            }
        }
        struct call *call = first;
        first = call->next;
        if (!first)
            end = &first;
        queued--;
        idle--;
        call->helper = tid;
        plat_tls.helping = call;
        plat_unlock(&lock);
        long result = call_block(call);
        plat_lock(&lock); /* from here on no thread signals this helper for this call */
        call->helper = 0;
        plat_tls.helping = NULL;
        plat_unlock(&lock);
        if (result == -EINTR && atomic_load_explicit(&call->cancelled, memory_order_acquire))
            call_interrupt(call);
        else
            call_complete(call, result);
    }
}

/* The signal may come a moment before the helper enters the call, and end nothing. The canceller
 * asks again. */
bool helper_cancel(struct call *call)
{
    plat_lock(&lock);
    struct call **link = &first;
    while (*link && *link != call)
        link = &(*link)->next;
    bool found = *link != NULL;
    if (found) {
        *link = call->next;
        if (!*link)
            end = link;
        queued--;
    } else if (call->helper && stop_signal) {
        RAW3(SYS_tgkill, own_pid(), call->helper, stop_signal);
    }
    plat_unlock(&lock);
    return found;
}

/* On the timer thread. Makes as many helpers as are needed. */
static void create_helpers(struct plat_timer *timer)
{
    for (;;) {
        plat_lock(&lock);
        bool needed = birth_due = queued > idle + coming;
        coming += needed;
        plat_unlock(&lock);
        if (!needed)
            return;
        int error = bare_thread_create(HELPER_STACK, helper_main, NULL);
        if (!error)
            continue;
        plat_log_once("no kernel thread for a blocked call, which waits until there is one: %s",
                      kthread_failure(error));
        plat_lock(&lock);
        coming--;
        plat_unlock(&lock);
        timer->deadline = plat_now() + TRY_AGAIN_NS;
        timer_add(timer);
        return;
    }
}

void helper_submit(struct call *call)
{
    call->next = NULL;
    plat_lock(&lock);
    *end = call;
    end = &call->next;
    queued++;
    bool more = queued > idle + coming && !birth_due, free = queued <= idle;
    birth_due |= more;
    atomic_fetch_add_explicit(&work, 1, memory_order_release);
    plat_unlock(&lock);
    if (more) {
        birth.deadline = 0;
        birth.fire = create_helpers;
        timer_add(&birth);
    }
    if (free)
        futex_wake(&work, 1);
}

void helpers_forget(void)
{
    plat_lock_forget(&lock);
    first = NULL;
    end = &first;
    idle = queued = coming = 0;
    birth_due = false;
}
