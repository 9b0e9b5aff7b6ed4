/* SPDX-License-Identifier: MIT
 *
 * list.c - where new, unblocked and terminated workers arrive. arrival.c says on which list a
 * worker arrives.
 *
 * A list is a stack. Any thread pushes; a consumer always takes the whole list. So a plain
 * compare-exchange is enough: there is no pop that could meet a recycled head. The newest comes
 * first, as on Windows. Only the push that finds the list empty sets the list's event.
 */
#include "umsshim/core.h"

void ums__list_hold(struct ums_list *list)
{
    atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
}

struct ums_context *ums__list_release(struct ums_context *chain)
{
    struct ums_context *first = NULL, *last = NULL;
    while (chain) {
        struct ums_context *context = chain;
        chain = context->list_next;
        context->list_next = NULL;
        atomic_store_explicit(&context->chain_next, NULL, memory_order_relaxed);
        if (last)
            atomic_store_explicit(&last->chain_next, context, memory_order_relaxed);
        /* Link first: once its state has changed, another thread may own the context. */
        if (ums__state(context) == UMS_QUEUED) {
            ums__state_set(&context->state, UMS_QUEUED, UMS_READY);
        } else if (!ums__state_claim(&context->state, UMS_TERM_QUEUED, UMS_TERMINATED)) {
            if (last)
                atomic_store_explicit(&last->chain_next, NULL, memory_order_relaxed);
            ums__state_set(&context->state, UMS_ZOMBIE, UMS_FREE);
            ums__arena_free(&ums__contexts, context);
            continue;
        }
        if (!first)
            first = context;
        last = context;
    }
    return first;
}

/* The caller read the list's address in a context that it does not own. So the list may be free by
 * now, or be another list. */
static bool hold_if_used(struct ums_list *list)
{
    uint32_t refs = atomic_load_explicit(&list->refs, memory_order_relaxed);
    do
        if (!refs)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&list->refs, &refs, refs + 1,
                                                  memory_order_acquire, memory_order_relaxed));
    return true;
}

static _Atomic(struct ums_list *) unused_lists;

/* The last reference may be dropped on the way from a block to the entry point, on the reactor, or
 * under the lock of an object. There no thread may free memory, as the event's release may do. So
 * ums__lists_sweep frees the list later. */
void ums__list_drop(struct ums_list *list)
{
    if (atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) != 1)
        return;
    ums__list_release(atomic_exchange_explicit(&list->head, NULL, memory_order_acquire));
    struct ums_list *first = atomic_load_explicit(&unused_lists, memory_order_relaxed);
    do
        list->next_unused = first;
    while (!atomic_compare_exchange_weak_explicit(&unused_lists, &first, list, memory_order_release,
                                                  memory_order_relaxed));
}

void ums__lists_sweep(void)
{
    struct ums_list *list = atomic_exchange_explicit(&unused_lists, NULL, memory_order_acquire);
    while (list) {
        struct ums_list *next = list->next_unused;
        plat_event_release(list->event);
        ums__arena_free(&ums__lists, list);
        list = next;
    }
}

/* Reads the event and its life before the push: after it, a thread on another processor may take
 * the context and drop the last reference to the list. The event may belong to another list by
 * then, or to none. plat_event_set compares the life and does nothing in that case (platform.h). To
 * hold a reference across the push would do as well, but costs two locked instructions. */
void ums__list_push(struct ums_list *list, struct ums_context *context)
{
    struct plat_event *event = list->event;
    uint64_t life = list->event_life;
    trace(NULL, TRACE_ARRIVE, &context->plat, ums__list_number(list), 0, 0);
    struct ums_context *head = atomic_load_explicit(&list->head, memory_order_relaxed);
    plat_written(&list->head);
    do
        context->list_next = head;
    while (!atomic_compare_exchange_weak_explicit(&list->head, &head, context, memory_order_release,
                                                  memory_order_relaxed));
    if (!head)
        plat_event_set(event, life);
}

bool ums__list_take(struct ums_context *context)
{
    struct ums_list *list = atomic_load_explicit(&context->list, memory_order_relaxed);
    if (!list || !hold_if_used(list))
        return false;
    struct ums_context *chain = atomic_exchange_explicit(&list->head, NULL, memory_order_acquire);
    bool found = false;
    for (struct ums_context **link = &chain; *link; link = &(*link)->list_next) {
        if (*link == context) {
            *link = context->list_next;
            found = true;
            break;
        }
    }
    if (chain) {
        struct ums_context *last = chain;
        while (last->list_next)
            last = last->list_next;
        struct ums_context *head = atomic_load_explicit(&list->head, memory_order_relaxed);
        do
            last->list_next = head;
        while (!atomic_compare_exchange_weak_explicit(&list->head, &head, chain,
                                                      memory_order_release, memory_order_relaxed));
        /* Meanwhile a consumer may have found the list empty, and sleeps: the event wakes it. */
        if (!head)
            plat_event_set(list->event, list->event_life);
    }
    ums__list_drop(list);
    return found;
}
