/* SPDX-License-Identifier: MIT
 *
 * pool_item.c - items of a pool: asking for callbacks, waiting for them, and groups.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/pool/pool_parts.h"

/* Of all groups' members; taken before pools' locks. A thread takes it only for an item in a
 * group. */
static PLAT_LOCK(GROUPS) groups_lock;

/* ---- Under the pool's lock ------------------------------------------------------------------- */

void pool_enqueue(struct pool_item *item)
{
    struct pool *pool = item->pool;
    item->queued = true;
    CHAIN_APPEND(&pool->items, item, next_queued, previous_queued);
}

void pool_dequeue(struct pool_item *item)
{
    struct pool *pool = item->pool;
    CHAIN_REMOVE(&pool->items, item, next_queued, previous_queued);
    item->queued = false;
}

void pool_submit_locked(struct pool_item *item, bool timed_out)
{
    item->pending++;
    item->timeouts += timed_out;
    item->refs++;
    item->pool->queued++;
    if (!item->queued)
        pool_enqueue(item);
}

bool pool_item_unref(struct pool_item *item)
{
    UMS_CHECK(item->refs, item, item->pending);
    return --item->refs == 0;
}

void pool_end_later(struct pool_item *item)
{
    item->pool->queued++;
    pool_enqueue(item);
}

bool pool_item_idle(struct pool_item *item)
{
    if (pool_item_busy(item))
        return false;
    atomic_fetch_add_explicit(&item->idles, 1, memory_order_release);
    return item->waiters > 0;
}

/* ---- Without --------------------------------------------------------------------------------- */

/* The item leaves its group, unless the group was closed meanwhile. */
static void leave_group(struct pool_item *item)
{
    plat_lock(&groups_lock);
    if (item->group)
        CHAIN_REMOVE(&item->group->members, item, next_member, previous_member);
    plat_unlock(&groups_lock);
}

void pool_item_end(struct pool_item *item)
{
    struct pool *pool = item->pool;
    struct object *done = item->done;
    if (item->grouped)
        leave_group(item);
    item->destroy(item);
    pool_release(pool);
    if (done) {
        object_signal(done);
        object_drop(done);
    }
}

void pool_wake_waiters(struct pool_item *item)
{
    address_wake(&item->idles, UINT32_MAX, NULL, NULL);
}

int pool_item_init(struct pool_item *item, struct pool *pool, struct pool_group *group)
{
    item->pool = pool_hold(pool);
    if (!item->pool)
        return 8;
    item->refs = 1;
    item->group = group;
    item->grouped = group != NULL;
    if (!group)
        return 0;
    plat_lock(&groups_lock);
    CHAIN_PREPEND(&group->members, item, next_member, previous_member);
    plat_unlock(&groups_lock);
    return 0;
}

void pool_submit(struct pool_item *item)
{
    plat_lock(&item->pool->lock);
    pool_submit_locked(item, false);
    pool_unlock_attend(item->pool);
}

void pool_submit_once(struct pool_item *item)
{
    plat_lock(&item->pool->lock);
    pool_submit_locked(item, false);
    item->closed = true;
    item->refs--;
    pool_unlock_attend(item->pool);
}

uint32_t pool_cancel(struct pool_item *item)
{
    plat_lock(&item->pool->lock);
    uint32_t count = item->pending;
    bool wake = false, last = false;
    if (count) {
        pool_dequeue(item);
        item->pool->queued -= count;
        item->pending = item->timeouts = 0;
        wake = pool_item_idle(item);
        item->refs -= count - 1;
        last = pool_item_unref(item);
    }
    plat_unlock(&item->pool->lock);
    if (wake)
        pool_wake_waiters(item);
    if (last)
        pool_item_end(item);
    return count;
}

struct idle_wait {
    struct pool_item *item;
    uint32_t seen;
};

