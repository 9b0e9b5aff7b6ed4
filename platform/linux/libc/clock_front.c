/* SPDX-License-Identifier: MIT
 *
 * clock_front.c - libc's clocks of threads, for UMS threads: CLOCK_THREAD_CPUTIME_ID in one, the
 * clock that pthread_getcpuclockid names, and getrusage(RUSAGE_THREAD).
 *
 * The kernel names a thread's clock by the thread's id. That of a UMS thread names the clock of its
 * home, which is parked: so the time that other kernel threads have used for it is added
 * (cpu_time.h). libc serves every other clock.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/unseen.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/os/raw.h"

/* ---- Which clock ----------------------------------------------------------------------------- */

/* The kernel's encoding: ~tid, a bit that says "of a thread", and two that say which time the clock
 * counts. */
enum { OF_WHAT = 3, OF_USER = 1, PER_THREAD = 4, DESCRIPTOR = 3 };

static bool may_be_of_thread(clockid_t clock)
{
    return clock == CLOCK_THREAD_CPUTIME_ID ||
           (clock < 0 && clock & PER_THREAD && (clock & OF_WHAT) != DESCRIPTOR);
}

/* The UMS thread that the clock belongs to, or NULL. */
static struct plat_context *owner_of(clockid_t clock)
{
    pid_t tid = clock < 0 ? (pid_t) ~(clock >> 3) : 0;
    return tid ? tid_home(tid) : plat_current();
}

/* Whether the plain thread has been a scheduler: its clock would go back if the kernel's alone
 * counted. */
static bool was_scheduler(void)
{
    return plat_tls.thread && plat_tls.thread->times.carried_total;
}

static __attribute__((noinline)) int read_thread_clock(clockid_t clock, struct timespec *time)
{
    struct plat_context *context = owner_of(clock);
    struct cpu_time used;
    if (!context && (clock < 0 || !was_scheduler()))
        return LIBC(clock_gettime)(clock, time);
    if (context ? !cpu_time_of(context, &used) : !cpu_time_of_self(&used)) {
        errno = EINVAL;
        return -1;
    }
    uint64_t ns = clock < 0 && (clock & OF_WHAT) == OF_USER ? used.user : used.total;
    time->tv_sec = (time_t)(ns / 1000000000u);
    time->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

/* ---- libc's names ---------------------------------------------------------------------------- */

STOP_LOOKS int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = UMS_UNLIKELY(may_be_of_thread(clock)) ? read_thread_clock(clock, time)
                                                       : LIBC(clock_gettime)(clock, time);
    stop_look();
    return result;
}

/* No thread can sleep by a UMS thread's clock: the kernel would wait for the parked home's. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                    struct timespec *remain)
{
    if (UMS_UNLIKELY(clock < 0) && may_be_of_thread(clock) && owner_of(clock))
        return ENOTSUP;
    struct lane *lane;
    struct plat_context *self = unseen_worker(&lane);
    if (UMS_UNLIKELY(self != NULL))
        return unseen_clock_sleep(self, clock, flags, request, remain);
    return LIBC(clock_nanosleep)(clock, flags, request, remain);
}

/* A thread that asks for a clock will read it: the time of UMS threads is counted from here on. */
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    int error = LIBC(pthread_getcpuclockid)(thread, clock);
    if (!error && may_be_of_thread(*clock) && owner_of(*clock))
        cpu_time_begin();
    return error;
}

static struct timeval timeval_of(uint64_t ns)
{
    return (struct timeval){(time_t)(ns / 1000000000u), (suseconds_t)(ns % 1000000000u / 1000)};
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    struct cpu_time used;
    int result = LIBC(getrusage)(who, usage);
    bool ours = who == RUSAGE_THREAD && (plat_current() || was_scheduler());
    if (result || !ours || !cpu_time_of_self(&used))
        return result;
    usage->ru_utime = timeval_of(used.user);
    usage->ru_stime = timeval_of(used.total - used.user);
    return 0;
}
