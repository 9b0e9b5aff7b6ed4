/* SPDX-License-Identifier: MIT
 *
 * calls.c - the table of calls that may wait, and what all of them have in common.
 */
#include "platform/windows/calls.h"

#include "platform/windows/handover.h"
#include "platform/windows/inplace.h"

/* Handlers are looked at as addresses here; their files have the types. */
#define CALL(stub, class, completion, place) extern char call_##stub[] __asm__("call_" #stub);
#include "platform/windows/calls.def"
#undef CALL

void *call_originals[CALL_COUNT];

struct call_row call_rows[] = {
#define CALL(stub, class, completion, place)                                                       \
    {CALL_##class,                                                                                 \
     CALL_##completion,                                                                            \
     CALL_##place,                                                                                 \
     {#stub, call_##stub, &call_originals[CALL_##stub], 0, 0, 0, 0}},
#include "platform/windows/calls.def"
#undef CALL
};
const size_t call_row_count = CALL_COUNT;

int calls_install(bool identity)
{
    struct hook hooks[CALL_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (identity || call_rows[i].class != CALL_IDENTITY)
            hooks[count++] = call_rows[i].hook;
    int refused = hooks_install(hooks, count);
    for (size_t i = CALL_COUNT; i-- > 0;)
        if (identity || call_rows[i].class != CALL_IDENTITY)
            call_rows[i].hook = hooks[--count];
    return refused;
}

void calls_remove(void)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        hooks_remove(&call_rows[i].hook, 1);
}

/* On the scheduler. */
static void after_block(struct plat_context *scheduler, void *arg)
{
    (void)arg;
    engine_core->activate(scheduler, true);
}

static bool have_event(struct plat_context *self)
{
    if (!self->event)
        self->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    return self->event != NULL;
}

bool call_leave(struct plat_context *self, enum call_class class)
{
    struct plat_context *scheduler = engine_core->scheduler_of(self);
    self->inside = true;
    self->saved_error = GetLastError();
    self->by_event = class == CALL_ALERT;
    if (self->by_event && !have_event(self)) {
        self->inside = false;
        return false;
    }
    inplace_go_home(self);
    atomic_store_explicit(&self->word, HAND_EMPTY, memory_order_relaxed);
    engine_core->worker_blocked(self);
    handover_give(scheduler, after_block, NULL);
    return true;
}

void call_was_left(struct plat_context *self)
{
    self->inside = true;
    self->saved_error = GetLastError();
    self->by_event = false;
    atomic_store_explicit(&self->word, HAND_EMPTY, memory_order_relaxed);
}

void call_return(struct plat_context *self)
{
    if (engine_in_place && !self->pinned) {
        inplace_leave_home(self, engine_core->worker_completed);
    } else {
        bool by_event = self->by_event;
        engine_core->worker_completed(self);
        handover_park(self, by_event);
    }
    SetLastError(self->saved_error);
    self->inside = false;
}
