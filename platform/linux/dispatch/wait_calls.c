/* SPDX-License-Identifier: MIT
 *
 * wait_calls.c - waits for one object, for any or all of many, and for time; and waits that signal
 * an object first.
 *
 * Each kind of wait takes its lock, or locks, finds out whether there is anything to wait for, and
 * leaves the rest to wait.c. If several reasons not to wait hold, the result is the first of:
 * satisfied, procedures, no time left.
 */
#include "platform/linux/dispatch/apc.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/wait_any.h"
#include "platform/linux/dispatch/waiters.h"

static bool has_apc(const struct wait *wait)
{
    return wait->alertable &&
           atomic_load_explicit(&wait->thread->first_apc, memory_order_relaxed) != NULL;
}

/* ---- One object ------------------------------------------------------------------------------ */

/* With the object's lock, which it releases; then it wakes the chain. Inline, since the processor
 * mispredicts each return after a switch. */
static inline __attribute__((always_inline)) uint32_t
wait_at(struct wait *wait, struct object *object, uint64_t deadline, struct wait *chain)
{
    uint32_t result;
    if (object_offers(object, wait)) {
        result = object_consume(object, wait);
    } else if (has_apc(wait)) {
        result = WAITED_APC;
    } else if (!deadline) {
        result = WAITED_TIMEOUT;
    } else {
        wait_enqueue_only(wait, object);
        if (UMS_LIKELY(!wait->alertable) || !wait_alerted(wait))
            return wait_unlocked(wait, deadline,
                                 &(struct wait_then){.lock = &object->lock.lock, .chain = chain});
        wait_take_back(wait, WAITED_APC);
        result = WAITED_APC;
    }
    object_unlock(object);
    waits_open(chain);
    return result;
}

/* A signal has interrupted the wait for this object, to which the caller has a reference. If the
 * signal's handler jumps away, no thread gives the reference back, and the object's memory
 * stays. */
static __attribute__((noinline)) uint32_t wait_again(struct wait *wait, struct object *object,
                                                     uint64_t deadline)
{
    uint32_t result;
    bool alertable = wait->alertable;
    do {
        struct wait_block *block = wait->blocks;
        wait_init(wait, block, wait->thread);
        wait->alertable = alertable;
        plat_lock(&object->lock);
        result = wait_at(wait, object, deadline, NULL);
        object_drop(object); /* a further interruption has left one more */
    } while (result == WAITED_SIGNAL);
    return result;
}

uint32_t wait_for_object(struct object *object, uint64_t deadline)
{
    struct wait_block block;
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return WAITED_NO_MEMORY;
    wait_init(&wait, &block, self);
    plat_lock(&object->lock);
    uint32_t result = wait_at(&wait, object, deadline, NULL);
    return UMS_UNLIKELY(result == WAITED_SIGNAL) ? wait_again(&wait, object, deadline) : result;
}

/* ---- To signal one first --------------------------------------------------------------------- */

/* Locks both objects, whichever they are, so that no thread sees one signalled and the other not
 * waited for. It only tries the second lock. If that is taken, or a thread waits for the first
 * object together with others, it takes the all-lock. 0, or WAITED_BAD_HANDLE with nothing
 * locked. */
static uint32_t lock_both(const struct wait_request *request, struct plat_thread *self,
                          struct object **first, struct object **second, bool *all)
{
    for (*all = false;; *all = true) {
        if (*all)
            plat_lock(&all_lock);
        *first = handle_lock(request->signal_first, self);
        *second = *first ? handle_find(request->handles[0], self) : NULL;
        if (!*second)
            break;
        bool same = *second == *first;
        if (!*all && ((*first)->all_waits || (!same && !plat_trylock(&(*second)->lock)))) {
            plat_unlock_lasting(&(*first)->lock);
            continue;
        }
        if (same)
            return 0;
        if (*all)
            plat_lock(&(*second)->lock);
        if (handle_find(request->handles[0], self) == *second)
            return 0;
        plat_unlock_lasting(&(*second)->lock); /* closed meanwhile */
        break;
    }
    if (*first)
        plat_unlock_lasting(&(*first)->lock);
    if (*all)
        plat_unlock_lasting(&all_lock);
    return WAITED_BAD_HANDLE;
}

