/* SPDX-License-Identifier: MIT
 *
 * thread_switch.h - the switch between two threads: one gives another its word and waits for its
 * own. Every switch in pinned mode is one; in place, those to a worker's home and from there.
 *
 * A word is emptied by its own thread before control is given away, and filled once by the other
 * side: so it does not matter which of them comes first, and nothing else of a context is touched
 * by the thread that waits. A scheduler is woken with something to do, `after`, which runs on its
 * own stack when the worker has given its word away: from there on the worker is anybody's.
 *
 * WaitOnAddress is built on an alert that a thread has one of. A worker that parks inside a hooked
 * wait for that very alert would use up the one its program's waker has sent: there it waits on an
 * event (HAND_ASLEEP). In place workers' alerts are words of ours (alert.h), so those of threads
 * are free: words are waited for with them, without the table that WaitOnAddress keeps.
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

/* Functions of files above this one, set once, before there is a worker. */
struct thread_switch_hooks {
    /* A worker whose thread the system has stopped is to go on, or to end. */
    void (*thaw)(struct plat_context *worker, bool end);
    /* The calling worker was ended where it waits. Does not return. */
    void (*end)(struct plat_context *worker);
};
extern struct thread_switch_hooks thread_switch_hooks;

/* Tells the scheduler's thread what to do next. The caller's own word is empty by now. */
void thread_switch_give(struct plat_context *scheduler,
                        void (*after)(struct plat_context *, void *), void *arg);
/* On the scheduler: the worker's own thread carries it from here on. */
_Noreturn void thread_switch_go(struct plat_context *scheduler, struct plat_context *worker);
/* Fills the word and wakes the thread. */
void thread_switch_wake(struct plat_context *context, enum hand hand);
/* The worker's thread waits for its word, or ends. */
void thread_switch_await(struct plat_context *worker);
/* The worker waits until it is executed. by_event: on its event; it has one. */
void thread_switch_park(struct plat_context *worker, bool by_event);

#endif
