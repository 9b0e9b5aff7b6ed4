/* SPDX-License-Identifier: MIT
 *
 * call_notes.h - what a worker that leaves for a call waits for, written down for people: for
 * reports of a hang (umsrun --why), and for a trace.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_NOTES_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_CALL_NOTES_H

#include "platform/trace/trace.h"
#include "platform/windows/engine.h"

/* The name of the call that a handler stands for (originals.h, HANDLER). */
#define CALL_OF_HANDLER (__func__ + sizeof "call_" - 1)

/* The calling worker is about to leave, for this call: a name that stays; about: its first
 * argument. */
static inline void call_note(struct plat_context *self, const char *name, uintptr_t about)
{
    self->in_call = name;
    self->call_about = about;
}

/* It leaves now, by this door. For a user-mode wait the LEAVE is still to come. */
void call_note_leaves(struct plat_context *self, enum trace_door door);

/* The calling thread, if it is a scheduler that is about to sleep while a trace is written:
 * call_note_woke is to follow. */
bool call_note_sleeps(void);
void call_note_woke(void);

#endif
