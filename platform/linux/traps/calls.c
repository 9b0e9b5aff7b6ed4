/* SPDX-License-Identifier: MIT
 *
 * calls.c - the table of trapped calls.
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

#include "platform/linux/os/raw.h"

#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

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
#define CALL(name, test, ops) {SYS_##name, #name, test, &ops},
const struct trapped_call trapped_calls[] = {
#include "platform/linux/traps/calls.def"
};
#undef CALL
const unsigned trapped_call_count = sizeof trapped_calls / sizeof *trapped_calls;

CALL_PLAIN_REGISTERS bool call_is_stopped(const struct trapped_call *entry, const long *args)
{
    const struct call_test *test = &entry->trap_if;
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

const struct trapped_call *trapped_call_find(int nr)
{
    static const struct trapped_call *by_number[512];
    static _Atomic bool filled;
    if (UMS_UNLIKELY(!atomic_load_explicit(&filled, memory_order_acquire))) {
        for (unsigned i = 0; i < trapped_call_count; i++)
            by_number[trapped_calls[i].nr] = &trapped_calls[i];
        atomic_store_explicit(&filled, true, memory_order_release);
    }
    return nr >= 0 && nr < 512 ? by_number[nr] : NULL;
}

const struct trapped_call *trapped_call_stopped(int nr, const long *args)
{
    const struct trapped_call *entry = trapped_call_find(nr);
    return entry && call_is_stopped(entry, args) ? entry : NULL;
}
