/* SPDX-License-Identifier: MIT
 *
 * arrival.c - on which completion list a worker arrives.
 *
 * A new worker arrives on the list named at its creation, its first list. One that was executed arrives
 * on the list of the scheduler that executed it last: when it unblocks, when it is resumed after it was
 * stopped, when its scheduler is ended, and when it ends itself. UMSSHIM_STRICT=1: on its first list,
 * always, which is what the page of ExecuteUmsThread says.
 *
 * The scheduler may leave UMS mode, and its list be deleted, before the worker arrives. So a worker that
 * leaves its scheduler takes the list along, with a reference of its own (ums__worker_follow). It does so
 * then and not when it is executed: yields, and blocks on the same scheduler as before, count nothing.
 * While it is READY, `list` may therefore be that of an earlier scheduler; nothing arrives from there.
 *
 * A list that was deleted gets no more arrivals if there is a better one: a worker that would arrive on it arrives
 * on his first list instead, where a program that goes by the page looks for him. Where that was deleted
 * as well, he stays queued on the deleted one; ExecuteUmsThread with his context still works. The same
 * goes for workers that were on a list when it was deleted.
 *
 * References: `first_list` has one from creation to end; `list` has one unless it is the first.
 */
#include "umsshim/core.h"

static struct ums_list *list_of(struct ums_context *worker)
{
    return atomic_load_explicit(&worker->list, memory_order_relaxed);
}

static void set_list(struct ums_context *worker, struct ums_list *list)
{
    struct ums_list *before = list_of(worker);
    atomic_store_explicit(&worker->list, list, memory_order_relaxed);
    if (before && before != worker->first_list)
        ums__list_drop(before);
}

__attribute__((noinline)) void ums__worker_change_list(struct ums_context *worker,
                                                       struct ums_list *list)
{
    if (atomic_load_explicit(&ums__strict, memory_order_relaxed))
        return;
    if (list != worker->first_list)
        ums__list_hold(list);
    set_list(worker, list);
}

void ums__worker_part(struct ums_context *worker)
{
    set_list(worker, NULL);
    ums__list_drop(worker->first_list);
    worker->first_list = NULL;
}

__attribute__((noinline)) struct ums_list *ums__worker_arrival_elsewhere(struct ums_context *worker)
{
    if (ums__is_list(worker->first_list))
        set_list(worker, worker->first_list);
    return list_of(worker);
}
