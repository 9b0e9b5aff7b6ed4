/* SPDX-License-Identifier: MIT
 *
 * object.c - the dispatcher: signalling objects and waiting for them.
 *
 * One lock for all objects, held for a few list operations and never across a gate, a timer or a
 * system call. So a wait on many objects is atomic over all of them without any ordering of locks.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/object.h"
#include "platform/linux/raw.h"

struct wait_block {
    struct object *object;
    struct wait *wait;
    struct wait_block *next, *previous;
};

struct wait {
    struct plat_gate gate;
    struct wait_block *blocks;
    unsigned count;
    bool all;
    bool decided;         /* under the dispatcher lock: satisfied or timed out */
    uint32_t result;
    struct wait *to_open; /* satisfied by the same signal */
    struct plat_timer timer;
    _Atomic uint32_t timer_done; /* futex: the timer came too late and is through with us */
};

static struct plat_lock lock;

/* ---- Under the lock ----------------------------------------------------------------------------- */

static void append_block(struct wait_block *block)
{
    struct object *object = block->object;
    block->next = NULL;
    block->previous = object->last;
    if (object->last)
        object->last->next = block;
    else
        object->first = block;
    object->last = block;
}

static void remove_block(struct wait_block *block)
{
    struct object *object = block->object;
    if (block->previous)
        block->previous->next = block->next;
    else
        object->first = block->next;
    if (block->next)
        block->next->previous = block->previous;
    else
        object->last = block->previous;
}

static void consume(struct object *object)
{
    if (object->type == OBJECT_AUTO_EVENT)
        object->signalled = false;
}

/* Satisfies the wait if its objects allow it: consumes them and sets the result. */
static bool satisfy(struct wait *wait)
{
    if (wait->all) {
        for (unsigned i = 0; i < wait->count; i++)
            if (!wait->blocks[i].object->signalled)
                return false;
        for (unsigned i = 0; i < wait->count; i++)
            consume(wait->blocks[i].object);
        wait->result = 0;
        return true;
    }
    for (unsigned i = 0; i < wait->count; i++) {
        if (wait->blocks[i].object->signalled) {
            consume(wait->blocks[i].object);
            wait->result = i;
            return true;
        }
    }
    return false;
}

static void remove_wait(struct wait *wait)
{
    for (unsigned i = 0; i < wait->count; i++)
        remove_block(&wait->blocks[i]);
    wait->decided = true;
}

/* Takes off everyone whom the object's signal lets go. A chain for open_gates. */
static struct wait *release_waiters(struct object *object)
{
    struct wait *chain = NULL;
    for (struct wait_block *block = object->first; block && object->signalled;) {
        struct wait *wait = block->wait;
        struct wait_block *next = block->next;
        while (next && next->wait == wait) /* the same object twice in one wait */
            next = next->next;
        if (satisfy(wait)) {
            remove_wait(wait);
            wait->to_open = chain;
            chain = wait;
        }
        block = next;
    }
    return chain;
}

/* ---- Gates ---------------------------------------------------------------------------------------- */

/* The wait may cease to exist with the exchange: nothing of it is touched after. */
void gate_open(struct plat_gate *gate)
{
    uint32_t was = atomic_exchange_explicit(&gate->word, PLAT_GATE_OPEN, memory_order_acq_rel);
    struct plat_context *worker = was == PLAT_GATE_WAITED ? gate->worker : NULL;
    if (worker)
        engine_core->worker_completed(worker);
    else
        futex_wake(&gate->word, 1);
}

static void open_gates(struct wait *chain)
{
    while (chain) {
        struct wait *wait = chain;
        chain = wait->to_open;
        gate_open(&wait->gate);
    }
}

static void wait_timed_out(struct plat_timer *timer)
{
    struct wait *wait = (struct wait *)((char *)timer - offsetof(struct wait, timer));
    plat_lock(&lock);
    bool mine = !wait->decided;
    if (mine) {
        remove_wait(wait);
        wait->result = WAIT_FAILED_NO_TIME;
    }
    plat_unlock(&lock);
    if (mine) {
        gate_open(&wait->gate);
    } else {
        atomic_store_explicit(&wait->timer_done, 1, memory_order_release);
        futex_wake(&wait->timer_done, 1);
    }
}

