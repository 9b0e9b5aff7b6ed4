/* SPDX-License-Identifier: MIT
 *
 * proxy.c - see proxy.h: whether a proxy's word satisfies a wait, and how a wait takes a signal.
 */
#include "platform/linux/dispatch/proxy.h"

#include "platform/linux/dispatch/proxy_list.h"
#include "platform/linux/dispatch/shared_word.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

_Atomic bool proxies_apart;

static struct proxy *proxy_of(struct object *object)
{
    return (struct proxy *)object;
}

/* ---- To take --------------------------------------------------------------------------------- */

/* Whether it is a mutex whose owner, another process, has died. */
static bool left(const struct proxy *proxy, uint64_t word)
{
    uint32_t owner = word_value(word);
    return proxy->mutex.object.type == OBJECT_SHARED_MUTEX && owner && !peer_alive(owner);
}

bool proxy_ready(const struct object *object, const struct wait *wait)
{
    const struct proxy *proxy = (const struct proxy *)object;
    uint64_t word = word_look(proxy->page);
    return signalled(object->type, word) || left(proxy, word) ||
           (proxy->mutex.owner && proxy->mutex.owner == wait->thread);
}

uint32_t proxy_times(const struct object *object)
{
    return word_times(word_look(((const struct proxy *)object)->page));
}

bool proxy_lets_go(struct object *object)
{
    struct proxy *proxy = proxy_of(object);
    if (!object_is_event(object) || !peer_self())
        return false;
    uint64_t word = word_hold(proxy->page); /* a process that has rung may be about to change it */
    word_let_go(proxy->page, word);
    if (proxy->let_go == word_times(word))
        return false;
    proxy->let_go = word_times(word);
    proxy->missed = proxy->expected;
    return true;
}

void proxy_owe(struct object *object, struct wait *chain)
{
    struct proxy *proxy = proxy_of(object);
    struct wait *last = chain;
    if (!proxy->owed)
        object->refs++;
    while (last->to_open)
        last = last->to_open;
    last->to_open = proxy->owed;
    proxy->owed = chain;
    peer_ring_self(proxy_bucket(proxy));
}

/* Ends what proxy_expect began. True: an event has let its waiters go meanwhile. */
static bool came(struct proxy *proxy)
{
    bool missed = proxy->missed;
    proxy->expected = proxy->missed = false;
    return missed;
}

/* Rings the bell thread, once for each owner in another process, so that it watches for that
 * process's end. */
static void have_watched(struct proxy *proxy, uint32_t owner)
{
    if (owner == peer_self() || owner == proxy->watched)
        return;
    proxy->watched = owner;
    peer_ring_self(proxy_bucket(proxy));
}

/* `let_go`: the event has let the wait go, whatever the word is by now; an auto-reset event that
 * was pulsed lets only the first go. It has done so, too, if `since` is not NULL and it has let
 * waits go more often than that. True: the wait is satisfied, and this process holds the word. */
static bool offers(struct proxy *proxy, bool let_go, const uint32_t *since)
{
    struct shared_page *page = proxy->page;
    enum object_type type = proxy->mutex.object.type;
    uint64_t word = word_hold(page);
    let_go = let_go || (since && word_times(word) != *since);
    proxy->by_pulse = let_go && word & WORD_PULSED;
    if (proxy->by_pulse || (let_go && type == OBJECT_SHARED_MANUAL_EVENT) ||
        signalled(type, word) || left(proxy, word))
        return true;
    if (!proxy->mutex.object.first) /* no wait that it has let go: the one that begins is not */
        proxy->let_go = word_times(word);
    waiting_set(page);
    word_let_go(page, word);
    if (type == OBJECT_SHARED_MUTEX)
        have_watched(proxy, word_value(word));
    return false;
}

/* True: *result is the answer, without a look at the word. A child after fork that could not become
 * one of the processes offers nothing. */
static bool answered(struct proxy *proxy, const struct wait *wait, bool *result)
{
    *result = proxy->mutex.owner && proxy->mutex.owner == wait->thread;
    return proxy->mutex.owner || !peer_self();
}

bool proxy_offers(struct object *object, const struct wait *wait)
{
    struct proxy *proxy = proxy_of(object);
    const uint32_t *since = proxy->expected && !object->first ? &proxy->let_go : NULL;
    bool result, let_go = came(proxy);
    return answered(proxy, wait, &result) ? result : offers(proxy, let_go, since);
}

bool proxy_offers_waiter(struct object *object, const struct wait *wait, bool let_go)
{
    struct proxy *proxy = proxy_of(object);
    bool result;
    return answered(proxy, wait, &result) ? result : offers(proxy, let_go, NULL);
}

bool proxy_offers_since(struct object *object, const struct wait *wait, uint32_t seen)
{
    struct proxy *proxy = proxy_of(object);
    bool result;
    return answered(proxy, wait, &result) ? result : offers(proxy, false, &seen);
}

uint32_t proxy_await(struct object *object)
{
    struct shared_page *page = proxy_of(object)->page;
    if (!peer_self())
        return proxy_times(object);
    uint64_t word = word_hold(page);
    waiting_set(page);
    word_let_go(page, word);
    return word_times(word);
}

void proxy_expect(struct object *object)
{
    proxy_await(object);
    proxy_of(object)->expected = true;
}

void proxy_expect_no_more(struct object *object)
{
    came(proxy_of(object));
}

void proxy_keep(struct object *object)
{
    struct proxy *proxy = proxy_of(object);
    if (!proxy->mutex.owner) /* the thread has it already, and a twin may hold the word */
        word_let_go(proxy->page, word_look(proxy->page));
}

uint32_t proxy_consume(struct object *object, const struct wait *wait)
{
    struct proxy *proxy = proxy_of(object);
    uint64_t word = word_look(proxy->page);
    bool abandoned = false;
    switch (object->type) {
    case OBJECT_SHARED_AUTO_EVENT:
        word &= ~(proxy->by_pulse ? WORD_PULSED : WORD_SIGNAL);
        break;
    case OBJECT_SHARED_SEMAPHORE:
        word = word_with(word, word_value(word) - 1);
        break;
    case OBJECT_SHARED_MUTEX:
        if (!proxy->mutex.owner) {
            abandoned = word & WORD_ABANDONED || word_value(word);
            word_let_go(proxy->page, peer_self());
        }
        mutex_take(&proxy->mutex, wait->thread);
        return abandoned ? WAITED_ABANDONED : 0;
    default:
        break;
    }
    word_let_go(proxy->page, word);
    return 0;
}

/* ---- After a fork ---------------------------------------------------------------------------- */

/* The mutex's owner is a thread of the parent's. Only the list of the thread that has forked is
 * whole: another thread may have been half way in mutex_take. */
static void forget_owner(struct mutex *mutex)
{
    if (mutex->owner == plat_tls.thread)
        mutex_disown(mutex);
    mutex->owner = NULL;
    mutex->orphan = false;
}

/* The proxy's waiters are threads of the parent's, too. */
void proxy_forget(struct object *object)
{
    struct proxy *proxy = proxy_of(object);
    if (!proxy->page) /* a thread of the parent's was making it */
        return;
    if (proxy->owed)
        object_unref(object);
    proxy->owed = NULL;
    if (proxy->mutex.owner)
        forget_owner(&proxy->mutex);
    object->signal = 0;
    proxy->watched = 0;
    proxy->let_go = proxy_times(object);
}
