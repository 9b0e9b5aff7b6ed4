/* SPDX-License-Identifier: MIT
 *
 * calls.c - the table of system calls, and its rows by number.
 */
#include "platform/linux/traps/calls.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "platform/check.h"
#include "platform/layout.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/call_numbers.h"

#define ALWAYS                                                                                     \
    {                                                                                              \
        TEST_NONE, 0, 0, 0, 0                                                                      \
    }
#define CLEAR(arg, mask)                                                                           \
    {                                                                                              \
        TEST_CLEAR, arg, mask, 0, 0                                                                \
    }
#define NONZERO(arg)                                                                               \
    {                                                                                              \
        TEST_NONZERO, arg, 0, 0, 0                                                                 \
    }
#define ONE_OF(arg, mask, a, b)                                                                    \
    {                                                                                              \
        TEST_ONE_OF, arg, mask, a, b                                                               \
    }
#define IN_SET(arg, mask, set)                                                                     \
    {                                                                                              \
        TEST_IN_SET, arg, mask, set, 0                                                             \
    }
#define STOPS(name, when, ops, signal, mask, told)                                                 \
    {SYS_##name, CALL_STOPS, SIGNAL_##signal, mask, when, &ops, #name, told},
#define STOPS_OR_LENDS(name, when, ops, signal, mask, told)                                        \
    {SYS_##name, CALL_STOPS | CALL_LENDS, SIGNAL_##signal, mask, when, &ops, #name, told},
#define LENDS(name) {SYS_##name, CALL_LENDS, SIGNAL_STAYS, NO_MASK, ALWAYS, NULL, #name, ""},
#define STEADY(name, when) {SYS_##name, CALL_STEADY, SIGNAL_STAYS, NO_MASK, when, NULL, #name, ""},
const struct call_row call_rows[] = {
#include "platform/linux/traps/calls.def"
};
const unsigned call_row_count = sizeof call_rows / sizeof *call_rows;

LAYOUT_VARIABLE("call_rows", call_rows);
LAYOUT_SIZE("call_row", struct call_row);
LAYOUT_FIELD("call_row", struct call_row, nr, 4);
LAYOUT_FIELD("call_row", struct call_row, name, 8);
LAYOUT_FIELD("call_row", struct call_row, told, 8);

CALL_PLAIN_REGISTERS bool call_row_holds(const struct call_row *row, const long *args)
{
    const struct call_test *test = &row->when;
    uint32_t arg = (uint32_t)args[test->arg];
    switch (test->kind) {
    case TEST_CLEAR:
        return !(arg & test->mask);
    case TEST_NONZERO:
        return arg != 0;
    case TEST_ONE_OF:
        return (arg & test->mask) == test->one || (arg & test->mask) == test->other;
    case TEST_IN_SET:
        return (arg & test->mask) < 32 && test->one >> (arg & test->mask) & 1;
    default:
        return true;
    }
}

const struct call_row *call_row_find(long nr, enum call_kind kind)
{
    static const struct call_row *by_number[CALL_NUMBERS];
    static _Atomic bool filled;
    if (UMS_UNLIKELY(!atomic_load_explicit(&filled, memory_order_acquire))) {
        for (unsigned i = 0; i < call_row_count; i++)
            by_number[call_rows[i].nr] = &call_rows[i];
        atomic_store_explicit(&filled, true, memory_order_release);
    }
    const struct call_row *row = nr >= 0 && nr < CALL_NUMBERS ? by_number[nr] : NULL;
    return row && row->kinds & kind ? row : NULL;
}

const struct call_row *trapped_call_find(int nr)
{
    return call_row_find(nr, CALL_STOPS);
}

const struct call_row *trapped_call_stopped(int nr, const long *args)
{
    const struct call_row *row = trapped_call_find(nr);
    return row && call_row_holds(row, args) ? row : NULL;
}

bool call_is_steady(long nr, const long *args)
{
    const struct call_row *row = call_row_find(nr, CALL_STEADY);
    return row && call_row_holds(row, args);
}
