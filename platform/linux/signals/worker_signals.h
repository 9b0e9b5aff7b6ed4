/* SPDX-License-Identifier: MIT
 *
 * worker_signals.h - signals of workers: masks, pending signals, their receivers, running handlers.
 *
 * The kernel knows carriers and homes, which block every signal. So the library keeps for a worker
 * what the kernel keeps for a thread: its mask, its pending signals, the signals for which it
 * waits. docs/signals.md has the whole picture. The files:
 *
 *   signal_wanted.c  the signals that the signal thread is to take; the one lock
 *   signal_poke.c    telling that thread of changes
 *   signal_state.c   masks and queues of all workers
 *   signal_taking.c  taking pending signals of the process out of the kernel
 *   signal_newborn.c workers that were not counted yet
 *   signal_send.c    sends a signal to a worker
 *   signal_run.c     runs a worker's handlers, on the worker
 *   signal_thread.c  takes signals of the process and finds a worker for each
 *   signal_wait.c    calls that wait for signals
 *   call_mask.c      calls that bring a mask along
 *   call_signal.c    what a signal does to a call
 *   signal_front.c   libc's functions for all this; signal_scheduler.c: signals to schedulers
 *   altstack_front.c libc's function for the alternate stack
 *   cancel_front.c   libc's cancellation of a thread
 *   signal_jump.c    libc's jumps that save and restore the mask
 *   exec_front.c     becoming another program
 *
 * signals_lock covers all masks (written by their owner, or in its name while it is blocked),
 * queues and counts. Below it: the timers' and the dispatcher's. A thread's `binding` is taken
 * after it was released.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_WORKER_SIGNALS_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_WORKER_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/current.h"

struct queued_signal {
    struct queued_signal *next;
    siginfo_t info;
    bool of_process; /* it goes back to the process if the worker ends first */
    bool own;        /* the worker sent it to itself */
};

/* Handlers that have run aside while the worker's call was interrupted: all of them had SA_RESTART,
 * or not. */
enum aside_ran { RAN_NOTHING, RAN_RESTARTS, RAN };

static inline uint64_t *mask_of(struct plat_context *context)
{
    return (uint64_t *)(void *)&tls_at(context->fs_base)->sigmask;
}

static inline bool signals_due(const struct plat_context *context)
{
    return atomic_load_explicit(&context->signals.due, memory_order_relaxed);
}

/* Whether a thread has cancelled the worker (pthread_cancel), and the worker has not disabled
 * that. */
static inline bool cancellation_due(const struct plat_context *context)
{
    return atomic_load_explicit(&context->signals.cancelled, memory_order_relaxed) &&
           !atomic_load_explicit(&context->signals.uncancellable, memory_order_relaxed);
}

#endif