static uint32_t signal_it(struct object *object, struct wait **chain)
{
    enum object_action action =
        object->type == OBJECT_SEMAPHORE || object->type == OBJECT_SHARED_SEMAPHORE ? SEMAPHORE_ADD
        : object_is_mutex(object)                                                   ? MUTEX_GIVE
                                                                                    : EVENT_SET;
    switch (object_act(object, action, 1, chain)) {
    case 0:
        return 0;
    case 288:
        return WAITED_NOT_OWNER;
    case 298:
        return WAITED_OVER_LIMIT;
    default:
        return WAITED_BAD_HANDLE;
    }
}

static __attribute__((noinline)) uint32_t signal_and_wait(const struct wait_request *request,
                                                          struct wait *wait)
{
    struct object *first, *second;
    struct wait *chain = NULL;
    bool all;
    uint32_t result = lock_both(request, wait->thread, &first, &second, &all);
    if (result)
        return result;
    if (all)
        all_beside = second;
    if (UMS_UNLIKELY(object_is_proxy(second)))
        object_expect(second);
    result = signal_it(first, &chain);
    if (all) {
        all_beside = NULL;
        plat_unlock_lasting(&all_lock);
    }
    if (first != second)
        object_unlock(first);
    if (!result)
        return wait_at(wait, second, request->deadline, chain);
    if (UMS_UNLIKELY(object_is_proxy(second)))
        proxy_expect_no_more(second);
    object_unlock(second);
    return result;
}

/* ---- All of many ----------------------------------------------------------------------------- */

static void unlock_all(struct object **objects, unsigned count)
{
    while (count)
        object_unlock(objects[--count]);
}

/* With the all-lock held. Takes the objects' locks. 0, or an error with none of them held. */
static uint32_t lock_all(const struct wait_request *request, struct plat_thread *self,
                         struct object **objects)
{
    for (unsigned i = 0; i < request->count; i++) {
        struct object *object;
        do {
            object = handle_find(request->handles[i], self);
            uint32_t failure = object ? 0 : WAITED_BAD_HANDLE;
            for (unsigned j = 0; j < i; j++)
                if (objects[j] == object)
                    failure = WAITED_SAME_TWICE;
            if (failure) {
                unlock_all(objects, i);
                return failure;
            }
            plat_lock(&object->lock);
            objects[i] = object;
            if (handle_find(request->handles[i], self) == object)
                break;
            plat_unlock_lasting(&object->lock);
        } while (true);
    }
    return 0;
}

