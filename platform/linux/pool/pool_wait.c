/* SPDX-License-Identifier: MIT
 *
 * pool_wait.c - items whose callback an object asks for, when it is signalled.
 *
 * Each time an item is set to wait it gets a watch. A decided watch asks for the callback whatever
 * happened to the item meanwhile, for it may have taken the object's signal. The thread that
 * decides a watch must not use the heap, so it cannot free it: the watch goes on the item's `spent`
 * list.
 */
#include <stdlib.h>

#include "platform/linux/pool/pool_parts.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/watch.h"

struct pool_watch {
    struct pool_wait *wait; /* with a reference until it is decided */
    struct watch *watch;
    struct pool_watch *next;
};

/* Called when a watch is decided, on any thread. */
static void decided(void *arg, uint32_t result)
{
    struct pool_watch *watch = arg;
    struct pool_wait *wait = watch->wait;
    plat_lock(&wait->item.pool->lock);
    if (wait->current == watch)
        wait->current = NULL;
    else
        wait->item.coming--;
    watch->next = wait->spent;
    wait->spent = watch;
    pool_submit_locked(&wait->item, result == WAITED_TIMEOUT);
    wait->item.refs--; /* not the last: the callback has one */
    pool_unlock_attend(wait->item.pool);
}

static void free_watch(struct pool_watch *watch)
{
    watch_free(watch->watch);
    free(watch);
}

static void free_watches(struct pool_watch *watch)
{
    while (watch) {
        struct pool_watch *next = watch->next;
        free_watch(watch);
        watch = next;
    }
}

static struct pool_watch *new_watch(struct pool_wait *wait, struct object *object)
{
    struct pool_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->wait = wait;
    watch->watch = watch_create(object, decided, watch);
    if (!watch->watch) {
        free(watch);
        return NULL;
    }
    return watch;
}

/* With wait->setting held: puts `fresh` in the place of the watch that is there. Returns the old
 * watch for the caller to free; NULL: there was none, or it was decided, and the thread that
 * decided it asks for a callback next. Until it has, `coming` keeps the item busy. */
static struct pool_watch *replace(struct pool_wait *wait, struct pool_watch *fresh)
{
    plat_lock(&wait->item.pool->lock);
    struct pool_watch *old = wait->current;
    wait->current = fresh;
    wait->item.refs += fresh != NULL;
    wait->item.coming += old != NULL;
    plat_unlock(&wait->item.pool->lock);
    if (!old || !watch_stop(old->watch))
        return NULL;
    plat_lock(&wait->item.pool->lock);
    wait->item.coming--;
    wait->item.refs--; /* not the last: the caller has one */
    bool wake = pool_item_idle(&wait->item);
    plat_unlock(&wait->item.pool->lock);
    if (wake)
        pool_wake_waiters(&wait->item);
    return old;
}

int pool_wait_set(struct pool_wait *wait, struct object *object, uint64_t deadline,
                  bool *taken_back)
{
    struct pool_watch *fresh = object ? new_watch(wait, object) : NULL;
    if (object && !fresh)
        return 8;
    if (!proxies_join() && object && object_is_proxy(object)) {
        free_watch(fresh);
        return 8;
    }
    plat_lock(&wait->setting);
    struct pool_watch *old = replace(wait, fresh);
    plat_lock(&wait->item.pool->lock);
    struct pool_watch *spent = wait->spent;
    wait->spent = NULL;
    plat_unlock(&wait->item.pool->lock);
    if (fresh)
        watch_start(fresh->watch, deadline);
    plat_unlock(&wait->setting);
    if (taken_back)
        *taken_back = old != NULL;
    if (old)
        free_watch(old);
    free_watches(spent);
    return 0;
}

void pool_wait_again(struct pool_wait *wait, uint64_t deadline)
{
    proxies_join();
    plat_lock(&wait->setting);
    struct pool_watch *watch = NULL;
    plat_lock(&wait->item.pool->lock);
    if (!wait->ended && wait->spent) {
        watch = wait->spent;
        wait->spent = watch->next;
        wait->current = watch;
        wait->item.refs++;
    }
    plat_unlock(&wait->item.pool->lock);
    if (watch)
        watch_start(watch->watch, deadline);
    plat_unlock(&wait->setting);
}

static void stop(struct pool_item *item)
{
    struct pool_wait *wait = (struct pool_wait *)item;
    plat_lock(&wait->setting);
    wait->ended = true;
    plat_unlock(&wait->setting);
    pool_wait_set(wait, NULL, 0, NULL);
}

int pool_wait_init(struct pool_wait *wait, struct pool *pool, struct pool_group *group)
{
    wait->item.stop = stop;
    return pool_item_init(&wait->item, pool, group);
}

void pool_wait_clear(struct pool_wait *wait)
{
    free_watches(wait->spent);
}
