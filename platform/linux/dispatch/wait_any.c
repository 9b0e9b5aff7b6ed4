/* SPDX-License-Identifier: MIT
 *
 * wait_any.c - waiting for any of several objects.
 *
 * The thread that claims the waiter's sitter (seat.h) decides the wait. If the waiter waited for
 * the same objects before, and no other thread is in line for one of them, it uses the seats that
 * it has. Else it takes a seat of each object, under that object's lock. Where another thread has
 * the seat, or others are in line, the waiter goes to the end of the object's list. Another thread
 * may decide the wait meanwhile: then the waiter stops there.
 */
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/seat.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/wait_any.h"

/* The result of a look at one object. */
enum look { NOT_SIGNALLED, WAIT_IS_OVER, CLOSED };

/* All handles have to be good, even if the first object satisfies the wait. */
static bool all_good(const struct wait_request *request, const struct wait *wait)
{
    return handles_good(request->handles, request->count, request->no_pseudo, wait->thread);
}

/* No other thread can decide the wait yet. True: there is nothing to wait for. */
static bool satisfied_at_once(const struct wait_request *request, struct wait *wait)
{
    for (unsigned i = 0; i < request->count; i++) {
        struct object *object = handle_find(request->handles[i], wait->thread);
        if (!object || !object_ready(object, wait))
            continue;
        object = handle_lock(request->handles[i], wait->thread);
        if (!object)
            continue;
        bool ready = object_offers(object, wait);
        if (ready)
            wait->result = i + object_consume(object, wait);
        object_unlock(object);
        if (ready)
            return true;
    }
    return false;
}

static uint64_t number_of(const struct sitter *sitter)
{
    return SEAT_NUMBER(atomic_load_explicit(&sitter->word, memory_order_relaxed));
}

/* A full fence: from here on the wait can be decided. */
static void arm(struct sitter *sitter, struct wait *wait, uint64_t number)
{
    plat_written(&sitter->word);
    sitter->wait = wait;
    atomic_store_explicit(&wait->thread->waits_at, WAITS_FOR_ANY, memory_order_release);
    atomic_exchange_explicit(&sitter->word, number | (wait->alertable ? SEAT_ALERTABLE : 0),
                             memory_order_seq_cst);
}

/* On the waiter: whether another thread has decided the wait. */
static bool claimed_before(const struct wait *wait)
{
    return atomic_load_explicit(&wait->sitter->word, memory_order_relaxed) & SEAT_CLAIMED;
}

/* With the object's lock: takes its signal, unless another thread decides the wait. */
static bool satisfied(struct wait *wait, struct object *object, unsigned index)
{
    if (!object_offers(object, wait))
        return false;
    if (!wait_claim(wait)) {
        object_keep(object);
        return false;
    }
    wait_set_result(wait, index + object_consume(object, wait));
    return true;
}

/* ---- For the same objects as before ---------------------------------------------------------- */

/* Pseudo-handles are not in the table, so a wait for one does not go this way. Also notes the
 * objects, for tools that ask why a thread waits. */
static bool has_seats(const struct wait_request *request, struct wait *wait, uint64_t number)
{
    if (wait->sitter->seats != request->count)
        return false;
    for (unsigned i = 0; i < request->count; i++) {
        handle_entry *entry = handle_entry_at((uintptr_t)request->handles[i] / 4);
        struct object *object = entry ? handle_object_in(entry) : NULL;
        if (!object || !seat_is(object, wait->sitter, number, i) ||
            __atomic_load_n(&object->first, __ATOMIC_RELAXED))
            return false;
        wait->blocks[i].object = object;
        wait->blocks[i].wait = NULL;
    }
    wait->count = (uint8_t)request->count;
    return true;
}

static enum look look_at(const struct wait_request *request, struct wait *wait, unsigned index)
{
    if (!object_ready(wait->blocks[index].object, wait))
        return NOT_SIGNALLED;
    struct object *object = handle_lock(request->handles[index], wait->thread);
    if (!object)
        return NOT_SIGNALLED; /* closed: the wait goes on without it */
    bool over = object == wait->blocks[index].object && satisfied(wait, object, index);
    object_unlock(object);
    return over ? WAIT_IS_OVER : NOT_SIGNALLED;
}

