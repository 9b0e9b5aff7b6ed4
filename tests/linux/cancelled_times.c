/* SPDX-License-Identifier: MIT
 *
 * cancelled_times.c - pthread_cancel of a worker in a call that is no cancellation point and has a
 * time. The call goes on, and its time counts from where it began: not once more from there.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Cancelled late, so that a late wake-up looks otherwise than a new beginning. */
enum { LASTS_MS = 900, CANCEL_MS = 700 };

static int semaphores;

static int sleep_by_number(void)
{
    struct timespec time = {0, LASTS_MS * 1000000L};

    return (int)syscall(SYS_nanosleep, &time, &time);
}

static int poll_by_number(void)
{
    return (int)syscall(SYS_poll, NULL, 0, LASTS_MS);
}

static int wait_for_files(void)
{
    struct epoll_event event;
    int set = epoll_create1(EPOLL_CLOEXEC);
    int result = (int)syscall(SYS_epoll_wait, set, &event, 1, LASTS_MS);

    close(set);
    return result;
}

static int select_by_number(void)
{
    struct timespec time = {0, LASTS_MS * 1000000L};

    return (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, NULL);
}

static int wait_for_word_in_time(void)
{
    struct timespec time = {0, LASTS_MS * 1000000L};
    static int never;

    return !syscall(SYS_futex, &never, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &time, NULL, 0) ||
           errno != ETIMEDOUT;
}

static int wait_for_semaphore_in_time(void)
{
    struct timespec time = {0, LASTS_MS * 1000000L};
    struct sembuf take = {0, -1, 0};

    return !semtimedop(semaphores, &take, 1, &time) || errno != EAGAIN;
}

static int wait_for_signal_in_time(void)
{
    struct timespec time = {0, LASTS_MS * 1000000L};
    unsigned long set = 1ul << (SIGUSR2 - 1);

    return syscall(SYS_rt_sigtimedwait, &set, NULL, &time, sizeof set) != -1 || errno != EAGAIN;
}

static const struct timed {
    const char *name;
    int (*wait)(void); /* 0: it ended as it had to */
} timed[] = {
    {"nanosleep", sleep_by_number},
    {"poll", poll_by_number},
    {"epoll_wait", wait_for_files},
    {"pselect6", select_by_number},
    {"futex", wait_for_word_in_time},
    {"semtimedop", wait_for_semaphore_in_time},
    {"rt_sigtimedwait", wait_for_signal_in_time},
};
enum { TIMED = sizeof timed / sizeof *timed };

static struct victim {
    pthread_t thread;
    int ready, cancelled;
} victims[TIMED];

static void wait_in_time(struct worker *self)
{
    const struct timed *call = &timed[self->index];
    struct victim *victim = &victims[self->index];
    long long begun = now_ms();
    int result;

    victim->thread = pthread_self();
    flag_set(&victim->ready, 1);
    result = call->wait();
    begun = elapsed_ms(begun);
    EXPECT_THAT(!result, "%s gave %d, errno %d", call->name, result, errno);
    EXPECT_THAT(begun >= LASTS_MS - 1 && begun < LASTS_MS + CANCEL_MS, "%s took %lld ms",
                call->name, begun);
    EXPECT_OK(yield_until(&victim->cancelled)); /* as a rule it was meanwhile */
}

static DWORD WINAPI cancel_each_late(LPVOID unused)
{
    (void)unused;
    for (int i = 0; i < TIMED; i++)
        EXPECT_OK(wait_until(&victims[i].ready, 5000));
    usleep(CANCEL_MS * 1000);
    for (int i = 0; i < TIMED; i++) {
        EXPECT_EQ(pthread_cancel(victims[i].thread), 0);
        flag_set(&victims[i].cancelled, 1);
    }
    return 0;
}

TEST(CancelledTimes, count_from_the_first_attempt)
{
    struct fleet *fleet = fleet_create(1, TIMED, 0);

    semaphores = semget(IPC_PRIVATE, 1, 0600);
    ASSERT_NE(semaphores, -1);
    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < TIMED; i++)
        fleet_add(fleet, wait_in_time, NULL);
    fleet_run_beside(fleet, 1, cancel_each_late, NULL);
    EXPECT_EQ(semctl(semaphores, 0, IPC_RMID), 0);
}
