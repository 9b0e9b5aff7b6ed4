/* SPDX-License-Identifier: MIT
 *
 * core.h - the private types of the scheduler core and what its files offer each other.
 *
 * Lock order: a stripe of an arena, then the arena itself (arena.c). The core has no other lock,
 * and calls nothing but plat_commit with one of these held. The rest of what threads share is a
 * state word (state.h) or a completion list's head, and both are lock-free.
 *
 * Stacks: "on the worker" and "on the scheduler" below name the stack and identity a function runs
 * with. Functions on the way from a block to the entry point take no lock of libc, use no heap and
 * no stdio: the worker that was interrupted may hold any of them.
 */
#ifndef UMSSHIM_CORE_H
#define UMSSHIM_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/container_of.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"
#include "umsshim/arena.h"
#include "umsshim/state.h"
/* Exported: what the Windows headers declare (and umsshim.map lists). The rest is hidden. */
#pragma GCC visibility push(default)
#include "umsshim/include/umsshim.h"
#pragma GCC visibility pop

/* A worker, or the implicit context of a scheduler. What PUMS_CONTEXT points to. A switch touches
 * the first cache line, up to the engine's first fields, and nothing else of it. */
struct ums_context {
    _Alignas(64) _Atomic uint32_t state; /* state.h; everything else follows its ownership */
    _Atomic uint32_t
        stop; /* suspend count and UMS_TERMINATING: why it is not to be executed; UMS_SIGNALLED */
    union {
        void *yield_param;               /* a worker's; while it waits, left()'s argument */
        PUMS_SCHEDULER_ENTRY_POINT proc; /* scheduler */
    };
    struct plat_context plat; /* what the engine knows; hot fields first */
    union {
        struct {                                      /* worker */
            struct ums_context *list_next;            /* while on a completion list */
            _Atomic(struct ums_context *) chain_next; /* after a dequeue, until GetNext */
            bool (*left)(void *);                     /* while it waits: ums__worker_wait */
            LPTHREAD_START_ROUTINE start;
            void *start_param;
        };
        void *proc_param; /* scheduler */
    };
    /* Worker: where it arrives, or lies while it is queued; NULL once it is not to arrive any more.
     * Scheduler: the list it named. Written by the context's owner, read by any thread that looks
     * for it. */
    _Atomic(struct ums_list *) list;
    struct ums_list *first_list; /* worker: the list named at its creation */
    void *user_context;          /* UmsThreadUserContext; the application orders its accesses */
    _Atomic(void *) teb;         /* worker: NULL until it is born */
    bool held_back; /* worker: created suspended, so it is not due before it was resumed */
    _Atomic uint32_t retried; /* worker: how often it was refused since it was last executed */
};
_Static_assert(offsetof(struct ums_context, plat) == 16, "one line for a switch");

/* An odd number of cache lines, so that the first lines of many contexts spread over the cache. */
#define UMS_CONTEXT_SLOT ((sizeof(struct ums_context) / 64 | 1) * 64)

enum { UMS_SUSPENDS = 0x7f };       /* the bits of the suspend count */
#define UMS_TERMINATING 0x80000000u /* TerminateThread was called: the worker may not run again */
#define UMS_SIGNALLED                                                                              \
    0x40000000u /* the engine has work for the worker before it goes on; it may be executed */
#define UMS_RETRIES 0x20000000u /* UMSSHIM_RETRY: ExecuteUmsThread is to refuse it now and then */
#define UMS_HELD (UMS_TERMINATING | UMS_SUSPENDS)

/* What PUMS_COMPLETION_LIST points to. */
struct ums_list {
    _Alignas(64) _Atomic(struct ums_context *) head; /* newest arrival; pushed by anyone */
    _Atomic uint32_t live;                           /* 1 between create and delete */
    /* One for `live`, one for each scheduler that names it, one for each worker that was created
     * naming it, one for each other worker that arrives on it. */
    _Atomic uint32_t refs;
    struct plat_event *event;
    uint64_t event_life;
    struct ums_list *next_unused; /* once nobody refers to it */
};

