/* SPDX-License-Identifier: MIT
 *
 * policy.c - see policy.h.
 *
 * A thread that is to rise and a scheduler that raises the priority both hold the lock, so the
 * second one sees the first.
 */
#include <errno.h>
#include <sched.h>

#include "platform/linux/os/policy.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

enum { MOST = 3 * CPU_SETSIZE + 8, HIGHEST = 99 };

static PLAT_LOCK(POLICY) lock;
static pid_t threads[MOST];
static unsigned count;
static int wanted; /* their priority; 0: that with which they began */

static void raise_one(pid_t tid)
{
    struct sched_param param = {.sched_priority = wanted};
    long error = RAW3(SYS_sched_setscheduler, tid, SCHED_FIFO, &param);
    if (error)
        plat_log_once(
            "the library's threads cannot run above the program's real-time policy (%s): a "
            "worker that sleeps may come late where others always run; raise RLIMIT_RTPRIO "
            "(ulimit -r) above the program's priority",
            error == -EPERM ? "its limit on priorities" : "refused");
}

void policy_rises(void)
{
    plat_lock(&lock);
    pid_t self = (pid_t)RAW0(SYS_gettid);
    if (count < MOST)
        threads[count++] = self;
    if (wanted)
        raise_one(self);
    plat_unlock(&lock);
}

void policy_ends(void)
{
    pid_t self = (pid_t)RAW0(SYS_gettid);
    plat_lock(&lock);
    for (unsigned i = 0; i < count; i++)
        if (threads[i] == self)
            threads[i] = threads[--count];
    plat_unlock(&lock);
}

bool policy_of_scheduler(void)
{
    struct sched_param own = {0};
    long policy = RAW1(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || RAW2(SYS_sched_getparam, 0, &own))
        return false;
    int above = own.sched_priority < HIGHEST ? own.sched_priority + 1 : HIGHEST;
    plat_lock(&lock);
    if (above > wanted) {
        wanted = above;
        for (unsigned i = 0; i < count; i++)
            raise_one(threads[i]);
    }
    plat_unlock(&lock);
    return true;
}

void policies_forget(void)
{
    plat_lock_forget(&lock);
    count = 0;
}
