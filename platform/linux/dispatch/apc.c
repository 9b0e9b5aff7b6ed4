/* SPDX-License-Identifier: MIT
 *
 * apc.c - asynchronous procedure calls: functions that a thread calls in its next alertable wait.
 *
 * Each thread has a queue of them, under the thread's own lock. A caller that queues a call there
 * calls wait_alert next, with no lock held: that ends the thread's alertable wait.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/wait.h"

static struct apc *first(struct plat_thread *thread)
{
    return atomic_load_explicit(&thread->first_apc, memory_order_relaxed);
}

bool apc_append(struct apc *apc, struct plat_thread *thread)
{
    plat_lock(&thread->own_lock);
    bool open = !thread->ended;
    if (open) {
        if (apc->source)
            apc->source->refs++;
        apc->next = NULL;
        atomic_store_explicit(&apc->thread, thread, memory_order_relaxed);
        if (first(thread))
            thread->last_apc->next = apc;
        else
            atomic_store_explicit(&thread->first_apc, apc, memory_order_relaxed);
        thread->last_apc = apc;
    }
    plat_unlock(&thread->own_lock);
    return open;
}

/* Takes the APC out of its thread's queue. The caller has the thread's own lock. */
static void take_out(struct apc *apc, struct plat_thread *thread)
{
    struct apc *previous = NULL;
    for (struct apc *at = first(thread); at != apc; at = at->next)
        previous = at;
    if (previous)
        previous->next = apc->next;
    else
        atomic_store_explicit(&thread->first_apc, apc->next, memory_order_relaxed);
    if (thread->last_apc == apc)
        thread->last_apc = previous;
    atomic_store_explicit(&apc->thread, NULL, memory_order_relaxed);
}

void apc_withdraw(struct apc *apc, struct plat_thread *thread)
{
    if (!thread)
        return;
    plat_lock(&thread->own_lock);
    bool queued = atomic_load_explicit(&apc->thread, memory_order_relaxed) != NULL;
    if (queued)
        take_out(apc, thread);
    plat_unlock(&thread->own_lock);
    if (queued)
        object_unref(apc->source);
}

int apc_queue(struct plat_thread *thread, void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a,
              uintptr_t b, uintptr_t c)
{
    struct apc *apc = malloc(sizeof *apc);
    if (!apc)
        return 8;
    *apc = (struct apc){.fn = fn, .a = a, .b = b, .c = c};
    if (!apc_append(apc, thread)) {
        free(apc);
        return 31; /* ERROR_GEN_FAILURE */
    }
    wait_alert(thread);
    return 0;
}

/* Takes the first call out, as a copy: the original may be queued again at once, or be freed with
 * its object. */
static bool take_first(struct plat_thread *thread, struct apc *copy)
{
    plat_lock(&thread->own_lock);
    struct apc *apc = first(thread);
    if (apc) {
        *copy = *apc;
        take_out(apc, thread);
    }
    plat_unlock(&thread->own_lock);
    if (apc && copy->source)
        object_drop(copy->source);
    else
        free(apc);
    return apc != NULL;
}

bool apcs_run(void)
{
    struct plat_thread *self = plat_tls.thread;
    struct apc apc;
    bool any = false;
    for (; self && take_first(self, &apc); any = true)
        apc.fn(apc.a, apc.b, apc.c);
    return any;
}

void apcs_discard(struct plat_thread *thread)
{
    struct apc apc;
    while (take_first(thread, &apc))
        continue;
}
