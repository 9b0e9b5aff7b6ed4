/* SPDX-License-Identifier: MIT
 *
 * calls.h - the table of system calls (calls.def).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_CALLS_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_CALLS_H

#include "platform/linux/calls/call_ops.h"

extern const struct call_row call_rows[];
extern const unsigned call_row_count;

/* For functions that may run before the vector registers are kept (site_slots.S): they touch none
 * of these. */
#define CALL_PLAIN_REGISTERS __attribute__((target("general-regs-only")))

/* Whether the row holds for a call with these arguments. */
CALL_PLAIN_REGISTERS bool call_row_holds(const struct call_row *row, const long *args);

/* The row of this number, if the row is of this kind; or NULL. */
const struct call_row *call_row_find(long nr, enum call_kind kind);

/* The row of a call that the filter stops, or NULL. */
const struct call_row *trapped_call_find(int nr);
/* The same, if the row holds for these arguments. */
const struct call_row *trapped_call_stopped(int nr, const long *args);
/* Whether no signal changes how the call ends. */
bool call_is_steady(long nr, const long *args);

#endif
