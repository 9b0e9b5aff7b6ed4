/* SPDX-License-Identifier: MIT
 *
 * signal_at_scheduler.c - signals sent to the thread of a scheduler: its handler runs as that
 * scheduler, also while the scheduler executes the worker that sends. Where its own thread carries
 * its workers that worker may not send one, and from another sender some thread handles the signal;
 * each case writes a line. Default actions and ignored signals need no handler.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_t scheduler;
static int handled, value_told, as_scheduler;

static void note_scheduler(const struct activation *activation, void *unused)
{
    scheduler = pthread_self();
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    if (pthread_equal(pthread_self(), scheduler))
        flag_add(&as_scheduler, 1);
    if (info->si_code == SI_QUEUE)
        flag_set(&value_told, info->si_value.sival_int);
    flag_add(&handled, 1);
}

static void install(int number)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};

    action.sa_sigaction = on_signal;
    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

static int run_worker(void *body)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    install(SIGUSR1);
    install(SIGRTMIN);
    fleet_set_hook(fleet, note_scheduler, NULL);
    fleet_add(fleet, *(worker_body *)body, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
    return 0;
}

static struct child_result run_in_child(worker_body body)
{
    return child_run(run_worker, &body, 20000);
}

/* The child ends well, and has said this line and nothing else. */
static void expect_one_line(worker_body body, const char *line)
{
    struct child_result result = run_in_child(body);

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(child_said(&result, line) == 1 && child_said(&result, "umsshim: ") == 1,
                "want one line; saw \"%s\"", result.output);
}

/* ---- By the worker that it executes ---- */

static bool carries_itself(void)
{
    const char *detect = getenv("UMSSHIM_DETECT");

    return detect && strcmp(detect, "0") == 0;
}

static void refused_to_own(struct worker *self)
{
    const union sigval value = {42};

    EXPECT_EQ(pthread_kill(scheduler, 0), 0);
    EXPECT_EQ(pthread_kill(scheduler, SIGURG), 0); /* ignored by default */
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(pthread_kill(scheduler, SIGUSR1), ENOTSUP);
        EXPECT_EQ(pthread_sigqueue(scheduler, SIGRTMIN, value), ENOTSUP);
        usleep(1000);
    }
    EXPECT_EQ(signal(SIGUSR1, SIG_IGN) != SIG_ERR, true);
    EXPECT_EQ(pthread_kill(scheduler, SIGUSR1), 0);
    EXPECT_EQ(flag_get(&handled), 0);
}

static void await_handlers(int count)
{
    long long begun = now_ms();

    while (flag_get(&handled) < count && now_ms() - begun < 10000)
        usleep(1000);
    EXPECT_EQ(flag_get(&handled), count);
    EXPECT_EQ(flag_get(&value_told), 42);
}

static void handled_by_own(struct worker *self)
{
    const union sigval value = {42};

    for (int i = 1; i <= 3; i++) {
        EXPECT_EQ(pthread_kill(scheduler, SIGUSR1), 0);
        EXPECT_EQ(pthread_sigqueue(scheduler, SIGRTMIN, value), 0);
        await_handlers(2 * i);
        UmsThreadYield(self);
    }
    EXPECT_EQ(flag_get(&as_scheduler), 6);
}

TEST(SignalAtScheduler, of_the_worker_that_it_executes)
{
    if (carries_itself()) {
        expect_one_line(refused_to_own, "umsshim: refused to a worker (ENOTSUP)");
    } else {
        struct child_result result = run_in_child(handled_by_own);

        EXPECT_CHILD_OK(result);
        EXPECT_THAT(child_said(&result, "umsshim: ") == 0, "saw \"%s\"", result.output);
    }
}

static void end_process(struct worker *self)
{
    signal(SIGUSR1, SIG_DFL);
    pthread_kill(scheduler, SIGUSR1);
    usleep(10000000);
}

TEST(SignalAtScheduler, ends_the_process_by_default)
{
    struct child_result result = run_in_child(end_process);

    EXPECT_CHILD_SIGNAL(result, SIGUSR1);
    EXPECT_THAT(child_said(&result, "umsshim: ") == 0, "saw \"%s\"", result.output);
}

/* ---- By others ---- */

static DWORD WINAPI send_from_thread(LPVOID unused)
{
    const union sigval value = {42};

    EXPECT_EQ(pthread_kill(scheduler, SIGUSR1), 0);
    EXPECT_EQ(pthread_sigqueue(scheduler, SIGRTMIN, value), 0);
    return 0;
}

static void have_it_sent(struct worker *self)
{
    HANDLE thread = CreateThread(NULL, 0, send_from_thread, NULL, 0, NULL);

    ASSERT_NE(thread, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 10000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(thread);
    await_handlers(2);
    EXPECT_EQ(carries_itself() || flag_get(&as_scheduler) == 2, true);
}

TEST(SignalAtScheduler, of_another_thread)
{
    if (carries_itself()) {
        expect_one_line(have_it_sent, "umsshim: a signal sent to a scheduler's thread");
    } else {
        struct child_result result = run_in_child(have_it_sent);

        EXPECT_CHILD_OK(result);
        EXPECT_THAT(child_said(&result, "umsshim: ") == 0, "saw \"%s\"", result.output);
    }
}
