/* SPDX-License-Identifier: MIT
 *
 * cancel_not_now.c - pthread_cancel of a worker that has disabled cancellation, or is in a Win32
 * wait or another that is no cancellation point. The worker ends at its next cancellation point,
 * and no call before that is cut short. And pthread_cancel of many workers, at any moment.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct victim {
    pthread_t thread;
    int ready;
    int cancelled;
};

static int ends[2];
static int came_back;

static void read_for_good(void)
{
    char byte;

    (void)!read(ends[0], &byte, 1);
    FAIL("came back from read");
}

/* Neither is the sleep cut short, nor does it begin again: then it would take as long once more from where it was
 * cancelled, late in it, so that a late wake-up looks otherwise. */
enum { SLEEP_MS = 900, CANCEL_MS = 700 };

static void sleep_on(struct worker *self)
{
    struct timespec duration = {0, SLEEP_MS * 1000000L};
    struct victim *victim = self->arg;
    long long begun;
    int before = -1;

    victim->thread = pthread_self();
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before), 0);
    EXPECT_EQ(before, PTHREAD_CANCEL_ENABLE);
    flag_set(&victim->ready, 1);
    begun = now_ms();
    EXPECT_EQ(nanosleep(&duration, NULL), 0);
    begun = elapsed_ms(begun);
    EXPECT_THAT(begun >= SLEEP_MS - 1 && begun < SLEEP_MS + CANCEL_MS, "slept %lld ms", begun);
    EXPECT_OK(yield_until(&victim->cancelled)); /* as a rule it was meanwhile */
    flag_set(&came_back, 1);
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before), 0);
    EXPECT_EQ(before, PTHREAD_CANCEL_DISABLE);
    flag_set(&came_back, 2);
    read_for_good();
}

static DWORD WINAPI cancel_after_a_while(LPVOID param)
{
    struct victim *victim = param;

    EXPECT_OK(wait_until(&victim->ready, 5000));
    usleep(CANCEL_MS * 1000);
    EXPECT_EQ(pthread_cancel(victim->thread), 0);
    flag_set(&victim->cancelled, 1);
    return 0;
}

/* The thread cancels the worker in its first wait. The worker goes on, and ends in the read. */
static void goes_on(const char *name, worker_body wait, LPTHREAD_START_ROUTINE cancels,
                    void *victim, int wanted)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    HANDLE thread;

    came_back = 0;
    make_pipe(ends);
    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 15000);
    fleet_add(fleet, wait, victim);
    thread = CreateThread(NULL, 0, cancels, victim, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_THAT(came_back == wanted, "%s: came to %d, not to %d", name, came_back, wanted);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    CloseHandle(thread);
    fleet_destroy(fleet);
    close(ends[0]);
    close(ends[1]);
}

static void cancel_in(const char *name, worker_body wait, int wanted)
{
    struct victim victim = {.ready = 0};

    goes_on(name, wait, cancel_after_a_while, &victim, wanted);
}

TEST(CancelNotNow, while_it_is_disabled)
{
    cancel_in("nanosleep", sleep_on, 2);
}

/* A Win32 wait is no cancellation point: it ends as it would without pthread_cancel. */
static void wait_for_event(struct worker *self)
{
    struct victim *victim = self->arg;

    victim->thread = pthread_self();
    flag_set(&victim->ready, 1);
    EXPECT_EQ(SleepEx(400, FALSE), 0);
    EXPECT_OK(yield_until(&victim->cancelled)); /* as a rule it was meanwhile */
    flag_set(&came_back, 3);
    read_for_good();
}

TEST(CancelNotNow, in_a_win32_wait)
{
    cancel_in("SleepEx", wait_for_event, 3);
}

/* ---- libc's functions that wait and are no cancellation points ---- */

static int semaphores, files[2];

static int wait_for_semaphore(void)
{
    struct sembuf take = {0, -1, 0};

    return semop(semaphores, &take, 1);
}

static void free_semaphore(void)
{
    struct sembuf give = {0, 1, 0};

    EXPECT_EQ(semop(semaphores, &give, 1), 0);
}

static int wait_for_file(void)
{
    return flock(files[1], LOCK_EX);
}

static void free_file(void)
{
    EXPECT_EQ(flock(files[0], LOCK_UN), 0);
}

