/* SPDX-License-Identifier: MIT
 *
 * thread_switch.h - the switch between two threads: one fills the other's word and waits for its
 * own. All switches in pinned mode are such; in place, only those to a worker's home and from
 * there.
 *
 * A thread empties its own word before it gives control away, and the other side fills it once. So
 * it does not matter which of them comes first, and the thread that waits touches nothing else of a
 * context. A scheduler is woken with something to do, `after`. That runs on its own stack when the
 * worker has given control away: from there on any thread may own the worker.
 *
 * WaitOnAddress uses the thread's alert, of which each thread has one. A worker that parks inside a
 * hooked wait for that alert would use up the alert that the program has sent. So it parks on an
 * event there (HAND_ASLEEP). In place workers' alerts are words of the engine's (alert.h). So
 * threads wait for their words by the real alerts, without the table that WaitOnAddress keeps.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_THREAD_SWITCH_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_THREAD_SWITCH_H

#include "platform/windows/engine.h"

enum hand {
    HAND_EMPTY,  /* its thread waits, or is about to */
    HAND_GO,     /* its thread goes on */
    HAND_END,    /* its thread ends at once */
    HAND_ASLEEP, /* as EMPTY, but it waits on its event */
    HAND_FROZEN, /* the system has stopped its thread, stop.c */
};

/* Functions of other files of the engine, set once, before there is a worker. */
struct thread_switch_hooks {
    /* A worker whose thread the system has stopped is to go on, or to end. */
    void (*thaw)(struct plat_context *worker, bool end);
    /* Another thread has ended the calling worker, which waits. Does not return. */
    void (*end)(struct plat_context *worker);
};
extern struct thread_switch_hooks thread_switch_hooks;

/* Tells the scheduler's thread what to do next. The caller's own word is empty by now. */
void thread_switch_give(struct plat_context *scheduler,
                        void (*after)(struct plat_context *, void *), void *arg);
/* On the scheduler: has the worker's own thread run it, and waits until the worker leaves. */
_Noreturn void thread_switch_go(struct plat_context *scheduler, struct plat_context *worker);
/* Fills the word and wakes the thread. */
void thread_switch_wake(struct plat_context *context, enum hand hand);
/* The worker's thread waits for its word, or ends. */
void thread_switch_await(struct plat_context *worker);
/* The worker waits until it is executed. by_event: it waits on its event, which is there. */
void thread_switch_park(struct plat_context *worker, bool by_event);

#endif
