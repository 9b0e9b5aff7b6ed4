/* SPDX-License-Identifier: MIT
 *
 * arrival.c - on which completion list a worker arrives.
 *
 * A new worker arrives on the list named at its creation, its first list. One that was executed
 * arrives on the list of the scheduler that executed it last: when it unblocks, when it is resumed
 * after it was stopped, when its scheduler is ended, and when it ends itself. With UMSSHIM_STRICT=1
 * it always arrives on its first list, as the page of ExecuteUmsThread says.
 *
 * The scheduler may leave UMS mode, and its list may be deleted, before the worker arrives. So a
 * worker that leaves its scheduler stores the list in `list`, with a reference of its own
 * (ums__worker_follow). It does this when it leaves, not when it is executed: so a yield changes no
 * count, nor does a block on the same scheduler as before. `list` of a READY worker may be that of
 * an earlier scheduler; a READY worker does not arrive, so nobody reads it.
 *
 * If its list was deleted, a worker arrives on its first list instead: a program that follows the
 * page looks there. If the first list was deleted as well, the worker is queued on the deleted
 * list; ExecuteUmsThread with its context still works. The same holds for workers that were on a
 * list when it was deleted.
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
