/* SPDX-License-Identifier: MIT
 *
 * waiters.c - keeps which thread waits for which object, and decides waits.
 *
 * A wait is decided once: satisfied at once, by a signal, by its time, by a procedure call, or
 * because the waiter is to end. The thread that decides it lets the waiter go.
 */
#include "platform/linux/current.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_store.h"
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/dispatch/seat.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/os/raw.h"

_Alignas(64) PLAT_LOCK(ALL) all_lock;
struct object *all_beside;

void wait_init(struct wait *wait, struct wait_block *blocks, struct plat_thread *self)
{
    wait->worker = NULL;
    atomic_store_explicit(&wait->go, GO_NOT, memory_order_relaxed);
    wait->blocks = blocks;
    wait->thread = self;
    wait->address = NULL;
    wait->notify = NULL;
    wait->count = 0;
    wait->all = wait->any = wait->alertable = wait->decided = wait->packets = wait->timed = false;
}

struct plat_lock *wait_lock(const struct wait *wait)
{
    if (wait->all)
        return &all_lock.lock;
    if (wait->address)
        return &bucket_of(wait->address)->lock.lock;
    return wait->count ? &wait->blocks[0].object->lock.lock : &wait->thread->object.lock.lock;
}

static void waits_at(struct wait *wait, uintptr_t where)
{
    if (wait->thread)
        atomic_store_explicit(&wait->thread->waits_at, where, memory_order_release);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

void wait_enqueue_block(struct wait_block *block, struct wait *wait, struct object *object)
{
    block->object = object;
    block->wait = wait;
    CHAIN_APPEND(object, block, next, previous);
    object->refs++;
    if (wait->all) {
        object->all_waits++;
        block->seen = object_is_proxy(object) && object_is_event(object) ? proxy_await(object) : 0;
    }
}

void wait_enqueue(struct wait *wait, struct object *object)
{
    wait_enqueue_block(&wait->blocks[wait->count], wait, object);
    if (wait->count++ == 0)
        waits_at(wait, (uintptr_t)object);
}

void wait_block_remove(struct wait_block *block)
{
    struct object *object = block->object;
    CHAIN_REMOVE(object, block, next, previous);
    if (block->wait->all)
        object->all_waits--;
    object_unref(object);
}

void wait_leave_lists(struct wait *wait)
{
    for (; wait->count; wait->count--) {
        struct wait_block *block = &wait->blocks[wait->count - 1];
        struct object *object = block->object;
        if (!block->wait)
            continue; /* it has the seat, not a place on the list */
        plat_lock(&object->lock);
        wait_block_remove(block);
        object_unlock(object);
    }
}

/* ---- Deciding -------------------------------------------------------------------------------- */

void wait_set_result(struct wait *wait, uint32_t result)
{
    wait->decided = true;
    wait->result = result;
    waits_at(wait, 0);
}

void wait_set_result_in(struct wait *wait, uint32_t result, struct wait **chain)
{
    wait_set_result(wait, result);
    wait->to_open = *chain;
    *chain = wait;
}

bool wait_claim(struct wait *wait)
{
    uint64_t word = atomic_load_explicit(&wait->sitter->word, memory_order_relaxed);
    return sitter_claim(wait->sitter, SEAT_NUMBER(word), 0) != NULL;
}

void wait_decide(struct wait *wait, uint32_t result, struct wait **chain)
{
    if (wait->all)
        wait_leave_lists(wait);
    else if (wait->address)
        address_remove(wait);
    else if (wait->count)
        wait_block_remove(wait->blocks);
    else
        wait->thread->sleep = NULL;
    wait_set_result_in(wait, result, chain);
}

void wait_take_back(struct wait *wait, uint32_t result)
{
    struct wait *own = NULL;
    wait_decide(wait, result, &own);
}

/* ---- Signals --------------------------------------------------------------------------------- */

static __attribute__((noinline)) uint32_t consume_mutex(struct mutex *mutex, struct wait *wait)
{
    bool abandoned = mutex->abandoned;
    mutex->abandoned = false;
    mutex_take(mutex, wait->thread);
    return abandoned ? WAITED_ABANDONED : 0;
}

uint32_t object_consume(struct object *object, struct wait *wait)
{
    switch (object->type) {
    case OBJECT_AUTO_EVENT:
        object->signal = 0;
        event_taken(object);
        return 0;
    case OBJECT_AUTO_TIMER:
        object->signal = 0;
        return 0;
    case OBJECT_SEMAPHORE:
        object->signal--;
        return 0;
    case OBJECT_MUTEX:
        return consume_mutex((struct mutex *)object, wait);
    case OBJECT_SHARED_AUTO_EVENT:
    case OBJECT_SHARED_MANUAL_EVENT:
    case OBJECT_SHARED_SEMAPHORE:
    case OBJECT_SHARED_MUTEX:
        return proxy_consume(object, wait);
    case OBJECT_SECTION:
    case OBJECT_SEARCH:
    case OBJECT_SNAPSHOT:
    case OBJECT_TOKEN:
    case OBJECT_LINK:
    case OBJECT_LOCKING:
        return WAITED_DENIED;
    default:
        return 0;
    }
}

__attribute__((noinline)) void wait_satisfy_all(struct wait *wait, struct object *held,
                                                struct wait **chain)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < wait->count; i++) {
        struct wait_block *block = &wait->blocks[i];
        struct object *object = block->object;
        if (object != held && object != all_beside)
            plat_lock(&object->lock);
        /* Before any is refused: a later pulse is the next chance. */
        block->now = UMS_UNLIKELY(object_is_proxy(object)) ? proxy_times(object) : 0;
    }
    bool ready = objects_offer(&wait->blocks->object, sizeof *wait->blocks, wait->count, wait);
    for (unsigned i = 0; i < wait->count; i++) {
        struct object *object = wait->blocks[i].object;
        if (ready) {
            result |= object_consume(object, wait);
            wait_block_remove(&wait->blocks[i]);
        } else {
            wait->blocks[i].seen = wait->blocks[i].now;
        }
        if (object != held && object != all_beside)
            object_unlock(object);
    }
    if (ready)
        wait_set_result_in(wait, result, chain);
}

