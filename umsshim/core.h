/* SPDX-License-Identifier: MIT
 *
 * core.h - the private types and functions of the core.
 *
 * Lock order: a stripe of an arena, then the arena itself (arena.c). The core has no other lock,
 * and calls nothing but plat_commit with one of these held. Threads share nothing else but state
 * words (state.h) and heads of completion lists, which need no lock.
 *
 * Stacks: "on the worker" and "on the scheduler" below say on whose stack, and as whom, a function
 * runs. Functions on the way from a block to the entry point take no lock of libc, use no heap and
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
/* The functions that these headers declare are exported (umsshim.map). All others are hidden. */
#pragma GCC visibility push(default)
#include "umsshim/include/umsshim.h"
#pragma GCC visibility pop

/* A worker, or the implicit context of a scheduler. PUMS_CONTEXT points to it. A switch touches the
 * first cache line, up to the engine's first fields, and nothing else of it. */
struct ums_context {
    _Alignas(64) _Atomic uint32_t state; /* state.h; the owner that it names has the other fields */
    _Atomic uint32_t
        stop; /* suspend count and UMS_TERMINATING, which forbid to execute it; UMS_SIGNALLED,
               * UMS_RETRIES */
    union {
        void *yield_param;               /* a worker's; while it waits, left()'s argument */
        PUMS_SCHEDULER_ENTRY_POINT proc; /* scheduler */
    };
    struct plat_context plat; /* the engine's fields; hot ones first */
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
    /* Worker: the list where it arrives or is queued. NULL once it will not arrive any more.
     * Scheduler: the list it named. The context's owner writes it. Any thread reads it. */
    _Atomic(struct ums_list *) list;
    struct ums_list *first_list; /* worker: the list named at its creation */
    void *user_context;          /* UmsThreadUserContext; the application prevents races for it */
    _Atomic(void *) teb;         /* worker: NULL until it is born */
    bool held_back; /* worker: created suspended, so it does not arrive before it was resumed */
    _Atomic uint32_t retried; /* worker: how often ExecuteUmsThread has refused it with ERROR_RETRY
                               * in a row */
};
_Static_assert(offsetof(struct ums_context, plat) == 16, "one line for a switch");

/* Contexts lie an odd number of cache lines apart. So their first lines spread over the cache. */
#define UMS_CONTEXT_SLOT ((sizeof(struct ums_context) / 64 | 1) * 64)

enum { UMS_SUSPENDS = 0x7f };       /* the bits of the suspend count */
#define UMS_TERMINATING 0x80000000u /* TerminateThread was called: the worker may not run again */
#define UMS_SIGNALLED                                                                              \
    0x40000000u /* the engine has work for the worker before it goes on; it may be executed */
#define UMS_RETRIES 0x20000000u /* UMSSHIM_RETRY: ExecuteUmsThread is to refuse it now and then */
/* aside.c */
#define UMS_ASIDE 0x10000000u   /* its home runs its handlers, on its stack */
#define UMS_KILLED 0x08000000u  /* it was ended meanwhile: that thread is to end next */
#define UMS_AWAITED 0x02000000u /* it was executed meanwhile: it arrives afterwards */
#define UMS_KEPT 0x04000000u    /* it waits on a scheduler that is held, and goes on there */
#define UMS_HELD (UMS_TERMINATING | UMS_SUSPENDS)

