/* SPDX-License-Identifier: MIT
 *
 * core.c - the table that the core hands to the engine, and bringing the engine up.
 */
#include "umsshim/core.h"

static struct plat_context *scheduler_of(struct plat_context *worker)
{
    struct ums_context *scheduler = ums__of(worker)->scheduler;
    return scheduler ? &scheduler->plat : NULL;
}

static void forked(void)
{
    ums__contexts.lock = (struct plat_lock){0};
    ums__lists.lock = (struct plat_lock){0};
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
    .scheduler_of = scheduler_of,
    .forked = forked,
};

int ums__init(void)
{
    static _Atomic bool known;
    int error = plat_init(&core);
    if (UMS_UNLIKELY(!error && !atomic_load_explicit(&known, memory_order_acquire))) {
        atomic_store_explicit(&ums__strict, plat_switch("UMSSHIM_STRICT", '1'),
                              memory_order_relaxed);
        atomic_store_explicit(&known, true, memory_order_release);
    }
    return error;
}
