/* SPDX-License-Identifier: MIT
 *
 * late_filter.c - see late_filter.h.
 *
 * seccomp(SECCOMP_FILTER_FLAG_TSYNC) gives the caller's filters to all threads. The kernel does so
 * only if these have no filters but the caller's, and carriers have one of the engine's. So the
 * library asks each thread to install the program's filter by itself, as for a change of ids
 * (credentials.c), and with it the caller's no_new_privs, as the kernel does. The call comes by
 * libc's syscall(), as libseccomp makes it, on a thread that may wait for the others. The worker's
 * home or the broker tries the filter first. So if the kernel refuses a filter no other thread has
 * it.
 *
 * Reactors that receive notifications are not asked: a filter that refuses ioctl would stop them,
 * and with them every call of a worker that waits. They run no code of the program and make none of
 * its calls. A worker's calls are made by its carrier, its home or a helper, which have the filter.
 * No filter sees requests of io_uring. So from here on the engine's rings make no calls of the
 * program (engine_caps.sandboxed).
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/threads/credentials.h"
#include "platform/linux/threads/late_filter.h"
#include "platform/linux/traps/errand.h"
#include "platform/linux/traps/lanes.h"

bool late_filter_is(long operation, long flags)
{
    return operation == SECCOMP_SET_MODE_FILTER && flags & SECCOMP_FILTER_FLAG_TSYNC &&
           !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

/* args: flags, program, whether to set no_new_privs. Runs in each thread, in a signal handler or on
 * a home, so it uses no thread-local data. */
static long install(const long args[3])
{
    if (lane_reacts(own_tid()))
        return 0;
    if (args[2])
        RAW5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return RAW3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, args[0], args[1]);
}

static long has_no_new_privs(const long *unused)
{
    (void)unused;
    return RAW5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

struct trial {
    const long *args;
    long result;
};

static void try_on_broker(void *arg)
{
    struct trial *trial = arg;
    trial->result = install(trial->args);
}

static long try_it(const long args[3])
{
    struct trial trial = {.args = args};
    if (carried())
        trial.result = home_run(plat_current(), install, args);
    else
        broker_run(try_on_broker, &trial);
    if (trial.result >= 0)
        engine_caps.sandboxed = true;
    return trial.result;
}

long late_filter(long flags, long program)
{
    struct plat_context *self = carried() ? plat_current() : NULL;
    struct order order = {.make = install,
                          .try = try_it,
                          .args = {flags & ~(long)SECCOMP_FILTER_FLAG_TSYNC, program},
                          .what = "the seccomp filter"};
    /* For the program the home's state counts: a carrier has no_new_privs anyway. */
    order.args[2] = self ? home_run(self, has_no_new_privs, NULL) : has_no_new_privs(NULL);
    return in_every_thread(&order);
}
