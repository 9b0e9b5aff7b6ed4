/* SPDX-License-Identifier: MIT
 *
 * call_notes.h - notes of what a worker waits for when it leaves for a call. Reports of a hang
 * (umsrun --why) and traces show them.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_NOTES_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_NOTES_H

#include "platform/trace/trace.h"
#include "platform/windows/engine.h"

/* The name of the call that a handler stands for (originals.h, HANDLER). */
#define CALL_OF_HANDLER (__func__ + sizeof "call_" - 1)

/* The calling worker is about to leave for this call. `name` must stay valid; `about` is the call's
 * first argument. */
static inline void call_note(struct plat_context *self, const char *name, uintptr_t about)
{
    self->in_call = name;
    self->call_about = about;
}

/* The worker leaves now, by this door. After a wait in user mode the switch records the LEAVE
 * itself. */
void call_note_leaves(struct plat_context *self, enum trace_door door);

/* True: the calling thread is a scheduler that is about to sleep, and calls call_note_woke after
 * that. Called only while a trace is written. */
bool call_note_sleeps(void);
void call_note_woke(void);

#endif
