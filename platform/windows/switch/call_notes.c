/* SPDX-License-Identifier: MIT
 *
 * call_notes.c - see call_notes.h.
 */
#include "platform/windows/switch/call_notes.h"

#include <string.h>

#include "platform/windows/os/originals.h"

static const char *const names[CALL_COUNT] = {
#define CALL(stub, class, completion, place, without) #stub,
#include "platform/windows/calls.def"
#undef CALL
};

/* The call's row in calls.def; CALL_COUNT if it is none of those. */
static uint32_t number_of(const char *name)
{
    uint32_t number = 0;
    while (number < CALL_COUNT && name && strcmp(names[number], name) != 0)
        number++;
    return name ? number : CALL_COUNT;
}

void call_note_leaves(struct plat_context *self, enum trace_door door)
{
    self->left_at = GetTickCount();
    if (!trace_on())
        return;
    struct plat_context *scheduler = self->scheduler;
    if (door != DOOR_USER && plat_current() == self) /* else the switch records them, or no thread
                                                      * can */
        trace_sites(scheduler, self);
    trace_record(scheduler, door == DOOR_USER ? TRACE_WAIT_CALL : TRACE_BLOCK, self,
                 self->call_about, number_of(self->in_call), door);
}

bool call_note_sleeps(void)
{
    struct plat_context *self = plat_current();
    if (!self || !self->is_scheduler || self->inside)
        return false;
    trace_record(self, TRACE_SLEEP, self, 0, 0, 0);
    return true;
}

void call_note_woke(void)
{
    struct plat_context *self = plat_current();
    trace(self, TRACE_WAKE, self, 0, 0, 0);
}