static int word;

/* The wait may begin anew after the cancellation, and then find the word changed: EAGAIN. */
static int wait_for_word(void)
{
    long result = syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0);

    return result && errno != EAGAIN;
}

static void free_word(void)
{
    flag_set(&word, 1);
    EXPECT_NE(syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0), -1);
}

static const struct no_point {
    const char *name;
    int (*wait)(void);
    void (*let_go)(void);
} no_points[] = {
    {"semop", wait_for_semaphore, free_semaphore},
    {"flock", wait_for_file, free_file},
    {"futex", wait_for_word, free_word},
};
enum { NO_POINTS = sizeof no_points / sizeof *no_points };

struct patient {
    struct victim victim;
    const struct no_point *at;
};

static void wait_on(struct worker *self)
{
    struct patient *patient = self->arg;
    int result;

    patient->victim.thread = pthread_self();
    flag_set(&patient->victim.ready, 1);
    result = patient->at->wait();
    EXPECT_THAT(!result, "%s gave %d, errno %d", patient->at->name, result, errno);
    EXPECT_EQ(flag_get(&patient->victim.cancelled), 1);
    flag_set(&came_back, 4);
    read_for_good();
}

static DWORD WINAPI cancel_and_let_go(LPVOID param)
{
    struct patient *patient = param;

    EXPECT_OK(wait_until(&patient->victim.ready, 5000));
    usleep(20000);
    EXPECT_EQ(pthread_cancel(patient->victim.thread), 0);
    usleep(20000);
    flag_set(&patient->victim.cancelled, 1);
    patient->at->let_go();
    return 0;
}

TEST(CancelNotNow, in_calls_that_are_no_cancellation_points)
{
    char name[] = "/tmp/ums-no-point-XXXXXX";

    semaphores = semget(IPC_PRIVATE, 1, 0600);
    EXPECT_NE(semaphores, -1);
    files[0] = mkstemp(name);
    files[1] = open(name, O_RDWR);
    EXPECT_EQ(unlink(name), 0);
    EXPECT_EQ(flock(files[0], LOCK_EX), 0);
    for (int i = 0; i < NO_POINTS; i++)
        goes_on(no_points[i].name, wait_on, cancel_and_let_go,
                &(struct patient){.at = &no_points[i]}, 4);
    EXPECT_EQ(semctl(semaphores, 0, IPC_RMID), 0);
    close(files[0]);
    close(files[1]);
}

/* ---- Many, at any moment ---- */

enum { MANY = 60 };
static struct victim many[MANY];
static int cleanups;

static void clean_up(void *unused)
{
    flag_add(&cleanups, 1);
}

/* Never outside a cancellation point for long, and seldom at the same one. */
static void roam(struct worker *self)
{
    struct victim *victim = self->arg;
    struct timespec duration = {0, 50000};
    int fd[2];
    char byte = 0;

    make_pipe(fd);
    victim->thread = pthread_self();
    pthread_cleanup_push(clean_up, NULL);
    flag_set(&victim->ready, 1);
    for (unsigned i = (unsigned)self->index;; i++) {
        switch (i % 4) {
        case 0:
            nanosleep(&duration, NULL);
            break;
        case 1:
            (void)!write(fd[1], &byte, 1);
            (void)!read(fd[0], &byte, 1);
            break;
        case 2:
            poll(NULL, 0, 1);
            break;
        default:
            UmsThreadYield(NULL);
        }
    }
    pthread_cleanup_pop(0);
}

static DWORD WINAPI cancel_many(LPVOID unused)
{
    for (int i = 0; i < MANY; i++)
        EXPECT_OK(wait_until(&many[i].ready, 10000));
    for (int i = 0; i < MANY; i++) {
        usleep((useconds_t)(i * 37 % 100) * 10);
        EXPECT_EQ(pthread_cancel(many[i].thread), 0);
    }
    return 0;
}

TEST(CancelNotNow, many_at_any_moment)
{
    struct fleet *fleet = fleet_create(2, MANY, FLEET_SHARED_READY);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < MANY; i++)
        fleet_add(fleet, roam, &many[i]);
    thread = CreateThread(NULL, 0, cancel_many, NULL, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(cleanups, MANY);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    CloseHandle(thread);
    fleet_destroy(fleet);
}
