/* SPDX-License-Identifier: MIT
 *
 * syscall_front.c - libc's syscall() for UMS threads.
 *
 * Programs that use futexes of their own, or calls that libc has no function for, make them by it.
 * A worker's call goes the way of front.c if it is in the table of calls that may wait or in that
 * of lent calls (lent_call.h), or if it wakes others that wait for a futex. So does a scheduler's
 * call that wakes others. A call that makes a process as fork does becomes fork: the child of the
 * bare call would be a second copy of the carrier, and leave a scheduler that it does not have when
 * it waits. A call that installs a seccomp filter for all threads installs it in each
 * (late_filter.h). Every other call is libc's own, with nothing of the library's on the stack.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/lent_call.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/threads/late_filter.h"
#include "platform/linux/traps/user_call.h"

typedef long bare_call(long nr, long a, long b, long c, long d, long e, long f);

/* libc's function takes a list of arguments. This one takes seven: a caller of either puts them
 * into the same places. */
STOP_LOOKS FRONT_EXPORT bare_call front_syscall __asm__("syscall");

static bool goes_our_way(const struct plat_context *self, long nr)
{
    if (!engine_caps.front || nr < 0 || nr > INT32_MAX)
        return false;
    const struct call_row *entry = trapped_call_find((int)nr);
    return nr == SYS_futex ||
           (!self->is_scheduler && (entry ? entry->ops != &ops_process : call_is_lent(nr)));
}

static long as_libc(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

long front_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    struct plat_context *self = plat_tls.current;
    if (UMS_UNLIKELY(nr == SYS_seccomp) && engine_runs() && late_filter_is(a, b))
        return as_libc(late_filter(b, c));
    if (self && carried() && (nr == SYS_fork || nr == SYS_vfork))
        return fork();
    if (self && carried() && nr == SYS_clone && process_is_copy(a, b))
        return as_libc(process_copy((const long[6]){a, b, c, d, e}));
    if (UMS_LIKELY(!self) || !goes_our_way(self, nr))
        return ((bare_call *)front_next(FRONT_syscall))(nr, a, b, c, d, e, f);
    long result = as_libc(user_call(self, nr, (const long[6]){a, b, c, d, e, f}));
    stop_look();
    return result;
}
