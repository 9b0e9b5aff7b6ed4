/* SPDX-License-Identifier: MIT
 *
 * site_call.c - see site_call.h.
 */
#pragma GCC visibility push(default)
#include <cpuid.h>
#include <errno.h>
#pragma GCC visibility pop

#include "platform/linux/calls.h"
#include "platform/linux/front.h"
#include "platform/linux/raw.h"
#include "platform/linux/site_call.h"
#include "platform/linux/site_slots.h"

/* Read by site_slots.S. */
uint32_t site_numbers[SITE_NUMBERS / 32];
uint64_t site_state_bytes;
uint32_t site_state_parts, site_state_form;

static const struct trapped_call *site_rows[SITE_NUMBERS];

/* ---- What a worker does here --------------------------------------------------------------------------- */

/* Whether the arguments are such that the call may wait. A futex operation that wakes is looked at, too: it may
 * find a worker. */
CALL_PLAIN_REGISTERS bool sites_leads(long number, const long args[6])
{
    return number == SYS_futex || call_is_stopped(site_rows[number], args);
}

long sites_call(long number, const long args[6])
{
    int saved = errno; /* the kernel does not know it */
    long result = user_call(plat_tls.current, number, args);
    errno = saved;
    return result;
}

/* For libc's cancellable calls, which look whether they are cancelled when this says EINTR. */
long sites_shared_call(const void *cancelled, long number, long a, long b, long c, long d,
                                             long e, long f)
{
    const long args[6] = {a, b, c, d, e, f};
    int saved = errno;
    (void)cancelled;
    long result = user_call_cancellable(plat_tls.current, number, args);
    errno = saved;
    return result;
}

/* The red zone, the registers, and what user_call and the switch below it take. */
size_t site_stack_bytes(void)
{
    enum { CALLS = 8192, WITHOUT_STATE = 4096 };
    return CALLS + (site_state_bytes ? site_state_bytes : WITHOUT_STATE);
}

/* All that a system call keeps, but the tiles of AMX: they alone are twice as large as all the rest. */
static void find_state(void)
{
    enum { PARTS = 1 << 19 | 0xe7, LEGACY = 512, HEADER = 64 };
    uint32_t a, b, c, d, low, high;
    site_state_form = SITE_STATE_OLD;
    site_state_bytes = LEGACY;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    bool compact = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 2;
    site_state_parts = low & PARTS;
    size_t bytes = LEGACY + HEADER;
    for (unsigned part = 2; part < 32; part++) {
        if (!(site_state_parts & 1u << part) || !__get_cpuid_count(0xd, part, &a, &b, &c, &d))
            continue;
        if (compact)
            bytes = (c & 2 ? (bytes + 63) & ~(size_t)63 : bytes) + a;
        else if (b + a > bytes)
            bytes = b + a;
    }
    site_state_bytes = (bytes + 63) & ~(size_t)63;
    site_state_form = compact ? SITE_STATE_COMPACT : SITE_STATE_STANDARD;
}

/* ---- Which numbers ---------------------------------------------------------------------------------------- */

bool site_wanted(long number)
{
    return number >= 0 && number < SITE_NUMBERS && site_numbers[number / 32] >> number % 32 & 1;
}

static void find_numbers(void)
{
    for (unsigned i = 0; i < trapped_call_count; i++) {
        const struct trapped_call *row = &trapped_calls[i];
        if (row->ops == &ops_process)
            continue;
        site_rows[row->nr] = row;
        site_numbers[row->nr / 32] |= 1u << row->nr % 32;
    }
}

void site_call_init(void)
{
    find_state();
    find_numbers();
}

/* No stack lies above the highest address. */
void site_calls_shut(void)
{
    plat_tls.door_kept = plat_tls.door_low;
    plat_tls.door_low = UINTPTR_MAX;
}

void site_calls_open(void)
{
    plat_tls.door_low = plat_tls.door_kept;
}
