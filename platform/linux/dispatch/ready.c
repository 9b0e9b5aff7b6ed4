/* SPDX-License-Identifier: MIT
 *
 * ready.c - whether an object, or all of several, has a signal that satisfies a wait.
 */
#include "platform/linux/dispatch/waiters.h"

static bool owned_by(const struct object *object, const struct wait *wait)
{
    return wait->thread && ((const struct mutex *)object)->owner == wait->thread;
}

bool object_ready_more(const struct object *object, const struct wait *wait)
{
    return object->type == OBJECT_MUTEX ? owned_by(object, wait) : proxy_ready(object, wait);
}

/* ---- All of several -------------------------------------------------------------------------- */

static struct object *object_at(const void *first, size_t apart, unsigned i)
{
    return *(struct object *const *)((const char *)first + apart * i);
}

/* A wait that begins is on no list, and has no blocks yet. */
static bool proxy_offers_one_of(struct object *object, unsigned i, struct wait *wait)
{
    return wait->count ? proxy_offers_since(object, wait, wait->blocks[i].seen)
                       : proxy_offers(object, wait);
}

/* Takes their words in the order of their files, so that processes that want several words at once
 * do not wait for each other. */
static bool proxies_offer(const void *first, size_t apart, unsigned count, struct wait *wait)
{
    for (struct object *last = NULL, *next;; last = next) {
        unsigned at = 0;
        next = NULL;
        for (unsigned i = 0; i < count; i++) {
            struct object *object = object_at(first, apart, i);
            if (object_is_proxy(object) && (!last || proxy_order(object) > proxy_order(last)) &&
                (!next || proxy_order(object) < proxy_order(next))) {
                next = object;
                at = i;
            }
        }
        if (!next)
            return true;
        if (proxy_offers_one_of(next, at, wait))
            continue;
        for (unsigned i = 0; last && i < count; i++)
            if (object_is_proxy(object_at(first, apart, i)) &&
                proxy_order(object_at(first, apart, i)) <= proxy_order(last))
                proxy_keep(object_at(first, apart, i));
        return false;
    }
}

bool objects_offer(const void *first, size_t apart, unsigned count, struct wait *wait)
{
    bool proxies = false;
    for (unsigned i = 0; i < count; i++) {
        struct object *object = object_at(first, apart, i);
        if (object_is_proxy(object))
            proxies = true;
        else if (!object_ready(object, wait))
            return false;
    }
    return !proxies || proxies_offer(first, apart, count, wait);
}
