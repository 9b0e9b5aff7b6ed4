/* SPDX-License-Identifier: MIT
 *
 * offer.c - whether an object, also one that processes share, satisfies a wait that begins, or the
 * waits on its list.
 */
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

/* Decides all waits for the object alone, or for any of several with it, whatever its state is by
 * now. */
static void let_all_go(struct object *object, struct wait **chain)
{
    for (struct wait_block *block = object->first, *next; block; block = next) {
        struct wait *wait = block->wait;
        next = block->next;
        if (wait->all || (wait->any && !wait_claim(wait)))
            continue;
        uint32_t result = wait->any ? (uint32_t)(block - wait->blocks) : 0;
        if (!wait->any)
            wait_block_remove(block);
        wait_set_result_in(wait, result, chain);
    }
}

/* `let_go`: the event has let the waits on its list go. `all`: decides waits for all, too, with the
 * all-lock. */
static void release(struct object *object, bool let_go, bool all, struct wait **chain)
{
    bool offers = true;
    if (let_go && object->type == OBJECT_SHARED_MANUAL_EVENT)
        let_all_go(object, chain);
    for (struct wait_block *block = object->first, *next; block && (offers || object->all_waits);
         block = next) {
        struct wait *wait = block->wait;
        next = block->next;
        if (wait->all) {
            if (all && (offers || block->seen != proxy_times(object)))
                wait_satisfy_all(wait, object, chain);
            continue;
        }
        offers = offers && proxy_offers_waiter(object, wait, let_go);
        if (!offers)
            continue;
        if (wait->any && !wait_claim(wait)) {
            proxy_keep(object);
            continue; /* its waiter takes it off the list */
        }
        uint32_t result = object_consume(object, wait);
        if (wait->any)
            result += (uint32_t)(block - wait->blocks);
        else
            wait_block_remove(block);
        wait_set_result_in(wait, result, chain);
    }
}

void object_release_shared(struct object *object, struct wait **chain)
{
    release(object, proxy_lets_go(object), true, chain);
}

/* Decides the waits that the event has let go, before a new wait begins, which is not one of them.
 * Leaves waits for all to the bell, which takes the all-lock. */
static void let_earlier_go(struct object *object)
{
    struct wait *chain = NULL;
    if (UMS_UNLIKELY(proxy_may_let_go(object)) && proxy_lets_go(object) && object->first)
        release(object, true, false, &chain);
    if (UMS_UNLIKELY(chain != NULL))
        proxy_owe(object, chain);
}

bool objects_offer_all(struct object *const *objects, unsigned count, struct wait *wait)
{
    for (unsigned i = 0; i < count; i++)
        if (object_is_proxy(objects[i]))
            let_earlier_go(objects[i]);
    return objects_offer(objects, sizeof(struct object *), count, wait);
}

void object_expect(struct object *object)
{
    let_earlier_go(object);
    proxy_expect(object);
}

static __attribute__((noinline)) bool shared_offers(struct object *object, struct wait *wait)
{
    let_earlier_go(object);
    return proxy_offers(object, wait);
}

bool object_offers_more(struct object *object, struct wait *wait)
{
    return object->type == OBJECT_MUTEX ? object_ready(object, wait) : shared_offers(object, wait);
}
