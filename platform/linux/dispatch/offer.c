/* SPDX-License-Identifier: MIT
 *
 * offer.c - whether an object, also one that processes share, satisfies a wait that begins, or the
 * waits on its list.
 */
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

/* Decides all waits for the object alone, or for any of several with it, whatever its state is by
 * now. Leaves waits for all of several: another process's signal may be over, and this process does
 * not know what the other objects were then. A signal of this thread satisfies those as well
 * (`passes`). */
void object_let_all_go(struct object *object, struct wait **chain)
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

/* Decides the waits that a signal has let go, before a new wait begins, which is not one of
 * them. */
static void let_earlier_go(struct object *object)
{
    if (proxy_lets_go(object) && object->first)
        object_let_all_go(object, proxy_owed(object));
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

/* ---- A proxy that was signalled ------------------------------------------------------------ */

void object_release_shared(struct object *object, struct wait **chain)
{
    if (proxy_lets_go(object))
        object_let_all_go(object, chain);
    for (struct wait_block *block = object->first, *next; block; block = next) {
        struct wait *wait = block->wait;
        next = block->next;
        if (wait->all) {
            wait_satisfy_all(wait, object, chain);
            continue;
        }
        if (!proxy_offers_waiter(object, wait))
            break;
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
