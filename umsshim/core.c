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

/* A slot never changes type, so any may be read. The numbers may be out of date a moment later. */
static void work_of(struct plat_context *plat, struct plat_work *work)
{
    struct ums_context *scheduler = ums__of(plat);
    struct ums_list *list = atomic_load_explicit(&scheduler->list, memory_order_relaxed);
    *work = (struct plat_work){.number = plat->number};
    size_t used = __atomic_load_n(&ums__contexts.used, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < used; i++) {
        struct ums_context *worker =
            (struct ums_context *)(ums__contexts.base + i * UMS_CONTEXT_SLOT);
        uint32_t state = ums__state(worker);
        bool here = __atomic_load_n(&worker->plat.scheduler, __ATOMIC_RELAXED) == plat;
        if (state == UMS_QUEUED)
            work->queued += atomic_load_explicit(&worker->list, memory_order_relaxed) == list;
        else if (state == UMS_READY)
            work->ready += here;
        else if (state == UMS_BLOCKED)
            work->blocked += here;
        else if (state == UMS_RUNNING && here)
            work->running = worker->plat.number;
    }
}

static const struct plat_core core = {
    .activate = ums__scheduler_activate,
    .worker_main = ums__worker_main,
    .worker_born = ums__worker_born,
    .worker_ready = ums__worker_ready,
    .worker_blocked = ums__worker_blocked,
    .worker_unblocked = ums__worker_unblocked,
    .worker_completed = ums__worker_completed,
    .worker_wait = ums__worker_wait,
    .worker_nudge = ums__worker_nudge,
    .worker_signalled = ums__worker_signalled,
    .worker_stop = ums__worker_stop,
    .worker_detach = ums__worker_detach,
    .worker_gone = ums__worker_gone,
    .forked = forked,
    .work_of = work_of,
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