static uint32_t wait_for_all(const struct wait_request *request, struct wait *wait)
{
    struct object *objects[WAIT_MAX];
    if (!handles_good(request->handles, request->count, request->no_pseudo, wait->thread))
        return WAITED_BAD_HANDLE;
    wait->all = true;
    plat_lock(&all_lock);
    uint32_t result = lock_all(request, wait->thread, objects);
    if (result) {
        plat_unlock_lasting(&all_lock);
        return result;
    }
    bool ready = objects_offer_all(objects, request->count, wait),
         alerted = !ready && has_apc(wait), waits = !ready && !alerted && request->deadline;
    for (unsigned i = 0; i < request->count; i++)
        if (ready)
            result |= object_consume(objects[i], wait);
        else if (waits)
            wait_enqueue(wait, objects[i]);
    unlock_all(objects, request->count);
    if (waits && wait->alertable && wait_alerted(wait)) {
        wait_take_back(wait, WAITED_APC);
        alerted = true;
    } else if (waits) {
        wait->thread->armed = wait; /* wait_trace.c reads the number of objects */
        result =
            wait_unlocked(wait, request->deadline, &(struct wait_then){.lock = &all_lock.lock});
        wait->thread->armed = NULL;
        return result;
    }
    plat_unlock_lasting(&all_lock);
    return ready ? result : alerted ? WAITED_APC : WAITED_TIMEOUT;
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* A function of its own, so that a wait for one object needs less stack. */
static __attribute__((noinline)) uint32_t wait_for_many(const struct wait_request *request,
                                                        struct wait *wait)
{
    return request->all ? wait_for_all(request, wait) : wait_for_any(request, wait);
}

static inline __attribute__((always_inline)) uint32_t
wait_for_one(const struct wait_request *request, struct wait *wait)
{
    if (UMS_UNLIKELY(request->signal_first != NULL))
        return signal_and_wait(request, wait);
    void *handle = request->handles[0];
    struct object *object = handle_lock(handle, wait->thread);
    if (UMS_UNLIKELY(!object))
        return WAITED_BAD_HANDLE;
    if (UMS_UNLIKELY(request->no_pseudo && (intptr_t)handle < 0)) {
        plat_unlock_lasting(&object->lock);
        return WAITED_BAD_HANDLE;
    }
    return wait_at(wait, object, request->deadline, NULL);
}

/* A signal has interrupted the wait: waits again. */
static __attribute__((noinline)) uint32_t wait_on(const struct wait_request *request,
                                                  struct wait *wait)
{
    uint32_t result;
    if (request->count == 1)
        return wait_again(wait, wait->blocks[0].object, request->deadline);
    do {
        wait_init(wait, wait->blocks, wait->thread);
        wait->alertable = request->alertable;
        result = wait_for_many(request, wait);
    } while (result == WAITED_SIGNAL);
    return result;
}

/* Makes the calls that stand (port.h): one may signal a port or file that the thread is to wait
 * for. A handle may be closed meanwhile, and mean another object or none: then this is for
 * nothing. */
static __attribute__((noinline)) void look_first(const struct wait_request *request,
                                                 struct plat_thread *self)
{
    for (unsigned i = 0; i < request->count; i++) {
        const struct object *object = handle_find(request->handles[i], self);
        if (object && (object->type == OBJECT_PORT || object->type == OBJECT_FILE)) {
            dispatch_hooks.port_empty(true);
            return;
        }
    }
}

static bool is_proxy(void *handle, struct plat_thread *self)
{
    const struct object *object = handle_find(handle, self);
    return object && object_is_proxy(object);
}

static __attribute__((noinline)) bool names_proxy(const struct wait_request *request,
                                                  struct plat_thread *self)
{
    if (request->signal_first && is_proxy(request->signal_first, self))
        return true;
    for (unsigned i = 0; i < request->count; i++)
        if (is_proxy(request->handles[i], self))
            return true;
    return false;
}

static inline uint32_t wait_with(const struct wait_request *request, struct wait_block *blocks)
{
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return WAITED_NO_MEMORY;
    if (UMS_UNLIKELY(!proxies_join()) && names_proxy(request, self))
        return WAITED_NO_MEMORY;
    if (UMS_UNLIKELY(atomic_load_explicit(&port_calls_standing, memory_order_relaxed) != 0) &&
        request->deadline)
        look_first(request, self);
    wait_init(&wait, blocks, self);
    wait.alertable = request->alertable;
    uint32_t result =
        request->count == 1 ? wait_for_one(request, &wait) : wait_for_many(request, &wait);
    if (UMS_UNLIKELY(result == WAITED_SIGNAL))
        result = wait_on(request, &wait);
    if (UMS_UNLIKELY(result == WAITED_APC))
        apcs_run();
    return result;
}

uint32_t wait_for_handle(const struct wait_request *request)
{
    struct wait_block block;
    return wait_with(request, &block);
}

uint32_t wait_for_handles(const struct wait_request *request)
{
    struct wait_block blocks[WAIT_MAX];
    return wait_with(request, blocks);
}

uint32_t wait_for_time(uint64_t deadline, bool alertable)
{
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        UMS_FATAL("no memory for a thread that sleeps", 0, 0);
    uint32_t result;
    do {
        wait_init(&wait, NULL, self);
        wait.alertable = alertable;
        plat_lock(&self->object.lock);
        self->sleep = &wait;
        atomic_store_explicit(&self->waits_at, WAITS_FOR_TIME, memory_order_release);
        if (alertable && wait_alerted(&wait)) {
            result = WAITED_APC;
            wait_take_back(&wait, result);
            plat_unlock_lasting(&self->object.lock);
        } else {
            result = wait_unlocked(&wait, deadline,
                                   &(struct wait_then){.lock = &self->object.lock.lock});
        }
    } while (UMS_UNLIKELY(result == WAITED_SIGNAL));
    if (result == WAITED_APC)
        apcs_run();
    return result;
}