/* The thread has its seats from the wait before, and looks at the objects. False: the wait is over,
 * and its result is set. */
static bool look_from_seats(const struct wait_request *request, struct wait *wait)
{
    for (unsigned i = 0; i < request->count; i++)
        if (look_at(request, wait, i) == WAIT_IS_OVER)
            return false;
    return true;
}

/* ---- For others ------------------------------------------------------------------------------ */

static enum look sit_down(const struct wait_request *request, struct wait *wait, unsigned index)
{
    struct object *object = handle_lock(request->handles[index], wait->thread);
    if (!object)
        return CLOSED;
    if (satisfied(wait, object, index)) {
        object_unlock(object);
        return WAIT_IS_OVER;
    }
    struct wait_block *block = &wait->blocks[index];
    wait->count = (uint8_t)(index + 1);
    block->object = object;
    block->wait = NULL;
    if (!object->first && !object_is_proxy(object) && seat_take(object, wait->sitter, index))
        wait->sitter->seats++;
    else
        wait_enqueue_block(block, wait, object);
    object_unlock(object);
    return NOT_SIGNALLED;
}

/* Takes a seat at each object, or a place in its list. False: the wait is over, and its result is
 * set. */
static bool take_seats(const struct wait_request *request, struct wait *wait)
{
    for (unsigned i = 0; i < request->count; i++) {
        switch (sit_down(request, wait, i)) {
        case WAIT_IS_OVER:
            wait->sitter->seats = 0;
            return false;
        case CLOSED: /* meanwhile */
            wait->sitter->seats = 0;
            if (!wait_claim(wait))
                return true;
            wait_set_result(wait, WAITED_BAD_HANDLE);
            return false;
        default:
            break;
        }
        if (claimed_before(wait)) {
            wait->sitter->seats = 0;
            return true;
        }
    }
    return true;
}

/* ---- The call -------------------------------------------------------------------------------- */

/* Looks for an APC. False: there is one for an alertable wait, and the result is set. */
static bool waits_on(struct wait *wait)
{
    if (!wait->alertable || !wait_alerted(wait) || !wait_claim(wait))
        return true;
    wait_set_result(wait, WAITED_APC);
    return false;
}

/* Begins the wait. False: it is over at once, and its result is set. */
static bool begin(const struct wait_request *request, struct wait *wait)
{
    struct sitter *sitter = wait->sitter;
    uint64_t number = number_of(sitter);
    if (has_seats(request, wait, number)) {
        arm(sitter, wait, number);
        return look_from_seats(request, wait);
    }
    if (!all_good(request, wait)) {
        wait->result = WAITED_BAD_HANDLE;
        return false;
    }
    if (satisfied_at_once(request, wait))
        return false;
    wait->count = 0;
    sitter->seats = 0;
    arm(sitter, wait, number + SEAT_SET);
    return take_seats(request, wait);
}

uint32_t wait_for_any(const struct wait_request *request, struct wait *wait)
{
    struct plat_context *self = plat_current();
    if (!request->deadline)
        return !all_good(request, wait)                ? WAITED_BAD_HANDLE
               : satisfied_at_once(request, wait)      ? wait->result
               : wait->alertable && wait_alerted(wait) ? WAITED_APC
                                                       : WAITED_TIMEOUT;
    wait->sitter = sitter_of(wait->thread);
    if (UMS_UNLIKELY(!wait->sitter))
        return WAITED_NO_MEMORY;
    wait->any = true;
    if (self && !self->is_scheduler && self->scheduler)
        wait->worker = self;
    if (begin(request, wait) && waits_on(wait))
        wait_unlocked(wait, request->deadline, &(struct wait_then){0});
    wait_leave_lists(wait);
    return wait->result;
}