/* storage.c */
extern struct ums_arena ums__contexts, ums__lists;
/* UMSSHIM_STRICT=1: where Windows differs from Microsoft's pages, the library does what the pages
 * say. Set by ums__init. */
extern _Atomic bool ums__strict;
/* UMSSHIM_RETRY=1 to 9: how often ExecuteUmsThread says ERROR_RETRY before it executes. Set by
 * ums__init. */
extern _Atomic uint32_t ums__retries;

static inline struct ums_context *ums__of(struct plat_context *plat)
{
    return CONTAINER_OF(plat, struct ums_context, plat);
}

static inline uint32_t ums__state(const struct ums_context *context)
{
    return atomic_load_explicit(&context->state, memory_order_acquire);
}

static inline bool ums__is_context(const void *pointer)
{
    return ums__arena_holds(&ums__contexts, pointer, UMS_CONTEXT_SLOT) &&
           ums__state(pointer) != UMS_FREE && ums__state(pointer) != UMS_ZOMBIE;
}

static inline bool ums__is_worker(const struct ums_context *context)
{
    return !context->plat.is_scheduler;
}

/* The numbers that people know contexts and lists by: debuggers, traces, lines on stderr. */
static inline unsigned ums__number(const struct ums_context *context)
{
    return (unsigned)(((uintptr_t)context - ums__contexts.base) / UMS_CONTEXT_SLOT) + 1;
}

static inline unsigned ums__list_number(const struct ums_list *list)
{
    return (unsigned)(((uintptr_t)list - ums__lists.base) / sizeof *list) + 1;
}

/* The calling scheduler, the calling worker, or NULL. */
static inline struct ums_context *ums__current_scheduler(void)
{
    struct plat_context *self = plat_current();
    return self && self->is_scheduler ? ums__of(self) : NULL;
}

static inline struct ums_context *ums__current_worker(void)
{
    struct plat_context *self = plat_current();
    return self && !self->is_scheduler && self->scheduler ? ums__of(self) : NULL;
}

static inline BOOL ums__fail(uint32_t error)
{
    plat_set_last_error(error);
    return FALSE;
}

/* core.c: 0, or 50 when UMS cannot be had. Brings the engine up on first use. */
int ums__init(void);

/* list.c */
static inline bool ums__is_list(const void *pointer)
{
    return ums__arena_holds(&ums__lists, pointer, sizeof(struct ums_list)) &&
           atomic_load_explicit(&((const struct ums_list *)pointer)->live, memory_order_acquire);
}
void ums__list_hold(struct ums_list *list);
/* May be called anywhere, since it frees nothing: ums__lists_sweep frees what has no reference
 * left. */
void ums__list_drop(struct ums_list *list);
/* Frees the lists without a reference. The caller may wait for a lock of libc. */
void ums__lists_sweep(void);
/* Queues a context whose state already says so. The caller owns a reference to the list. */
void ums__list_push(struct ums_list *list, struct ums_context *context);
/* Gives a chain that was taken off a list to the application. The order stays. A context that was
 * deleted while it was queued leaves the chain here. Returns the first. */
struct ums_context *ums__list_release(struct ums_context *chain);
/* Takes a queued context off the list it is still on: true when this caller did it. */
bool ums__list_take(struct ums_context *context);

/* arrival.c */

/* Changes the list on which the worker arrives. The worker's owner calls, and holds a reference to
 * the list. */
