/* SPDX-License-Identifier: MIT
 *
 * notify_signal_storm.c - signals of all kinds while notifications are under way: stop and
 * continue, a storm of handled signals.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "scenario.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 60 };

static int run_scenario(void *arg)
{
    return scenario_run(ROUNDS);
}

/* From outside, as a debugger, a job control shell or the freezer of a container does. */
TEST(NotifySignalStorm, stop_and_continue)
{
    struct child child = child_start(run_scenario, NULL);
    struct child_result result;

    for (int i = 0; i < 100; i++) {
        struct timespec pause = {0, 1500000};

        kill(child.pid, SIGSTOP);
        nanosleep(&pause, NULL);
        kill(child.pid, SIGCONT);
        nanosleep(&pause, NULL);
    }
    result = child_wait(child, 20000);
    EXPECT_CHILD_OK(result);
}

static void nothing(int number)
{
}

static int run_with_handler(void *arg)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};

    sigaction(SIGUSR1, &action, NULL);
    EXPECT_EQ(write((int)(long)arg, "x", 1), 1);
    return scenario_run(ROUNDS);
}

TEST(NotifySignalStorm, handled_signal_from_outside)
{
    int fd[2];
    struct child child;
    struct child_result result;
    char byte;

    make_pipe(fd);
    child = child_start(run_with_handler, (void *)(long)fd[1]);
    EXPECT_EQ(read(fd[0], &byte, 1), 1);
    for (int i = 0; i < 3000; i++) {
        struct timespec pause = {0, 50000};

        kill(child.pid, SIGUSR1);
        nanosleep(&pause, NULL);
    }
    result = child_wait(child, 20000);
    EXPECT_CHILD_OK(result);
    close(fd[0]);
    close(fd[1]);
}
