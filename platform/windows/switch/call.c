/* SPDX-License-Identifier: MIT
 *
 * call.c - see call.h.
 */
#include "platform/windows/switch/call.h"

#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/thread_switch.h"

/* The scheduler goes on here when its worker has left it in a call. */
static void after_block(struct plat_context *scheduler, void *arg)
{
    (void)arg;
    engine_core->activate(scheduler, PLAT_ENTRY_CALL);
}

static bool have_event(struct plat_context *self)
{
    if (!self->event)
        self->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    return self->event != NULL;
}

bool call_leave(struct plat_context *self, enum call_class class)
{
    struct plat_context *scheduler = self->scheduler;
    self->inside = true;
    self->saved_error = GetLastError();
    self->by_event = class == CALL_ALERT;
    if (self->by_event && !have_event(self)) {
        self->inside = false;
        return false;
    }
    inplace_go_home(self);
    atomic_store_explicit(&self->word, HAND_EMPTY, memory_order_relaxed);
    call_note_leaves(self, DOOR_THREAD);
    engine_core->worker_blocked(self);
    thread_switch_give(scheduler, after_block, NULL);
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
    if (engine_in_place && !inplace_stays_home(self)) {
        self->left_teb = teb_here();
        inplace_leave_home(self, engine_core->worker_completed);
        self->left_teb = NULL;
    } else {
        bool by_event = self->by_event;
        engine_core->worker_completed(self);
        thread_switch_park(self, by_event);
    }
    self->in_call = NULL;
    SetLastError(self->saved_error);
    self->inside = false;
}