static __attribute__((noinline)) void satisfy_any(struct wait_block *block, struct wait **chain)
{
    struct wait *wait = block->wait;
    if (wait_claim(wait))
        wait_set_result_in(
            wait, (uint32_t)(block - wait->blocks) + object_consume(block->object, wait), chain);
}

static __attribute__((noinline)) void satisfy_seat(struct object *object, struct wait **chain)
{
    if (!seat_in_use(object)) {
        object->seat = NULL;
        return;
    }
    struct wait *wait = sitter_claim(object->seat, object->seat_number, 0);
    if (wait)
        wait_set_result_in(wait, object->seat_index + object_consume(object, wait), chain);
}

void object_release_waiters(struct object *object, struct wait **chain)
{
    UMS_CHECK(!object_is_proxy(object), object, object->type);
    if (UMS_UNLIKELY(object->seat != NULL) && object->signal > 0)
        satisfy_seat(object, chain);
    for (struct wait_block *block = object->first, *next; block && object->signal > 0;
         block = next) {
        struct wait *wait = block->wait;
        next = block->next;
        if (UMS_UNLIKELY(wait->packets)) {
            continue; /* for a packet, and a place: port.c */
        } else if (UMS_UNLIKELY(wait->all)) {
            wait_satisfy_all(wait, object, chain);
        } else if (UMS_UNLIKELY(wait->any)) {
            satisfy_any(block, chain);
        } else {
            uint32_t result = object_consume(object, wait);
            wait_block_remove(block);
            wait_set_result_in(wait, result, chain);
        }
    }
}

/* ---- Letting go, without a lock -------------------------------------------------------------- */

/* Wakes a thread whose word was `was` when it became GO. The thread's wait may be gone by now. */
static void wake_from(_Atomic uint32_t *word, uint32_t was)
{
    static const uint64_t one = 1;
    if (was >= GO_BY)
        RAW3(SYS_write, (int)(was - GO_BY), &one, sizeof one);
    else if (was == GO_NOT)
        futex_wake(word, 1);
}

static __attribute__((noinline)) void wake_thread(struct wait *wait)
{
    struct held_wakes *held = plat_tls.held_wakes;
    _Atomic uint32_t *word = &wait->go;
    uint32_t was = atomic_exchange_explicit(word, GO, memory_order_acq_rel);
    if (held && held->count < sizeof held->threads / sizeof *held->threads) {
        held->threads[held->count].word = word;
        held->threads[held->count++].was = was;
    } else {
        wake_from(word, was);
    }
}

void wakes_hold(struct held_wakes *held)
{
    held->count = 0;
    plat_tls.held_wakes = held;
}

void wakes_release(struct held_wakes *held)
{
    plat_tls.held_wakes = NULL;
    for (unsigned i = 0; i < held->count; i++)
        wake_from(held->threads[i].word, held->threads[i].was);
}

/* A worker that has not left its stack yet sees SEAT_OPEN, and does not leave. */
static __attribute__((noinline)) void open_any(struct wait *wait)
{
    struct plat_context *worker = wait->worker;
    if (!worker)
        wake_thread(wait);
    else if (wait->left ||
             atomic_fetch_or_explicit(&wait->sitter->word, SEAT_OPEN, memory_order_acq_rel) &
                 SEAT_PARKED)
        engine_core->worker_completed(worker);
}

/* Once the waiter is woken its wait may be gone: nothing here touches the wait after that. */
void waits_open(struct wait *chain)
{
    while (chain) {
        struct wait *wait = chain;
        chain = wait->to_open;
        if (UMS_UNLIKELY(wait->any))
            open_any(wait);
        else if (wait->notify)
            wait->notify(wait);
        else if (wait->worker)
            engine_core->worker_completed(wait->worker);
        else
            wake_thread(wait);
    }
}

/* ---- After fork ------------------------------------------------------------------------------ */

static void forget(struct object *object)
{
    plat_lock_forget(&object->lock);
    object->first = object->last = NULL;
    object->seat = NULL;
    object->all_waits = 0;
    if (object_is_proxy(object) && object->refs)
        proxy_forget(object);
    if (object->type == OBJECT_PORT && object->refs)
        limit_forget((struct limited_port *)object);
    if (object->type == OBJECT_THREAD && object->refs) {
        struct plat_thread *thread = (struct plat_thread *)object;
        plat_lock_forget(&thread->own_lock);
        thread->sleep = NULL;
        atomic_store_explicit(&thread->waits_at, 0, memory_order_relaxed);
    }
}

void waiters_forget(void)
{
    plat_lock_forget(&all_lock);
    all_beside = NULL;
    buckets_forget();
    seats_forget();
    store_forget(forget);
}
