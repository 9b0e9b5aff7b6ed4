/* SPDX-License-Identifier: MIT
 *
 * engine.h - what the Windows engine's files offer each other.
 *
 * Rules for everything that may run in a hook on a worker: no lock, no heap, no CRT, and the last
 * error stays as it was. The engine's own waits are made with `inside` set, or the hooks would see
 * them as the worker's.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_ENGINE_H
#define UMSSHIM_PLATFORM_WINDOWS_ENGINE_H

#include <windows.h>

#include "platform/check.h"
#include "platform/platform.h"

extern const struct plat_core *engine_core;

/* engine.c */
bool engine_set_current(struct plat_context *context); /* NULL: a plain thread again */
/* The process is being taken apart: no worker leaves its scheduler any more. */
extern _Atomic bool engine_over;
/* Switches are made in place, and waits carried; else workers are pinned to their threads. Decided at
 * the first UMS call. */
extern bool engine_in_place;
/* Calls that wait are seen: UMSSHIM_DETECT is not 0. */
extern bool engine_detects;
/* Threads of this process may run at the same time. */
extern bool engine_many_processors;
/* What the layer above hooks, at the first UMS call; how many hooks were refused. May be NULL. */
extern int (*engine_at_start)(void);

/* restart.S */
int sched_base(void **sp, void (*fn)(void *), void *arg);
_Noreturn void sched_return(void *sp, int result);

/* scheduler.c: the calling scheduler ends its thread. */
_Noreturn void scheduler_exits(struct plat_context *scheduler, uint32_t exit_code);
extern uint32_t engine_exit_slot;

/* handover.c */
enum hand {
    HAND_EMPTY,  /* its thread waits, or is about to */
    HAND_GO,     /* its thread goes on */
    HAND_END,    /* its thread ends at once */
    HAND_ASLEEP, /* as EMPTY, but it waits on its event */
    HAND_FROZEN, /* the system has stopped its thread, stop.c */
};
/* Tells the scheduler's thread what to do next. The caller's own word is empty by now. */
void handover_give(struct plat_context *scheduler, void (*after)(struct plat_context *, void *),
                   void *arg);
/* Fills the word and wakes the thread. */
void handover_wake(struct plat_context *context, enum hand hand);
/* The worker's thread waits for its word, or ends. */
void handover_await(struct plat_context *worker);
/* The worker waits until it is executed. by_event: on its event; it has one. */
void handover_park(struct plat_context *worker, bool by_event);

/* thread_map.c: contexts by the id of their thread. */
void thread_map_add(struct plat_context *context);
void thread_map_remove(struct plat_context *context);
/* The same for a worker's, whose thread is leaving from then on until thread_map_left. */
struct leaving {
    uint32_t thread_id;
    struct leaving *next;
};
void thread_map_leave(struct plat_context *context, struct leaving *leaving);
void thread_map_left(struct leaving *leaving);
struct plat_context *thread_map_find(uint32_t thread_id);
/* The same, for who acts on it: it stays this thread's until it is released, which must be soon and
 * needs nobody else. None that is leaving: it is waited for. */
struct plat_context *thread_map_hold(uint32_t thread_id);
void thread_map_release(struct plat_context *context);
struct plat_context *thread_map_look(uint32_t thread_id); /* the same, usually without its lock */
/* Whether there is one for which this is true. Under the map's lock. */
bool thread_map_any(bool (*is)(struct plat_context *context, void *arg), void *arg);

#endif
