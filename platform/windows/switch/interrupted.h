/* SPDX-License-Identifier: MIT
 *
 * interrupted.h - the part in C of interrupt_entry (interrupt.S), to which an interrupted worker is
 * sent.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPTED_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/windows/switch/frames.h"

enum interrupt { INTERRUPT_NONE, INTERRUPT_STOP, INTERRUPT_DETACH };

/* Whether this processor and system can save all registers. Called once, before any worker is
 * interrupted.
 */
bool interrupt_possible(void);

/* The bytes that XSAVE stores; a multiple of 64. For interrupt.S. */
extern uint32_t interrupt_state_bytes;

/* Called by interrupt.S on the worker, with its registers saved; returns when the worker goes on.
 */
void interrupt_run(struct interrupt_frame *frame, void *state);

#endif
