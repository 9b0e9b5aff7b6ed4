/* SPDX-License-Identifier: MIT
 *
 * proxy_signal.c - see proxy.h: how a proxy's word is changed to signal it, and the bell's look.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/proxy_list.h"
#include "platform/linux/dispatch/shared_word.h"

static struct proxy *proxy_of(struct object *object)
{
    return (struct proxy *)object;
}

/* Whether an action is one for this type. */
static bool fits(enum object_type type, enum object_action action)
{
    switch (action) {
    case SEMAPHORE_ADD:
        return type == OBJECT_SHARED_SEMAPHORE;
    case MUTEX_GIVE:
        return type == OBJECT_SHARED_MUTEX;
    default:
        return type == OBJECT_SHARED_AUTO_EVENT || type == OBJECT_SHARED_MANUAL_EVENT;
    }
}

static uint64_t word_after(enum object_type type, uint64_t word, enum object_action action,
                           int32_t count)
{
    bool manual = type == OBJECT_SHARED_MANUAL_EVENT;
    uint32_t once_more = (word_times(word) + 1) << 1;
    switch (action) {
    case EVENT_RESET:
        return word & ~WORD_SIGNAL;
    case EVENT_SET:
        return manual ? word_with(word, once_more | WORD_SIGNAL) : word | WORD_SIGNAL;
    case EVENT_PULSE:
        return word_with(word, once_more) | (manual ? 0 : WORD_PULSED);
    case SEMAPHORE_ADD:
        return word_with(word, word_value(word) + (uint32_t)count);
    default:
        return word_with(word, 0);
    }
}

/* Rings at other processes that wait, then gives the word, which this process holds, its new value
 * (shared_word.h). Each eighth time that others wait, it leaves this process's waits to the bell,
 * too, so that no other process waits for ever. `now`: not this time, since this process's waits
 * for all are not to miss a pulse. */
static void change(struct proxy *proxy, uint64_t to, bool now, struct wait **chain)
{
    enum { TURN = 8 };
    struct object *object = &proxy->mutex.object;
    uint64_t which = proxy_bucket(proxy);
    bool others = waiting_ring(proxy->page, which);
    if (atomic_load_explicit(&proxy->twin, memory_order_relaxed)) {
        peer_ring_self(which);
        others = true;
    }
    word_let_go(proxy->page, to);
    if (others && object->type != OBJECT_SHARED_MANUAL_EVENT && !now &&
        ++proxy->hand_overs % TURN == 0) {
        if (object->first)
            peer_ring_self(which);
        return;
    }
    object_release_shared(object, chain);
}

/* Gives the mutex back once. False: the calling thread does not own it. *held: it still owns it. */
static bool give(struct proxy *proxy, bool *held)
{
    struct mutex *mutex = &proxy->mutex;
    if (!mutex->owner || mutex->owner != plat_tls.thread)
        return false;
    *held = ++mutex->object.signal < 0;
    if (!*held)
        mutex_disown(mutex);
    return true;
}

int proxy_act(struct object *object, int action, int32_t count, struct wait **chain)
{
    struct proxy *proxy = proxy_of(object);
    bool held = false;
    uint64_t word;
    if (!object_is_proxy(object) || !fits(object->type, action))
        return 6;
    if (!peer_self())
        return 8; /* a child after fork that could not become one of the processes */
    if (action == MUTEX_GIVE && !give(proxy, &held))
        return 288;
    if (held)
        return 0;
    word = word_hold(proxy->page);
    if (action == SEMAPHORE_ADD && (int64_t)word_value(word) + count > proxy->limit) {
        word_let_go(proxy->page, word);
        return 298;
    }
    proxy->before = (int32_t)word_value(word);
    if (action == EVENT_RESET)
        word_let_go(proxy->page, word_after(object->type, word, action, count));
    else
        change(proxy, word_after(object->type, word, action, count), action == EVENT_PULSE, chain);
    return 0;
}

int32_t proxy_count_before(const struct object *object)
{
    return ((const struct proxy *)object)->before;
}

void proxy_abandon(struct object *object, struct wait **chain)
{
    struct proxy *proxy = proxy_of(object);
    object->signal = 0;
    mutex_disown(&proxy->mutex);
    uint64_t word = word_hold(proxy->page);
    change(proxy, word_with(word, 0) | WORD_ABANDONED, false, chain);
}

/* ---- For the bell ---------------------------------------------------------------------------- */

bool proxy_look(struct proxy *proxy, struct wait **chain)
{
    struct object *object = &proxy->mutex.object;
    for (struct wait *wait; (wait = proxy->owed);) {
        proxy->owed = wait->to_open;
        wait->to_open = *chain;
        *chain = wait;
        if (!proxy->owed)
            object_unref(object);
    }
    object_release_shared(object, chain);
    if (object->first)
        return true;
    uint64_t word = word_hold(proxy->page);
    if (!atomic_load_explicit(&proxy->twin, memory_order_relaxed)) /* a twin may have waiters */
        waiting_clear(proxy->page);
    word_let_go(proxy->page, word);
    return false;
}
