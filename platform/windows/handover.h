/* SPDX-License-Identifier: MIT
 *
 * handover.h - the switch between two threads: see handover.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_HANDOVER_H
#define UMSSHIM_PLATFORM_WINDOWS_HANDOVER_H

#include "platform/windows/engine.h"

enum hand {
    HAND_EMPTY,  /* its thread waits, or is about to */
    HAND_GO,     /* its thread goes on */
    HAND_END,    /* its thread ends at once */
    HAND_ASLEEP, /* as EMPTY, but it waits on its event */
    HAND_FROZEN, /* the system has stopped its thread, stop.c */
};

/* What the files above do with it, set once, before there is a worker. */
struct handover_hooks {
    /* A worker whose thread the system has stopped is to go on, or to end. */
    void (*thaw)(struct plat_context *worker, bool end);
    /* The calling worker was ended where it waits. Does not return. */
    void (*end)(struct plat_context *worker);
};
extern struct handover_hooks handover_hooks;

/* Tells the scheduler's thread what to do next. The caller's own word is empty by now. */
void handover_give(struct plat_context *scheduler, void (*after)(struct plat_context *, void *),
                   void *arg);
/* Fills the word and wakes the thread. */
void handover_wake(struct plat_context *context, enum hand hand);
/* The worker's thread waits for its word, or ends. */
void handover_await(struct plat_context *worker);
/* The worker waits until it is executed. by_event: on its event; it has one. */
void handover_park(struct plat_context *worker, bool by_event);

#endif
