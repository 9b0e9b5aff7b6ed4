/* SPDX-License-Identifier: MIT
 *
 * user_mode_reads.c - workers wait by reading a descriptor that is neither pipe nor socket: timers,
 * counters, signals, files that change, terminals. They leave their scheduler in user mode.
 *
 * modes: default, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 * with: user_mode_case.c
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "user_mode_case.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* ---- Timers ---- */

static void open_timerfd(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++)
        wait->fd[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

static void call_timerfd(struct wait *wait, int index)
{
    uint64_t times = 0;

    EXPECT_EQ(read(wait->fd[index], &times, sizeof times), 8);
    EXPECT_EQ(times, 1);
}

static void release_timerfd(struct wait *wait)
{
    struct itimerspec soon = {.it_value = {0, 1000000}};

    for (int i = 0; i < WAITERS; i++)
        EXPECT_EQ(timerfd_settime(wait->fd[i], 0, &soon, NULL), 0);
}

WAIT(UserModeReads, timerfd, SYS_read, -2, 0)

/* ---- Event counters ---- */

static void open_eventfd(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++)
        wait->fd[i] = eventfd(0, EFD_CLOEXEC);
}

static void call_eventfd(struct wait *wait, int index)
{
    eventfd_t count = 0;

    EXPECT_EQ(eventfd_read(wait->fd[index], &count), 0);
    EXPECT_EQ(count, index + 1);
}

static void release_eventfd(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++)
        EXPECT_EQ(eventfd_write(wait->fd[i], (eventfd_t)i + 1), 0);
}

WAIT(UserModeReads, eventfd, SYS_read, -2, 0)

/* ---- Signals ---- */

static void open_signalfd(struct wait *wait)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0); /* workers begin with this mask */
    for (int i = 0; i < WAITERS; i++)
        wait->fd[i] = signalfd(-1, &set, SFD_CLOEXEC);
}

static void call_signalfd(struct wait *wait, int index)
{
    struct signalfd_siginfo info = {0};

    EXPECT_EQ(read(wait->fd[index], &info, sizeof info), sizeof info);
    EXPECT_EQ(info.ssi_signo, SIGUSR2);
}

static void release_signalfd(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++) {
        long long started = now_ms();

        EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
        while (flag_get(&wait->returned) <= i && elapsed_ms(started) < LIMIT_MS)
            usleep(500);
    }
}

WAIT(UserModeReads, signalfd, SYS_read, -2, 0)

/* ---- Files that change ---- */

static void open_inotify(struct wait *wait)
{
    strcpy(wait->path, "/tmp/ums-inotify-XXXXXX");
    EXPECT_NE(mkdtemp(wait->path), NULL);
    for (int i = 0; i < WAITERS; i++) {
        wait->fd[i] = inotify_init1(IN_CLOEXEC);
        EXPECT_GE(inotify_add_watch(wait->fd[i], wait->path, IN_DELETE_SELF), 0);
    }
}

static void call_inotify(struct wait *wait, int index)
{
    char buffer[1024];

    EXPECT_GT(read(wait->fd[index], buffer, sizeof buffer), 0);
    EXPECT_EQ(((struct inotify_event *)(void *)buffer)->mask & IN_DELETE_SELF, IN_DELETE_SELF);
}

static void release_inotify(struct wait *wait)
{
    EXPECT_EQ(rmdir(wait->path), 0);
}

WAIT(UserModeReads, inotify, SYS_read, -2, 0)

/* ---- Terminals ---- */

static void open_terminal(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++) {
        wait->peer[i] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        EXPECT_EQ(grantpt(wait->peer[i]), 0);
        EXPECT_EQ(unlockpt(wait->peer[i]), 0);
        wait->fd[i] = open(ptsname(wait->peer[i]), O_RDWR | O_NOCTTY | O_CLOEXEC);
        EXPECT_GE(wait->fd[i], 0);
    }
}

static void call_terminal(struct wait *wait, int index)
{
    char line[8] = "";

    EXPECT_EQ(read(wait->fd[index], line, sizeof line), 3);
    EXPECT_EQ(memcmp(line, "hi\n", 3), 0);
}

static void release_terminal(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++)
        EXPECT_EQ(write(wait->peer[i], "hi\n", 3), 3);
}

WAIT(UserModeReads, terminal, SYS_read, -2, 0)
