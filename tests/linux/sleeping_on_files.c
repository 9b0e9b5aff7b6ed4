/* SPDX-License-Identifier: MIT
 *
 * sleeping_on_files.c - a scheduler with nothing to do sleeps on the files that its workers have just begun to wait for,
 * while the limit of descriptors is below their number, or another thread disturbs it all the time; and on those of
 * another scheduler of its processor, which has nothing to do either.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READERS = 6, ROUNDS = 40, SOON_US = 100, PAUSE_US = 1500, CHILD_LIMIT_MS = 20000 };

static int pipes[READERS][2];
static int returned;
static bool with_low_limit;

/* Of which the kernel polls no more at a time. The engine has its own by now. */
static void lower_limit(void)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = READERS;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Each gets what is written to its own pipe, in order. */
static void read_all(struct worker *self)
{
    if (with_low_limit && self->index == 0)
        lower_limit();
    for (int i = 0; i < ROUNDS; i++) {
        char byte = 0;

        EXPECT_EQ(read(pipes[self->index][0], &byte, 1), 1);
        EXPECT_EQ(byte, (char)i);
        flag_add(&returned, 1);
    }
}

static void wait_for_count(int count)
{
    long long started = now_ms();

    while (flag_get(&returned) < count && elapsed_ms(started) < 10000)
        usleep(100);
    EXPECT_EQ(flag_get(&returned), count);
}

/* Some waits end soon, some outlast the scheduler's sleep on files. */
static void *feed(void *unused)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        char byte = (char)i;

        wait_for_count(i * READERS);
        usleep(i % 2 ? PAUSE_US : SOON_US);
        for (int reader = 0; reader < READERS; reader++)
            EXPECT_EQ(write(pipes[reader][1], &byte, 1), 1);
    }
    return NULL;
}

typedef void (*disturbance)(void);
static pthread_t scheduler;
static HANDLE scheduler_thread;

static void *disturb_all_the_time(void *how)
{
    while (flag_get(&returned) < READERS * ROUNDS && !tc_failures()) {
        ((disturbance)how)();
        usleep(SOON_US);
    }
    return NULL;
}

static void read_what_is_fed(disturbance how)
{
    struct fleet *fleet = fleet_create(1, READERS, FLEET_WAITS);
    pthread_t feeder, disturber;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < READERS; i++)
        fleet_add(fleet, read_all, NULL);
    EXPECT_EQ(pthread_create(&feeder, NULL, feed, NULL), 0);
    if (how)
        EXPECT_EQ(pthread_create(&disturber, NULL, disturb_all_the_time, how), 0);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(pthread_join(feeder, NULL), 0);
    if (how)
        EXPECT_EQ(pthread_join(disturber, NULL), 0);
    EXPECT_EQ(flag_get(&returned), READERS * ROUNDS);
    fleet_destroy(fleet);
}

static void open_pipes(void)
{
    for (int i = 0; i < READERS; i++)
        make_pipe(pipes[i]);
}

/* ---- The limit of descriptors ---- */

static int with_a_low_limit(void *arg)
{
    (void)arg;
    open_pipes();
    with_low_limit = true;
    read_what_is_fed(NULL);
    return 0;
}

TEST(SleepingOnFiles, the_limit_of_descriptors_is_below_their_number)
{
    struct child_result result = child_run(with_a_low_limit, NULL, CHILD_LIMIT_MS);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

/* ---- Disturbances ---- */

static int handled;

static void note(int number)
{
    flag_add(&handled, 1);
}

static void send_signal(void)
{
    EXPECT_EQ(pthread_kill(scheduler, SIGUSR1), 0);
}

static void stop_for_a_moment(void)
{
    EXPECT_NE(SuspendThread(scheduler_thread), (DWORD)-1);
    usleep(SOON_US);
    EXPECT_NE(ResumeThread(scheduler_thread), (DWORD)-1);
}

static void fork_once(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    EXPECT_GT(pid, 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
}

static int disturbed(void *how)
{
    scheduler = pthread_self();
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &scheduler_thread, 0, FALSE, DUPLICATE_SAME_ACCESS));
    open_pipes();
    read_what_is_fed(how);
    EXPECT_OK(CloseHandle(scheduler_thread));
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

static int disturbed_by_signals(void *unused)
{
    const char *detect = getenv("UMSSHIM_DETECT");
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};

    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    disturbed(send_signal);
    if (detect && strcmp(detect, "0") == 0) /* elsewhere it has every signal blocked */
        EXPECT_GT(flag_get(&handled), 0);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(SleepingOnFiles, the_scheduler_has_signals,
          EXPECT_IN_CHILD(disturbed_by_signals, NULL, CHILD_LIMIT_MS))
CALL_TEST(SleepingOnFiles, the_scheduler_is_suspended,
          EXPECT_IN_CHILD(disturbed, stop_for_a_moment, CHILD_LIMIT_MS))
CALL_TEST(SleepingOnFiles, a_thread_forks, EXPECT_IN_CHILD(disturbed, fork_once, CHILD_LIMIT_MS))

/* ---- Two schedulers of one processor ---- */

enum { PASSES = 300, SELDOM = 50 };

static int there[READERS][2], back[READERS][2];

static char byte_from(int number)
{
    char byte = -1;

    EXPECT_EQ(read(number, &byte, 1), 1);
    return byte;
}

static void send_and_receive(struct worker *self)
{
    for (int i = 0; i < PASSES && !tc_failures(); i++) {
        char byte = (char)(i % 100);

        if (i % SELDOM == self->index)
            usleep(PAUSE_US);
        EXPECT_EQ(write(there[self->index][1], &byte, 1), 1);
        EXPECT_EQ(byte_from(back[self->index][0]), byte + 1);
    }
}

static void answer(struct worker *self)
{
    for (int i = 0; i < PASSES && !tc_failures(); i++) {
        char byte = (char)(byte_from(there[self->index][0]) + 1);

        EXPECT_EQ(write(back[self->index][1], &byte, 1), 1);
    }
}

static void *run_one(void *body)
{
    struct fleet *fleet = fleet_create(1, READERS, FLEET_WAITS);

    if (!fleet)
        return NULL;
    for (int i = 0; i < READERS; i++)
        fleet_add(fleet, (worker_body)body, NULL);
    if (fleet_run(fleet))
        fleet_destroy(fleet);
    return NULL;
}

static int two_on_one_processor(void *arg)
{
    pthread_t second;
    cpu_set_t one;

    (void)arg;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < READERS; i++) {
        make_pipe(there[i]);
        make_pipe(back[i]);
    }
    EXPECT_EQ(pthread_create(&second, NULL, run_one, answer), 0);
    run_one(send_and_receive);
    EXPECT_EQ(pthread_join(second, NULL), 0);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

CALL_TEST(SleepingOnFiles, two_schedulers_of_one_processor_feed_each_other,
          EXPECT_IN_CHILD(two_on_one_processor, NULL, CHILD_LIMIT_MS))
