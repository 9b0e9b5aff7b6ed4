/* SPDX-License-Identifier: MIT
 *
 * user_mode_waits.c - workers wait by other functions of libc's than read: for children,
 * descriptors that become ready, time. They leave their scheduler in user mode.
 *
 * modes: default, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 * with: user_mode_case.c
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "user_mode_case.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Children ---- */

static void open_children(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++) {
        int gate[2];

        EXPECT_EQ(pipe2(gate, O_CLOEXEC), 0);
        wait->child[i] = fork();
        if (wait->child[i] == 0) {
            char byte;

            close(gate[1]);
            for (int k = 0; k < i; k++)
                close(wait->peer[k]);
            _exit(read(gate[0], &byte, 1) == 1 ? 10 + i : 99);
        }
        close(gate[0]);
        wait->peer[i] = gate[1];
    }
}

static void write_to_peers(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++)
        EXPECT_EQ(write(wait->peer[i], "x", 1), 1);
}

#define open_waitpid open_children
#define release_waitpid write_to_peers
#define open_waitid open_children
#define release_waitid write_to_peers

static void call_waitpid(struct wait *wait, int index)
{
    int status = 0;

    EXPECT_EQ(waitpid(wait->child[index], &status, 0), wait->child[index]);
    EXPECT_EQ(WIFEXITED(status) && WEXITSTATUS(status) == 10 + index, 1);
}

WAIT(UserModeWaits, waitpid, SYS_wait4, -2, 0)

static void call_waitid(struct wait *wait, int index)
{
    siginfo_t info = {0};

    EXPECT_EQ(waitid(P_PID, (id_t)wait->child[index], &info, WEXITED), 0);
    EXPECT_EQ(info.si_pid, wait->child[index]);
    EXPECT_EQ(info.si_status, 10 + index);
}

WAIT(UserModeWaits, waitid, SYS_waitid, -2, 0)

static void open_pidfd(struct wait *wait)
{
    open_children(wait);
    for (int i = 0; i < WAITERS; i++) {
        wait->fd[i] = (int)syscall(SYS_pidfd_open, wait->child[i], 0);
        EXPECT_GE(wait->fd[i], 0);
    }
}

static void call_pidfd(struct wait *wait, int index)
{
    struct pollfd ended = {wait->fd[index], POLLIN, 0};
    siginfo_t info = {0};

    EXPECT_EQ(poll(&ended, 1, -1), 1);
    EXPECT_EQ(waitid(P_PIDFD, (id_t)wait->fd[index], &info, WEXITED), 0);
    EXPECT_EQ(info.si_status, 10 + index);
}

#define release_pidfd write_to_peers

WAIT(UserModeWaits, pidfd, SYS_poll, SYS_waitid, 1)

/* ---- Readiness ---- */

static void open_pipes(struct wait *wait)
{
    for (int i = 0; i < WAITERS; i++) {
        int ends[2];

        make_pipe(ends);
        wait->fd[i] = ends[0];
        wait->peer[i] = ends[1];
    }
}

#define open_poll open_pipes
#define release_poll write_to_peers
#define open_epoll open_pipes
#define release_epoll write_to_peers

static void call_poll(struct wait *wait, int index)
{
    struct pollfd set = {wait->fd[index], POLLIN, 0};

    EXPECT_EQ(poll(&set, 1, -1), 1);
    EXPECT_EQ(set.revents, POLLIN);
}

WAIT(UserModeWaits, poll, SYS_poll, SYS_ppoll, 1)

static void call_epoll(struct wait *wait, int index)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {EPOLLIN, {.u32 = (uint32_t)index}};

    EXPECT_EQ(epoll_ctl(fd, EPOLL_CTL_ADD, wait->fd[index], &event), 0);
    event.data.u32 = 77;
    EXPECT_EQ(epoll_wait(fd, &event, 1, -1), 1);
    EXPECT_EQ(event.data.u32, index);
    close(fd);
}

WAIT(UserModeWaits, epoll, SYS_epoll_wait, -2, 0)

/* ---- Time ---- */

static void open_nothing(struct wait *wait)
{
}

#define open_sleep open_nothing
#define release_sleep open_nothing

static void call_sleep(struct wait *wait, int index)
{
    struct timespec duration = {0, 300000000};
    long long started = now_ms();

    if (index % 2)
        EXPECT_EQ(nanosleep(&duration, NULL), 0);
    else
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL), 0);
    EXPECT_GE(elapsed_ms(started), 299);
}

WAIT(UserModeWaits, sleep, SYS_clock_nanosleep, SYS_nanosleep, 0)
