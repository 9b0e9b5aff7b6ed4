/* SPDX-License-Identifier: MIT
 *
 * site_call.c - see site_call.h.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#pragma GCC visibility pop

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/call_numbers.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/lent_call.h"
#include "platform/linux/calls/futex_wake.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/os/vector_state.h"
#include "platform/linux/traps/user_call.h"

/* Read by site_slots.S. */
uint32_t site_numbers[SITE_NUMBERS / 32];
_Static_assert(SITE_NUMBERS == CALL_NUMBERS, "each call has its bit");

static const struct call_row *site_rows[SITE_NUMBERS];
static bool lent[SITE_NUMBERS]; /* lent_call.h */

enum { LONGEST_SYSCALL = 128 };
static uintptr_t libcs_syscall;

/* ---- What a worker does here ----------------------------------------------------------------- */

/* Whether the arguments are such that the call may wait. A futex operation that wakes is looked at,
 * too: it may find a worker. */
CALL_PLAIN_REGISTERS bool sites_leads(long number, const long args[6])
{
    return number == SYS_futex || lent[number] ||
           (site_rows[number] && call_row_holds(site_rows[number], args));
}

/* Whether the call is to be made as a lent one: the filter does not stop it, at all or with these
 * arguments. */
static bool goes_lent(long number, const long args[6])
{
    return lent[number] && !trapped_call_stopped((int)number, args);
}

/* Whether libc makes the call for itself. The program makes calls by libc's `syscall` and sees
 * their results, so these are the program's. */
static bool is_libcs_own(uintptr_t behind)
{
    return behind - libcs_syscall >= LONGEST_SYSCALL && libc_holds((const void *)behind);
}

long sites_call(long number, const long args[6], uintptr_t behind)
{
    int saved = errno; /* a system call leaves it alone */
    long result;
    bool from_libc = is_libcs_own(behind);
    if (goes_lent(number, args))
        result = lent_call(plat_tls.current, number, args, behind, false);
    else if (number != SYS_futex || !from_libc ||
             !futex_lets_go_for_libc(plat_tls.current, args, &result)) {
        result = user_call(plat_tls.current, number, args);
        stop_look_behind(from_libc || !libc_holds((void *)behind) ? (void *)behind : NULL);
    }
    errno = saved;
    return result;
}

long sites_shared_call(const void *cancelled, long number, long a, long b, long c, long d, long e,
                       long f)
{
    const long args[6] = {a, b, c, d, e, f};
    int saved = errno;
    (void)cancelled;
    long result = user_call_cancellable(plat_tls.current, number, args, NULL);
    stop_look_behind((const void *)libcs_syscall); /* some place in libc */
    errno = saved;
    return result;
}

/* ---- Which numbers --------------------------------------------------------------------------- */

bool site_wanted(long number)
{
    return number >= 0 && number < SITE_NUMBERS && site_numbers[number / 32] >> number % 32 & 1;
}

static void lead(long number)
{
    site_numbers[number / 32] |= 1u << number % 32;
}

static void find_numbers(void)
{
    for (long number = 0; number < SITE_NUMBERS; number++) {
        lent[number] = call_is_lent(number);
        if (lent[number])
            lead(number);
    }
    for (unsigned i = 0; i < call_row_count; i++) {
        const struct call_row *row = &call_rows[i];
        if (!(row->kinds & CALL_STOPS) || row->ops == &ops_process)
            continue;
        site_rows[row->nr] = row;
        lead(row->nr);
    }
}

void site_call_init(void)
{
    libcs_syscall = (uintptr_t)front_named_in_libc("syscall");
    vector_state_find();
    find_numbers();
}

/* Shuts the way in: no stack lies above the highest address. */
void site_calls_shut(void)
{
    plat_tls.room.kept = plat_tls.room.low;
    plat_tls.room.low = UINTPTR_MAX;
}

void site_calls_open(void)
{
    plat_tls.room.low = plat_tls.room.kept;
}
