/* SPDX-License-Identifier: MIT
 *
 * vector_state.h - how the processor's vector registers are kept when libc's code calls the library
 * (site_slots.S, vector_state_keep.S), and how much stack that takes. The assembler reads this
 * file, too.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_VECTOR_STATE_H
#define UMSSHIM_PLATFORM_LINUX_OS_VECTOR_STATE_H

/* The form of the saved state: by fxsave, xsavec or xsave. */
#define VECTOR_STATE_OLD 0
#define VECTOR_STATE_COMPACT 1
#define VECTOR_STATE_STANDARD 2

/* The bytes that the quick way needs (vector_state_keep.S). */
#define VECTOR_STATE_QUICK 2624

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* Fills in the variables below. Called before the first such call. */
void vector_state_find(void);
extern uint64_t vector_state_bytes;
extern uint32_t vector_state_parts, vector_state_form;
extern uint32_t vector_state_asks; /* the processor tells which parts are in use */

/* The bytes of stack that such a call needs in all. */
size_t vector_state_call_bytes(void);
#endif

#endif
