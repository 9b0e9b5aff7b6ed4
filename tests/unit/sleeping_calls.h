/* SPDX-License-Identifier: MIT
 *
 * sleeping_calls.h - a scheduler that falls asleep on the files of deferred calls, and wakes: the system around
 * platform/linux/calls/file_sleep.c.
 */
#ifndef UMSSHIM_TESTS_UNIT_SLEEPING_CALLS_H
#define UMSSHIM_TESTS_UNIT_SLEEPING_CALLS_H

#include "platform/linux/calls/bell.c"
#include "platform/linux/calls/file_sleep.c"

#include "deferred_calls.h"

enum { BELL = 5, SET = 3 };

static struct pollfd files[MOST_FILES];
static unsigned files_count, bells, served;
static bool bell_is_rung;

bool watched_serve(struct lane *of, const struct epoll_event *events, long n)
{
    served++;
    return false;
}

long watched_take(struct lane *of, struct epoll_event *events, int milliseconds)
{
    EXPECT_EQ(milliseconds, 0);
    return 0;
}

void call_interrupt(struct call *call)
{
    call->interrupted = true;
    call->entry = NULL;
}

static long kernel(long nr, const long args[6])
{
    switch (nr) {
    case SYS_write:
        EXPECT_EQ(args[0], BELL);
        bells++;
        bell_is_rung = true;
        return 8;
    case SYS_read:
        EXPECT_EQ(args[0], BELL);
        EXPECT_EQ(bell_is_rung, true);
        bell_is_rung = false;
        return 8;
    default:
        return 0;
    }
}

static inline void fall_asleep(void)
{
    memset(files, 0, sizeof files);
    files_count = file_sleep_begin(&lane, files);
}

static void start_here(unsigned deferred)
{
    start(deferred);
    lane.epoll = SET;
    lane.readiness.bell_fd = BELL;
    bells = served = 0;
    bell_is_rung = false;
    double_syscall = kernel;
    double_now = 0;
}

static inline void is_ready(unsigned which)
{
    for (unsigned i = FILES_OF_CALLS; i < files_count; i++)
        if (files[i].fd == calls[which].watch.given_fd)
            files[i].revents = POLLIN;
}

/* When poll has returned. */
static void wake(void)
{
    if (bell_is_rung)
        files[FILE_OF_BELL].revents = POLLIN;
    plat_lock(&lane.readiness.serving);
    file_sleep_over(&lane, files);
    plat_unlock(&lane.readiness.serving);
    EXPECT_EQ(lane.deferral.slept_on_count, 0u);
}

#endif
