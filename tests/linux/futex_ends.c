/* SPDX-License-Identifier: MIT
 *
 * futex_ends.c - ends of a worker's wait at a futex without a wake-up: by time, by a signal, with
 * the worker's end; and the call's errors for bad arguments.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "futex_calls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static unsigned word;
static int entered; /* how many have come to their wait */

/* ---- Time ---- */

/* So long that the time is not over before the wait has begun, whoever has the processor. */
enum { GIVE_UP_MS = 150 };

static void give_up(struct block_case *c)
{
    int clock = (int)c->number;
    long long started = now_ms(); /* first: others may have the processor after it */
    struct timespec at = from_now(clock, GIVE_UP_MS);
    int operation = clock < 0                 ? FUTEX_WAIT_PRIVATE
                    : clock == CLOCK_REALTIME ? FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME
                                              : FUTEX_WAIT_BITSET_PRIVATE;

    EXPECT_ERRNO(futex(&word, operation, 0, &at, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
    EXPECT_GE(elapsed_ms(started), GIVE_UP_MS - 1);
    EXPECT_LT(elapsed_ms(started), LIMIT_MS);
}

TEST(FutexEnds, give_up_after_a_time)
{
    struct block_case c = {.block = give_up, .number = -1};

    word = 0;
    run_block_case(&c);
}

TEST(FutexEnds, give_up_at_a_time)
{
    struct block_case c = {.block = give_up, .number = CLOCK_MONOTONIC};

    word = 0;
    run_block_case(&c);
}

TEST(FutexEnds, give_up_at_a_time_of_day)
{
    struct block_case c = {.block = give_up, .number = CLOCK_REALTIME};

    word = 0;
    run_block_case(&c);
}

static void give_up_at_once(struct block_case *c)
{
    struct timespec past = {1, 0}, none = {0, 0};

    EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &none, NULL, 0), ETIMEDOUT);
    EXPECT_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &past, NULL, 1), ETIMEDOUT);
}

TEST(FutexEnds, give_up_when_the_time_is_over_already)
{
    struct block_case c = {.block = give_up_at_once};

    word = 0;
    run_unblocked(give_up_at_once, &c, 2);
}

/* ---- Bad arguments ---- */

static void refuse(struct block_case *c)
{
    struct timespec bad = {0, 1000000000}, before = {-1, 0};
    unsigned *forbidden = c->data;

    for (int i = 0; i < 2; i++) { /* the second time a page has been seen */
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0), EAGAIN);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
        EXPECT_ERRNO(futex((unsigned *)8, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex(forbidden, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex(forbidden, FUTEX_WAIT, 0, NULL, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex((unsigned *)((char *)&word + 1), FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0),
                     EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &before, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, (void *)8L, NULL, 0), EFAULT);
        EXPECT_ERRNO(futex((unsigned *)((char *)&word + 2), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0),
                     EINVAL);
        EXPECT_ERRNO(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0), EINVAL);
        EXPECT_ERRNO(futex(&word, 99 | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0), ENOSYS);
    }
}

TEST(FutexEnds, refuse_what_the_kernel_refuses)
{
    struct block_case c = {0};

    word = 0;
    c.data = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_OK(c.data != MAP_FAILED);
    run_unblocked(refuse, &c, 2);
    munmap(c.data, 4096);
}

/* ---- Signals and ends ---- */

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    handled++;
}

static void wait_for_signal(struct block_case *c)
{
    struct timespec limit = from_now(-1, LONG_MS);

    if (c->number) /* a wait without a time is made again after the handler */
        EXPECT_EQ(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), 0);
    else
        EXPECT_ERRNO(futex(&word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0), EINTR);
    EXPECT_EQ(handled, 1);
}

static void send_signal(struct block_case *c)
{
    long long started = now_ms();

    EXPECT_EQ(pthread_kill((pthread_t)c->blocked_pthread, SIGUSR1), 0);
    while (!handled && elapsed_ms(started) < LIMIT_MS)
        UmsThreadYield(NULL);
    if (c->number)
        wake_all_of(&word, 1);
}

static void run_signal(int flags, long restarts)
{
    struct block_case c = {.block = wait_for_signal, .complete = send_signal, .number = restarts};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags}, before;

    word = 0;
    handled = 0;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    run_block_case(&c);
    sigaction(SIGUSR1, &before, NULL);
}

TEST(FutexEnds, end_by_a_signal)
{
    run_signal(0, 0);
}

TEST(FutexEnds, go_on_after_a_signal)
{
    run_signal(SA_RESTART, 1);
}

static void wait_for_ever(struct worker *self)
{
    flag_add(&entered, 1);
    futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    FAIL("it was to end in its wait");
}

/* Ends one worker at once, while its call is in the table, and the other after a while. */
static void end_the_others(struct worker *self)
{
    for (int i = 0; i < 2; i++) {
        struct worker *victim = fleet_worker(self->fleet, i);

        yield_until_entered(&entered, 2);
        EXPECT_OK(TerminateThread(victim->thread, 7));
        while (WaitForSingleObject(victim->thread, 0) != WAIT_OBJECT_0)
            UmsThreadYield(NULL);
        usleep(WAIT_MS * 1000);
    }
    EXPECT_EQ(wake(&word, 9), 0);
}

TEST(FutexEnds, end_with_their_worker)
{
    word = 0;
    entered = 0;
    ASSERT_OK(FLEET_RUN(1, 0, {1, wait_for_ever, NULL}, {1, wait_for_ever, NULL},
                        {1, end_the_others, NULL}));
}
