/* SPDX-License-Identifier: MIT
 *
 * timer_front.c - the fronts of libc's timers, for a timer that signals a worker.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <signal.h>
#include <time.h>
#pragma GCC visibility pop

#include "platform/linux/interrupt/signal_thread.h"
#include "platform/linux/libc/outside_front.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/signals/signal_wanted.h"

/* The kernel would send the signal to the worker's home, which takes none. So the timer signals the
 * signal thread, which knows the worker. */
int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    struct plat_context *target = NULL;
    if (event && event->sigev_notify == SIGEV_THREAD_ID && signal_for_programs(event->sigev_signo))
        target = tid_home(event->_sigev_un._tid);
    if (!target || target->is_scheduler ||
        !atomic_load_explicit(&target->signals.listed, memory_order_relaxed))
        return timer_create_libcs(clock, event, timer);
    struct sigevent own = *event;
    own._sigev_un._tid = signals_thread();
    int error = LIBC(timer_create)(clock, &own, timer);
    if (!error && !signal_timer_add((int)(intptr_t)*timer, target, event->sigev_signo)) {
        LIBC(timer_delete)(*timer);
        errno = EAGAIN;
        error = -1;
    }
    return error;
}

int timer_delete(timer_t timer)
{
    int error = LIBC(timer_delete)(timer);
    if (!error)
        signal_timer_remove((int)(intptr_t)timer);
    return error;
}