void ums__worker_change_list(struct ums_context *worker, struct ums_list *list);
/* The worker drops its lists: it will not arrive again. Its owner calls. */
void ums__worker_part(struct ums_context *worker);
/* The list on which a worker arrives whose own list was deleted. */
struct ums_list *ums__worker_arrival_elsewhere(struct ums_context *worker);
/* The list on which the worker arrives now. Its owner calls, and pushes the worker next. */
static inline struct ums_list *ums__worker_arrival(struct ums_context *worker)
{
    struct ums_list *list = atomic_load_explicit(&worker->list, memory_order_relaxed);
    if (UMS_LIKELY(atomic_load_explicit(&list->live, memory_order_relaxed)))
        return list;
    return ums__worker_arrival_elsewhere(worker);
}
/* The worker blocks, stops or ends on its scheduler, and will arrive on that scheduler's list. Its
 * owner calls before the scheduler's entry point runs, for the scheduler may leave UMS mode in
 * it. */
static inline void ums__worker_follow(struct ums_context *worker)
{
    struct ums_list *list =
        atomic_load_explicit(&ums__of(worker->plat.scheduler)->list, memory_order_relaxed);
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->list, memory_order_relaxed) != list))
        ums__worker_change_list(worker, list);
}

/* activation.c */
void ums__scheduler_activate(struct plat_context *scheduler, enum plat_entry why);
void ums__entry_unwound(void);
_Noreturn void ums__run_entry_point(struct plat_context *scheduler, uintptr_t reason, void *payload,
                                    void *param);
/* Runs the entry point, on the scheduler. Inline, so that its callers jump to plat_restart: a call
 * that never returns would leave an entry among the returns that the processor predicts. */
static inline _Noreturn void ums__activate(struct ums_context *scheduler,
                                           UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                                           void *param)
{
    plat_restart(&scheduler->plat, (void *)ums__run_entry_point, reason, (void *)payload, param);
}

/* worker.c */

/* Binds a new thread to an EMPTY or TERMINATED context. With `suspended` it arrives on its list
 * only at ums__worker_resume. 0, 87 (bad context or list), 8. */
int ums__worker_create(void *context, void *list, size_t stack_bytes, bool suspended,
                       struct plat_thread *thread, LPTHREAD_START_ROUTINE start, void *param);

/* exit.c */

/* ExitThread on the calling worker. The exit code is in its thread object already. */
_Noreturn void ums__worker_exit(struct ums_context *worker);
/* Ends a worker whose last state the caller has just changed to EXITING. */
void ums__worker_end(struct ums_context *worker, bool queue);
void ums__worker_gone(struct plat_context *worker);

/* stop.c */

/* SuspendThread on a worker: the suspend count before, or -1 at its maximum. The caller calls
 * ums__worker_nudge next. */
int32_t ums__worker_suspend(struct ums_context *worker);
/* Makes a RUNNING worker STOPPED. On its scheduler; the worker's stack was left. */
_Noreturn void ums__worker_stopped(struct plat_context *scheduler, struct ums_context *worker);
/* The calling worker stops, unless it was resumed meanwhile. */
void ums__worker_stop_self(struct ums_context *worker);
/* ResumeThread: the suspend count before, 0 when it was not suspended. */
uint32_t ums__worker_resume(struct ums_context *worker);
/* TerminateThread: the worker may not run again. The caller calls ums__worker_nudge next. */
void ums__worker_terminate(struct ums_context *worker);
enum plat_nudge ums__worker_nudge(struct plat_context *worker);
enum plat_nudge ums__worker_due(struct plat_context *worker);
void ums__worker_signalled(struct plat_context *worker, bool due);
void ums__worker_stop(struct plat_context *worker);
void ums__worker_detach(struct plat_context *worker);

/* worker.c: functions of the core that the engine calls (platform.h, struct plat_core). */
void ums__worker_main(struct plat_context *worker);
void ums__worker_unwound(void);
void ums__worker_born(struct plat_context *worker);
void ums__worker_ready(struct plat_context *worker);
void ums__worker_blocked(struct plat_context *worker);
void ums__worker_unblocked(struct plat_context *worker);
void ums__worker_completed(struct plat_context *worker);
int ums__worker_wait(struct plat_context *worker, bool (*left)(void *), void *arg);

#endif
