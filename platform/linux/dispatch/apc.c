/* SPDX-License-Identifier: MIT
 *
 * apc.c - asynchronous procedure calls: functions that a thread calls in its next alertable wait.
 *
 * The queue belongs to the thread and is under the dispatcher lock, like the wait that it ends.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

bool apc_queue_locked(struct apc *apc, struct plat_thread *thread, struct wait **chain)
{
    if (thread->ended)
        return false;
    if (apc->source)
        apc->source->refs++;
    apc->next = NULL;
    apc->thread = thread;
    if (thread->last_apc)
        thread->last_apc->next = apc;
    else
        thread->first_apc = apc;
    thread->last_apc = apc;
    if (thread->wait && thread->wait->alertable)
        wait_decide(thread->wait, WAITED_APC, chain);
    return true;
}

void apc_withdraw(struct apc *apc)
{
    struct plat_thread *thread = apc->thread;
    struct apc *previous = NULL;
    if (!thread)
        return;
    for (struct apc *at = thread->first_apc; at != apc; at = at->next)
        previous = at;
    if (previous)
        previous->next = apc->next;
    else
        thread->first_apc = apc->next;
    if (thread->last_apc == apc)
        thread->last_apc = previous;
    apc->thread = NULL;
    if (apc->source)
        object_unref(apc->source);
}

int apc_queue(struct plat_thread *thread, void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a,
              uintptr_t b, uintptr_t c)
{
    struct wait *chain = NULL;
    struct apc *apc = malloc(sizeof *apc);
    if (!apc)
        return 8;
    *apc = (struct apc){.fn = fn, .a = a, .b = b, .c = c};
    plat_lock(&dispatcher_lock);
    bool queued = apc_queue_locked(apc, thread, &chain);
    dispatcher_unlock(chain);
    if (queued)
        return 0;
    free(apc);
    return 31; /* ERROR_GEN_FAILURE */
}

/* A copy, as the original may be queued anew at once, or go with its object. */
static bool take_first(struct plat_thread *thread, struct apc *copy)
{
    plat_lock(&dispatcher_lock);
    struct apc *apc = thread->first_apc;
    if (apc) {
        *copy = *apc;
        apc_withdraw(apc);
    }
    dispatcher_unlock(NULL);
    if (apc && !copy->source)
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
