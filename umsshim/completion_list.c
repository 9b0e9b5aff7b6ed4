/* SPDX-License-Identifier: MIT
 *
 * completion_list.c - the calls on completion lists. list.c has the lists themselves.
 */
#include "umsshim/core.h"

BOOL WINAPI CreateUmsCompletionList(PUMS_COMPLETION_LIST *UmsCompletionList)
{
    int error = ums__init();
    if (!UmsCompletionList)
        return ums__fail(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
    *UmsCompletionList = NULL;
    if (error)
        return ums__fail((uint32_t)error);

    ums__lists_sweep();
    struct ums_list *list = ums__arena_alloc(&ums__lists);
    if (!list)
        return ums__fail(ERROR_NOT_ENOUGH_MEMORY);
    error = plat_event_create(&list->event, &list->event_life);
    if (error) {
        ums__arena_free(&ums__lists, list);
        return ums__fail((uint32_t)error);
    }
    atomic_store_explicit(&list->refs, 1, memory_order_release);
    atomic_store_explicit(&list->live, 1, memory_order_release);
    *UmsCompletionList = list;
    return TRUE;
}

BOOL WINAPI DeleteUmsCompletionList(PUMS_COMPLETION_LIST UmsCompletionList)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    struct ums_list *list = UmsCompletionList;
    uint32_t live = 1;
    if (!ums__is_list(list) ||
        !atomic_compare_exchange_strong_explicit(&list->live, &live, 0, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return ums__fail(ERROR_INVALID_PARAMETER);
    ums__list_drop(list);
    ums__lists_sweep();
    return TRUE;
}

BOOL WINAPI GetUmsCompletionListEvent(PUMS_COMPLETION_LIST UmsCompletionList,
                                      PHANDLE UmsCompletionEvent)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    if (!UmsCompletionEvent || !ums__is_list(UmsCompletionList))
        return ums__fail(ERROR_INVALID_PARAMETER);
    struct ums_list *list = UmsCompletionList;
    error = plat_event_handle(list->event, UmsCompletionEvent);
    return error ? ums__fail((uint32_t)error) : TRUE;
}

/* Waits for arrivals. Each round gets the full interval, as on Windows: a wake-up that finds the
 * list empty (another consumer was faster) starts it anew. */
static struct ums_context *wait_for_arrivals(struct ums_list *list, DWORD milliseconds)
{
    struct ums_context *chain = NULL;
    ums__list_hold(list);
    do {
        uint64_t deadline = milliseconds == INFINITE
                                ? PLAT_FOREVER
                                : plat_now() + (uint64_t)milliseconds * 1000000u;
        if (!plat_event_wait(list->event, deadline)) {
            chain = atomic_exchange_explicit(&list->head, NULL, memory_order_acquire);
            break;
        }
        chain = atomic_exchange_explicit(&list->head, NULL, memory_order_acquire);
    } while (!chain);
    ums__list_drop(list);
    return chain;
}

/* Called while no other thread can have the chain yet. */
static __attribute__((noinline)) void trace_chain(struct ums_list *list, struct ums_context *chain)
{
    struct ums_context *scheduler = ums__current_scheduler();
    for (; chain; chain = chain->list_next)
        trace_record(scheduler ? &scheduler->plat : NULL, TRACE_DEQUEUE, &chain->plat,
                     ums__list_number(list), scheduler ? ums__number(scheduler) : 0, 0);
}

/* `some`: there were arrivals, though each context may have been deleted while it was queued. */
static inline struct ums_context *take_arrivals(struct ums_list *list, DWORD WaitTimeOut,
                                                bool *some)
{
    struct ums_context *chain = NULL;
    if (atomic_load_explicit(&list->head, memory_order_relaxed))
        chain = atomic_exchange_explicit(&list->head, NULL, memory_order_acquire);
    if (!chain && WaitTimeOut)
        chain = wait_for_arrivals(list, WaitTimeOut);
    if (chain && trace_on())
        trace_chain(list, chain);
    *some = chain != NULL;
    if (chain)
        chain = ums__list_release(chain);
    return chain;
}

BOOL WINAPI DequeueUmsCompletionListItems(PUMS_COMPLETION_LIST UmsCompletionList, DWORD WaitTimeOut,
                                          PUMS_CONTEXT *UmsThreadList)
{
    struct ums_list *list = UmsCompletionList;
    if (UMS_UNLIKELY(!UmsThreadList || !ums__is_list(list))) {
        int error = ums__init();
        if (error && UmsThreadList)
            *UmsThreadList = NULL;
        return ums__fail(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
    }
    *UmsThreadList = NULL;
    struct ums_context *chain = NULL;
    bool some;
    do /* a deleted context is no arrival: the caller waits again, for the full interval */
        chain = take_arrivals(list, WaitTimeOut, &some);
    while (UMS_UNLIKELY(some && !chain && WaitTimeOut && ums__is_list(list)));
    if (!chain)
        plat_set_last_error(ERROR_TIMEOUT);
    *UmsThreadList = chain;
    return chain || !atomic_load_explicit(&ums__strict, memory_order_relaxed);
}

PUMS_CONTEXT WINAPI GetNextUmsListItem(PUMS_CONTEXT UmsContext)
{
    if (UMS_UNLIKELY(!ums__is_context(UmsContext) || !ums__is_worker(UmsContext))) {
        int error = ums__init();
        plat_set_last_error(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
        return NULL;
    }
    struct ums_context *next = UmsContext;
    do { /* a member that was deleted meanwhile drops out of the chain */
        if (!atomic_load_explicit(&next->chain_next, memory_order_relaxed))
            return NULL; /* the most frequent case: a chain of one */
        next = atomic_exchange_explicit(&next->chain_next, NULL, memory_order_relaxed);
    } while (UMS_UNLIKELY(next && !ums__is_context(next)));
    return next;
}
