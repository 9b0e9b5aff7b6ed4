/* SPDX-License-Identifier: MIT
 *
 * calls_table.h - the table of system calls with one made-up call more, as the product reads it;
 * its operations are doubles, which nobody asks.
 */
#ifndef UMSSHIM_TESTS_UNIT_CALLS_TABLE_H
#define UMSSHIM_TESTS_UNIT_CALLS_TABLE_H

#include "platform/linux/traps/calls.c"

#undef STOPS
#undef STOPS_OR_LENDS
#undef LENDS
#undef STEADY
#define STOPS(name, when, ops, signal, mask, told) const struct call_ops ops;
#define STOPS_OR_LENDS STOPS
#define LENDS(name)
#define STEADY(name, when)
#include "platform/linux/traps/calls.def"
#undef STOPS
#undef STOPS_OR_LENDS

#endif