/* ---- Waiting ---------------------------------------------------------------------------------------- */

static void wait_as_worker(struct plat_context *worker, struct wait *wait, uint64_t deadline)
{
    bool timed = deadline != PLAT_FOREVER;
    if (timed) {
        wait->timer.deadline = deadline;
        wait->timer.fire = wait_timed_out;
        timer_add(&wait->timer);
    }
    engine_core->worker_wait(worker, &wait->gate);
    /* A timer that can no longer be cancelled is looking at this frame: let it pass, unless it was
     * the one that opened the gate. */
    if (timed && !timer_cancel(&wait->timer) && wait->result != WAIT_FAILED_NO_TIME)
        while (!atomic_load_explicit(&wait->timer_done, memory_order_acquire))
            futex_wait(&wait->timer_done, 0);
}

static void wait_as_thread(struct wait *wait, uint64_t deadline)
{
    struct plat_context *self = plat_current();
    if (self && self->is_scheduler && self->lane)
        poller_arm_young(self->lane);
    while (atomic_load_explicit(&wait->gate.word, memory_order_acquire) == PLAT_GATE_SHUT) {
        if (futex_wait_until(&wait->gate.word, PLAT_GATE_SHUT, deadline))
            continue;
        plat_lock(&lock);
        bool mine = !wait->decided;
        if (mine) {
            remove_wait(wait);
            wait->result = WAIT_FAILED_NO_TIME;
        }
        plat_unlock(&lock);
        if (mine)
            return;
        deadline = PLAT_FOREVER; /* decided: the gate is about to open */
    }
}

uint32_t object_wait(struct object *const *objects, unsigned count, bool all, uint64_t deadline)
{
    struct wait_block blocks[WAIT_MAX];
    struct wait wait = {.blocks = blocks, .count = count, .all = all};
    for (unsigned i = 0; i < count; i++)
        blocks[i] = (struct wait_block){.object = objects[i], .wait = &wait};

    plat_lock(&lock);
    bool satisfied = satisfy(&wait);
    bool waiting = !satisfied && deadline != 0;
    if (waiting)
        for (unsigned i = 0; i < count; i++)
            append_block(&blocks[i]);
    plat_unlock(&lock);
    if (satisfied)
        return wait.result;
    if (!waiting)
        return WAIT_FAILED_NO_TIME;

    struct plat_context *self = plat_current();
    if (self && !self->is_scheduler && engine_core->scheduler_of(self))
        wait_as_worker(self, &wait, deadline);
    else
        wait_as_thread(&wait, deadline);
    return wait.result;
}

void object_delay(uint64_t deadline)
{
    object_wait(NULL, 0, false, deadline);
}

/* ---- Signalling --------------------------------------------------------------------------------------- */

void object_signal(struct object *object)
{
    plat_lock(&lock);
    object->signalled = true;
    struct wait *chain = object->first ? release_waiters(object) : NULL;
    plat_unlock(&lock);
    open_gates(chain);
}

void object_reset(struct object *object)
{
    plat_lock(&lock);
    object->signalled = false;
    plat_unlock(&lock);
}

/* ---- Life ------------------------------------------------------------------------------------------------ */

void *object_create(enum object_type type, size_t bytes)
{
    struct object *object = calloc(1, bytes);
    if (object) {
        object->type = type;
        atomic_store_explicit(&object->refs, 1, memory_order_relaxed);
    }
    return object;
}

void object_hold(struct object *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
}

void object_drop(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (object->destroy)
        object->destroy(object);
    free(object);
}

void dispatcher_forget(void)
{
    lock = (struct plat_lock){0};
}

/* ---- The events of completion lists ------------------------------------------------------------------------- */

int plat_event_create(struct plat_event **event)
{
    *event = object_create(OBJECT_AUTO_EVENT, sizeof(struct object));
    return *event ? 0 : 8;
}

void plat_event_release(struct plat_event *event)
{
    object_drop((struct object *)event);
}

void plat_event_set(struct plat_event *event)
{
    object_signal((struct object *)event);
}

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    struct object *object = (struct object *)event;
    return object_wait(&object, 1, false, deadline) == 0;
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    return handle_create((struct object *)event, handle);
}
