/* SPDX-License-Identifier: MIT
 *
 * calls.h - the table of system calls (calls.def).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_CALLS_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_CALLS_H

#include "platform/linux/calls/call_ops.h"

extern const struct call_row call_rows[];
extern const unsigned call_row_count;

/* Code that touches no vector register: it may run before they are kept (site_slots.S). */
#define CALL_PLAIN_REGISTERS __attribute__((target("general-regs-only")))

/* Whether the row is about a call with these arguments. */
CALL_PLAIN_REGISTERS bool call_row_holds(const struct call_row *row, const long *args);

/* The row of a number, if it is of this kind; or NULL. */
const struct call_row *call_row_find(long nr, enum call_kind kind);

/* The row of a call that the filter stops, or NULL. */
const struct call_row *trapped_call_find(int nr);
/* The same for these arguments. */
const struct call_row *trapped_call_stopped(int nr, const long *args);
/* Whether the call ends as it would whatever signal is pending meanwhile. */
bool call_is_steady(long nr, const long *args);

#endif