static bool still_busy(void *arg)
{
    struct idle_wait *wait = arg;
    return atomic_load_explicit(&wait->item->idles, memory_order_acquire) == wait->seen;
}
LAYOUT_WAIT("a thread pool's callbacks", still_busy);

void pool_wait_idle(struct pool_item *item)
{
    struct idle_wait wait = {.item = item};
    plat_lock(&item->pool->lock);
    bool busy = pool_item_busy(item), last = false;
    if (busy) {
        wait.seen = atomic_load_explicit(&item->idles, memory_order_relaxed);
        item->refs++;
        item->waiters++;
        plat_unlock(&item->pool->lock);
        while (still_busy(&wait))
            address_wait(&item->idles, still_busy, NULL, &wait, PLAT_FOREVER);
        plat_lock(&item->pool->lock);
        item->waiters--;
        last = pool_item_unref(item);
    }
    plat_unlock(&item->pool->lock);
    if (last)
        pool_item_end(item);
}

static bool still_apart(void *arg)
{
    struct pool_item *item = arg;
    return atomic_load_explicit(&item->apart, memory_order_acquire) != 0;
}
LAYOUT_WAIT("a thread pool's callbacks", still_apart);

/* The caller has a reference. */
static void wait_for_dissociated(struct pool_item *item)
{
    while (still_apart(item))
        address_wait(&item->apart, still_apart, NULL, item, PLAT_FOREVER);
}

bool pool_item_close(struct pool_item *item, struct object *done)
{
    plat_lock(&item->pool->lock);
    bool idle = !pool_item_busy(item);
    bool last = !item->closed && pool_item_unref(item);
    item->closed = true;
    item->done = done;
    plat_unlock(&item->pool->lock);
    if (last)
        pool_item_end(item);
    return idle;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Takes all members out of the group, with a reference to each. Returns the first of their chain,
 * which no other thread changes. A member without a reference is about to be destroyed, and leaves
 * by itself. */
static struct pool_item *take_members(struct pool_group *group)
{
    struct pool_item *next;
    plat_lock(&groups_lock);
    for (struct pool_item *item = group->members.first; item; item = next) {
        next = item->next_member;
        item->group = NULL;
        plat_lock(&item->pool->lock);
        bool lives = item->refs > 0;
        item->refs += lives;
        plat_unlock(&item->pool->lock);
        if (!lives)
            CHAIN_REMOVE(&group->members, item, next_member, previous_member);
    }
    struct pool_item *members = group->members.first;
    group->members.first = group->members.last = NULL;
    plat_unlock(&groups_lock);
    return members;
}

bool pool_group_close(struct pool_group *group, int how,
                      void (*cancelled)(struct pool_item *item, void *arg), void *arg)
{
    struct pool_item *members = take_members(group), *next;

    /* Stops all before it waits for one: so no callback of another begins meanwhile. */
    for (struct pool_item *item = members; item; item = item->next_member) {
        if (item->stop)
            item->stop(item);
        bool taken = how & GROUP_CANCEL && pool_cancel(item);
        plat_lock(&item->pool->lock);
        item->cancelled = taken || !item->closed;
        plat_unlock(&item->pool->lock);
    }
    for (struct pool_item *item = members; item && how & GROUP_WAIT; item = item->next_member) {
        pool_wait_idle(item);
        wait_for_dissociated(item);
    }
    for (struct pool_item *item = members; item && cancelled; item = item->next_member)
        if (item->cancelled)
            cancelled(item, arg);
    bool idle = true;
    for (struct pool_item *item = members; item; item = next) {
        next = item->next_member;
        plat_lock(&item->pool->lock);
        idle &= !pool_item_busy(item);
        if (!item->closed)
            item->refs--;
        item->closed = true;
        bool last = pool_item_unref(item);
        plat_unlock(&item->pool->lock);
        if (last)
            pool_item_end(item);
    }
    return idle;
}

void pool_groups_forget(void)
{
    plat_lock_forget(&groups_lock);
}
