/* SPDX-License-Identifier: MIT
 *
 * core.c - the table that the core hands to the engine, and bringing the engine up.
 */
#include "umsshim/core.h"

static void forked(void)
{
    ums__arena_forked(&ums__contexts);
    ums__arena_forked(&ums__lists);
}

static bool is_scheduler(struct plat_context *plat)
{
    return plat && ums__state(ums__of(plat)) == UMS_SCHEDULER;
}

/* Reads every slot, which it may since a slot never changes its type. The numbers may be out of
 * date a moment later. A ready worker that no scheduler has executed yet, or whose scheduler has
 * left, is work of each scheduler of its list. */
static void work_of(struct plat_context *plat, struct plat_work *work)
{
    struct ums_list *list = atomic_load_explicit(&ums__of(plat)->list, memory_order_relaxed);
    *work = (struct plat_work){.number = plat->number};
    size_t used = __atomic_load_n(&ums__contexts.used, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < used; i++) {
        struct ums_context *worker =
            (struct ums_context *)(ums__contexts.base + i * UMS_CONTEXT_SLOT);
        uint32_t state = ums__state(worker);
        struct plat_context *last = __atomic_load_n(&worker->plat.scheduler, __ATOMIC_RELAXED);
        bool here = last == plat;
        bool arrives_here = atomic_load_explicit(&worker->list, memory_order_relaxed) == list;
        if (state == UMS_QUEUED)
            work->queued += arrives_here;
        else if (state == UMS_READY)
            work->ready += here || (arrives_here && !is_scheduler(last));
        else if (state == UMS_BLOCKED)
            work->blocked += here;
        else if (state == UMS_RUNNING && here)
            work->running = worker->plat.number;
    }
}

static const struct plat_core core = {
    .activate = ums__scheduler_activate,
    .entry_unwound = ums__entry_unwound,
    .worker_main = ums__worker_main,
    .worker_unwound = ums__worker_unwound,
    .worker_born = ums__worker_born,
    .worker_ready = ums__worker_ready,
    .worker_blocked = ums__worker_blocked,
    .worker_unblocked = ums__worker_unblocked,
    .worker_completed = ums__worker_completed,
    .worker_wait = ums__worker_wait,
    .worker_nudge = ums__worker_nudge,
    .worker_due = ums__worker_due,
    .worker_signalled = ums__worker_signalled,
    .worker_stop = ums__worker_stop,
    .worker_detach = ums__worker_detach,
    .worker_gone = ums__worker_gone,
    .forked = forked,
    .work_of = work_of,
    .held = {.after_wait = ums__worker_after_wait,
             .keep = ums__worker_keep,
             .handles = ums__worker_handles,
             .is_back = ums__worker_is_back,
             .let_go = ums__worker_let_go,
             .must_stop = ums__worker_must_stop,
             .stops = ums__worker_stops,
             .aside = ums__worker_aside,
             .aside_over = ums__worker_aside_over},
};

int ums__init(void)
{
    static _Atomic bool known;
    int error = plat_init(&core);
    if (UMS_UNLIKELY(!error && !atomic_load_explicit(&known, memory_order_acquire))) {
        atomic_store_explicit(&ums__strict, plat_switch("UMSSHIM_STRICT", '1'),
                              memory_order_relaxed);
        for (uint32_t times = 1; times <= 9; times++)
            if (plat_switch("UMSSHIM_RETRY", (char)('0' + times)))
                atomic_store_explicit(&ums__retries, times, memory_order_relaxed);
        atomic_store_explicit(&known, true, memory_order_release);
    }
    return error;
}
