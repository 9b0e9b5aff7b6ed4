/* SPDX-License-Identifier: MIT
 *
 * signal_at_scheduler.c - signals sent to the thread of a scheduler: the worker that it executes
 * may not send one; from another sender some thread handles the signal; each case writes a line.
 * Default actions and ignored signals need no handler.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_t scheduler;
static int handled, value_told;

static void note_scheduler(const struct activation *activation, void *unused)
{
    scheduler = pthread_self();
}

static void on_signal(int number, siginfo_t *info, void *context)
{
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

static void send_to_own(struct worker *self)
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

TEST(SignalAtScheduler, is_refused_to_the_worker_that_it_executes)
{
    expect_one_line(send_to_own, "umsshim: refused to a worker (ENOTSUP)");
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
    long long begun = now_ms();
    HANDLE thread = CreateThread(NULL, 0, send_from_thread, NULL, 0, NULL);

    ASSERT_NE(thread, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 10000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(thread);
    while (flag_get(&handled) < 2 && now_ms() - begun < 10000)
        usleep(1000);
    EXPECT_EQ(flag_get(&handled), 2);
    EXPECT_EQ(flag_get(&value_told), 42);
}

TEST(SignalAtScheduler, of_another_thread_is_handled_by_some_thread)
{
    expect_one_line(have_it_sent, "umsshim: a signal sent to a scheduler's thread");
}