/* A completion list. PUMS_COMPLETION_LIST points to it. */
struct ums_list {
    _Alignas(64) _Atomic(struct ums_context *) head; /* newest arrival; any thread pushes */
    _Atomic uint32_t live;                           /* 1 between create and delete */
    /* One while `live` is 1, one for each scheduler that names the list, one for each worker that
     * named it at its creation, one for each other worker that arrives on it. */
    _Atomic uint32_t refs;
    struct plat_event *event;
    uint64_t event_life;
    struct ums_list *next_unused; /* once it has no reference left */
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

/* The numbers of contexts and lists in debuggers, traces and lines on stderr. */
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

/* core.c: brings the engine up on first use. 0, or 50 when UMS cannot be had. */
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
/* Puts a context on the list. Its state is QUEUED or TERM_QUEUED already. The caller owns a
 * reference to the list. */
void ums__list_push(struct ums_list *list, struct ums_context *context);
/* Makes a chain that was taken off a list the application's, in the same order. A context that was
 * deleted while it was queued leaves the chain here. Returns the first. */
struct ums_context *ums__list_release(struct ums_context *chain);
/* Takes a queued context off its list. False: it is no longer on it. */
bool ums__list_take(struct ums_context *context);

/* arrival.c */

/* Changes the list on which the worker arrives. The worker's owner calls, and holds a reference to
 * the list. */
void ums__worker_change_list(struct ums_context *worker, struct ums_list *list);
/* Drops the worker's references to its lists. It will not arrive again. Its owner calls. */
void ums__worker_part(struct ums_context *worker);
/* The same for a worker whose `list` was deleted. */
struct ums_list *ums__worker_arrival_elsewhere(struct ums_context *worker);
/* The list on which the worker arrives now. The worker's owner calls this, and pushes the worker
 * next. */
static inline struct ums_list *ums__worker_arrival(struct ums_context *worker)
{
    struct ums_list *list = atomic_load_explicit(&worker->list, memory_order_relaxed);
    if (UMS_LIKELY(atomic_load_explicit(&list->live, memory_order_relaxed)))
        return list;
    return ums__worker_arrival_elsewhere(worker);
}
/* The worker blocks, stops or ends on its scheduler, and will arrive on that scheduler's list. Its
 * owner calls before the scheduler's entry point runs: in there the scheduler may leave UMS
 * mode. */
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
/* Runs the entry point, on the scheduler. Inline, so that its callers jump to plat_restart. A call
 * that never returns would spoil the processor's prediction of returns. */
static inline _Noreturn void ums__activate(struct ums_context *scheduler,
                                           UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                                           void *param)
{
    plat_restart(&scheduler->plat, (void *)ums__run_entry_point, reason, (void *)payload, param);
}

/* worker.c */

/* Binds a new thread to an EMPTY or TERMINATED context. If `suspended`, the worker arrives only at
 * ums__worker_resume. Returns 0, 87 (bad context or list) or 8. */
int ums__worker_create(void *context, void *list, size_t stack_bytes, bool suspended,
                       struct plat_thread *thread, LPTHREAD_START_ROUTINE start, void *param);

/* exit.c */

/* Ends the calling worker. Its exit code is in its thread object already. */
_Noreturn void ums__worker_exit(struct ums_context *worker);
/* Ends a worker that the caller has just changed to EXITING. `queue`: it arrives, as terminated. */
void ums__worker_end(struct ums_context *worker, bool queue);
void ums__worker_gone(struct plat_context *worker);

/* stop.c */

/* SuspendThread on a worker: the suspend count before, or -1 at its maximum. The caller calls
 * ums__worker_nudge next. */
int32_t ums__worker_suspend(struct ums_context *worker);
/* Makes a RUNNING worker STOPPED and activates its scheduler. On the scheduler; the worker's stack
 * was left. */
_Noreturn void ums__worker_stopped(struct plat_context *scheduler, struct ums_context *worker);
/* Stops the calling worker, unless it was resumed meanwhile. */
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

/* aside.c: each as platform.h says of struct plat_core */
bool ums__worker_aside(struct plat_context *worker);
enum plat_aside ums__worker_aside_over(struct plat_context *worker);
/* A scheduler executes a READY worker that is aside: it waits, and the scheduler is entered. False:
 * the caller does not own it. True: it is RUNNING and no longer aside. */
bool ums__worker_await(struct ums_context *scheduler, struct ums_context *worker);

/* kept.c: the same */
bool ums__worker_keep(struct plat_context *worker);
bool ums__worker_is_back(struct plat_context *worker);
void ums__worker_handles(struct plat_context *worker, void (*handle)(struct plat_context *));
bool ums__worker_let_go(struct plat_context *worker);
bool ums__worker_must_stop(struct plat_context *worker);
void ums__worker_stops(struct plat_context *scheduler, void *worker);
/* The worker's wait is over. True: its carrier goes on with it; it does not arrive. */
bool ums__worker_given_back(struct ums_context *worker);
void ums__worker_after_wait(struct plat_context *scheduler, void *worker);

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
