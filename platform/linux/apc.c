/* SPDX-License-Identifier: MIT
 *
 * apc.c - asynchronous procedure calls: functions that a thread calls in its next alertable wait.
 *
 * The queue belongs to the thread and is under the dispatcher lock, like the wait that it ends.
 */
#include <stdlib.h>

#include "platform/linux/dispatcher.h"

struct apc {
    struct apc *next;
    void (*fn)(uintptr_t, uintptr_t, uintptr_t);
    uintptr_t a, b, c;
    struct object *source; /* with a reference; NULL: it has none */
    bool *queued;          /* in the source: cleared when the call leaves the queue */
};

struct apc *apc_new(void)
{
    return malloc(sizeof(struct apc));
}

void apc_free(struct apc *apc)
{
    free(apc);
}

struct apc *apc_queue_locked(struct apc *apc, struct plat_thread *thread,
                             void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a, uintptr_t b,
                             uintptr_t c, struct object *source, bool *queued, struct wait **chain)
{
    if (thread->ended)
        return apc;
    *apc = (struct apc){NULL, fn, a, b, c, source, queued};
    if (source) {
        source->refs++;
        *queued = true;
    }
    if (thread->last_apc)
        thread->last_apc->next = apc;
    else
        thread->first_apc = apc;
    thread->last_apc = apc;
    if (thread->wait && thread->wait->alertable)
        wait_decide(thread->wait, WAITED_APC, chain);
    return NULL;
}

int apc_queue(struct plat_thread *thread, void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a,
              uintptr_t b, uintptr_t c)
{
    struct wait *chain = NULL;
    struct apc *apc = apc_new();
    if (!apc)
        return 8;
    plat_lock(&dispatcher_lock);
    apc = apc_queue_locked(apc, thread, fn, a, b, c, NULL, NULL, &chain);
    dispatcher_unlock(chain);
    if (!apc)
        return 0;
    free(apc);
    return 31; /* ERROR_GEN_FAILURE */
}

static struct apc *take_first(struct plat_thread *thread)
{
    plat_lock(&dispatcher_lock);
    struct apc *apc = thread->first_apc;
    if (apc) {
        thread->first_apc = apc->next;
        if (apc->source) {
            *apc->queued = false;
            object_unref(apc->source);
        }
    }
    if (!thread->first_apc)
        thread->last_apc = NULL;
    dispatcher_unlock(NULL);
    return apc;
}

bool apcs_run(void)
{
    struct plat_thread *self = plat_tls.thread;
    bool any = false;
    for (struct apc *apc; self && (apc = take_first(self)); any = true) {
        struct apc own = *apc;
        free(apc);
        own.fn(own.a, own.b, own.c);
    }
    return any;
}

void apcs_discard(struct plat_thread *thread)
{
    for (struct apc *apc; (apc = take_first(thread));)
        free(apc);
}
