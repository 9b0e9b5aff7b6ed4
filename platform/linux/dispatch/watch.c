/* SPDX-License-Identifier: MIT
 *
 * watch.c - waits without a thread: a function is called when an object is signalled.
 *
 * A watch is a wait that calls a function when it is decided. So a thousand registered waits cost
 * no thread.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/dispatch/watch.h"

struct watch {
    struct wait wait;
    struct wait_block block;
    void (*fn)(void *arg, uint32_t result);
    void *arg;
};

static void notify(struct wait *wait)
{
    struct watch *watch = (struct watch *)wait;
    watch->fn(watch->arg, wait->result);
}

struct watch *watch_create(struct object *object, void (*fn)(void *arg, uint32_t result), void *arg)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    object_hold(object);
    watch->block.object = object;
    watch->fn = fn;
    watch->arg = arg;
    return watch;
}

void watch_start(struct watch *watch, uint64_t deadline)
{
    struct wait *wait = &watch->wait, *chain = NULL;
    wait_disarm_timer(wait);
    wait_init(wait, &watch->block, NULL);
    wait->notify = notify;
    /* No thread could own a mutex by a watch: callers refuse mutexes. */
    UMS_CHECK(!object_is_mutex(watch->block.object), watch, 0);
    struct object *object = watch->block.object;
    plat_lock(&object->lock);
    bool offers = object_offers(object, wait);
    wait_enqueue_only(wait, object);
    if (offers)
        wait_decide(wait, object_consume(object, wait), &chain);
    else if (!deadline)
        wait_decide(wait, WAITED_TIMEOUT, &chain);
    else if (deadline != PLAT_FOREVER)
        wait_arm(wait, deadline);
    object_unlock(object);
    waits_open(chain);
}

bool watch_stop(struct watch *watch)
{
    struct object *object = watch->block.object;
    struct wait *chain = NULL;
    plat_lock(&object->lock);
    bool stopped = !watch->wait.decided && watch->wait.notify;
    if (stopped)
        wait_decide(&watch->wait, WAITED_CANCELLED, &chain);
    object_unlock(object);
    return stopped;
}

void watch_free(struct watch *watch)
{
    wait_disarm_timer(&watch->wait);
    object_drop(watch->block.object);
    free(watch);
}
