/* SPDX-License-Identifier: MIT
 *
 * identity_in_worker.c - gettid, tgkill, pthread_kill, raise, rseq, errno: a worker is a thread of
 * its own to the C library and to the kernel interfaces that name threads.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "scenario.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void check_identity(struct worker *self)
{
    pthread_t me = pthread_self();
    clockid_t clock;

    for (int i = 0; i < 30; i++) {
        EXPECT_EQ(gettid(), self->id);
        EXPECT_EQ(syscall(SYS_gettid), self->id);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        EXPECT_EQ(pthread_self(), me);
        EXPECT_EQ(pthread_getcpuclockid(me, &clock), 0);
        errno = 1000 + self->index;
        if (i % 4 == 3) {
            struct timespec duration = {0, 300000};

            nanosleep(&duration, NULL);
        } else {
            UmsThreadYield(NULL);
        }
        EXPECT_EQ(errno, 1000 + self->index);
    }
}

TEST(IdentityInWorker, gettid_and_pthread_self)
{
    FLEET_RUN(3, FLEET_SHARED_READY, {10, check_identity, NULL});
}

/* ---- signals to oneself ---- */

static int handled;
static pid_t handled_by;
static pthread_t handled_self;

static void note_thread(int number)
{
    handled_by = gettid();
    handled_self = pthread_self();
    flag_add(&handled, 1);
}

static void send_to_itself(struct worker *self)
{
    for (int i = 0; i < 12; i++) {
        int before = flag_get(&handled);

        if (i % 3 == 0)
            EXPECT_EQ(raise(SIGUSR1), 0);
        else
            EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
        /* A signal to oneself that is not blocked is delivered before the call returns. */
        EXPECT_EQ(flag_get(&handled), before + 1);
        EXPECT_EQ(handled_by, self->id);
        EXPECT_EQ(handled_self, pthread_self());
        if (i % 2)
            usleep(300);
        else
            UmsThreadYield(NULL);
        if (tc_failures() > 3)
            return;
    }
}

TEST(IdentityInWorker, raise_and_pthread_kill_to_itself)
{
    handled = 0;
    signal(SIGUSR1, note_thread);
    FLEET_RUN(1, 0, {1, send_to_itself, NULL});
}

WORKER_TEST(IdentityInWorker, tgkill_errors)
{
    EXPECT_ERRNO(syscall(SYS_tgkill, getpid(), 0x3fffffff, 0), ESRCH);
    EXPECT_ERRNO(syscall(SYS_tgkill, getpid(), gettid(), 999), EINVAL);
    EXPECT_EQ(syscall(SYS_tgkill, getpid(), gettid(), 0), 0);
}

/* ---- signal masks are each worker's own ---- */

static int from_handler;

static void note_only(int number)
{
    flag_add(&from_handler, 1);
}

static void mask_and_raise(struct block_case *c)
{
    sigset_t set;
    sigset_t old;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, &old), 0);
    EXPECT_EQ(sigismember(&old, SIGUSR2), 0);
    EXPECT_EQ(raise(SIGUSR2), 0);
    EXPECT_EQ(flag_get(&from_handler), 0);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
    EXPECT_EQ(flag_get(&from_handler), 1);
}

TEST(IdentityInWorker, blocked_signal_is_pending_until_unblocked)
{
    struct block_case c = {.number = 0};

    from_handler = 0;
    signal(SIGUSR2, note_only);
    run_in_worker(mask_and_raise, &c);
}

/* ---- rseq: the CPU number that the C library reads in user mode ---- */

static void check_cpu(struct worker *self)
{
    for (int i = 0; i < 200; i++) {
        unsigned before = 0;
        unsigned after = 0;
        int fast;

        syscall(SYS_getcpu, &before, NULL, NULL);
        fast = sched_getcpu();
        syscall(SYS_getcpu, &after, NULL, NULL);
        EXPECT_GE(fast, 0);
        EXPECT_LT(fast, CPU_SETSIZE);
        if (before == after)
            EXPECT_EQ(fast, before);
        if (i % 50 == 49)
            usleep(200);
        else
            UmsThreadYield(NULL);
        if (tc_failures() > 3)
            return;
    }
}

/* Each scheduler on a processor of its own, the workers going to and fro: a number read from a
 * stale area would be the other one's. */
static int scheduler_count;

static void pin(const struct activation *activation, void *arg)
{
    if (activation->reason == UmsSchedulerStartup) {
        int cpu = (flag_add(&scheduler_count, 1) - 1) & 1;

        EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), (DWORD_PTR)1 << cpu), 0);
    }
}

TEST(IdentityInWorker, rseq_after_switch)
{
    struct fleet *fleet = fleet_create(2, 8, FLEET_SHARED_READY);

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        SKIP("needs two processors");
    ASSERT_NE(fleet, NULL);
    scheduler_count = 0;
    fleet_set_hook(fleet, pin, NULL);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, check_cpu, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

/* The first thread's area is registered in a way that is not glibc's: noticed before anything relies on it,
 * and said in one line. It is looked at once, before the first UMS call: in a process that made none yet. */
static int register_another_length(void *arg)
{
    enum { SIGNATURE = 0x53053053, BY_GLIBC = 32, ANOTHER = 96, ALIGN = 28 };
    void *area = (char *)__builtin_thread_pointer() + __rseq_offset;
    static _Alignas(128) char own_area[128];

    EXPECT_EQ(syscall(SYS_rseq, area, BY_GLIBC, 1, SIGNATURE), 0);
    EXPECT_EQ(syscall(SYS_rseq, own_area, ANOTHER, 0, SIGNATURE), 0);
    return scenario_run(10);
}

TEST(IdentityInWorker, unknown_rseq_registration)
{
    struct child_result result;
    const char *line_end;

    if (!__rseq_size)
        SKIP("this C library registers no rseq area here");
    result = child_run(register_another_length, NULL, 15000);
    EXPECT_CHILD_OK(result);
    line_end = strchr(result.output, '\n');
    EXPECT_THAT(strstr(result.output, "restartable sequences") && line_end && line_end[1] == 0,
                "want one line about restartable sequences; saw \"%s\"", result.output);
}
