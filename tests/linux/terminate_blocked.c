/* SPDX-License-Identifier: MIT
 *
 * terminate_blocked.c - TerminateThread and SuspendThread of workers that wait in bare system calls of
 * every class: the thread that completes the call gives it up, and leaves nothing behind.
 *
 * modes: ways
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "loose.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CODE = 77 };

static struct loose rig;
static int pipes[2];
static int listener;
static int locked;
static int word;
static int entered;

enum class {
    READ_PIPE, /* deferred, then armed in the poller */
    READV_PIPE,
    WRITE_PIPE,
    RECV_SOCKET,
    ACCEPT,
    POLL,
    PPOLL_TIMED,
    EPOLL,
    NANOSLEEP,
    FUTEX,
    FUTEX_TIMED,
    PAUSE
};

static long block_in(enum class class)
{
    char bytes[16];
    struct iovec vector = {bytes, sizeof bytes};
    struct pollfd set = {pipes[0], POLLIN, 0};
    struct timespec minute = {60, 0};
    struct epoll_event event = {EPOLLIN, {0}};
    int fd;

    switch (class) {
    case READ_PIPE:
        return syscall(SYS_read, pipes[0], bytes, 1);
    case READV_PIPE:
        return syscall(SYS_readv, pipes[0], &vector, 1);
    case WRITE_PIPE: {
        static char page[1 << 17];

        return syscall(SYS_write, pipes[1], page, sizeof page) +
               syscall(SYS_write, pipes[1], page, sizeof page);
    }
    case RECV_SOCKET: {
        int pair[2];

        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        return syscall(SYS_recvfrom, pair[0], bytes, 1, 0, NULL, NULL);
    }
    case ACCEPT:
        return syscall(SYS_accept, listener, NULL, NULL);
    case POLL:
        return syscall(SYS_poll, &set, 1, -1);
    case PPOLL_TIMED:
        return syscall(SYS_ppoll, &set, 1, &minute, NULL, 8);
    case EPOLL:
        fd = epoll_create1(EPOLL_CLOEXEC);
        epoll_ctl(fd, EPOLL_CTL_ADD, pipes[0], &event);
        return syscall(SYS_epoll_wait, fd, &event, 1, -1);
    case NANOSLEEP:
        return syscall(SYS_nanosleep, &minute, NULL);
    case FUTEX:
        return syscall(SYS_futex, &word, 128, 0, NULL, NULL, 0);
    case FUTEX_TIMED:
        return syscall(SYS_futex, &word, 128, 0, &minute, NULL, 0);
    default:
        return syscall(SYS_pause);
    }
}

static DWORD WINAPI block_for_ever(LPVOID class)
{
    long result;

    flag_set(&entered, 1);
    result = block_in((enum class)(ULONG_PTR) class);
    FAIL("call %d returned %ld, errno %d", (int)(ULONG_PTR) class, result, errno);
    return 0;
}

static void open_all(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    EXPECT_EQ(pipe(pipes), 0);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listener, (void *)&address, sizeof address), 0);
    EXPECT_EQ(listen(listener, 1), 0);
}

static void finish(void)
{
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
}

/* settle: milliseconds in which a deferred call is armed; 0: as soon as it has blocked. */
static void end_in(enum class class, int settle)
{
    struct loose_worker *worker;
    DWORD code = 0;

    entered = 0;
    worker = loose_add(&rig, block_for_ever, (void *)(ULONG_PTR) class, 0);
    ASSERT_OK(worker != NULL);
    ASSERT_REACHES(worker->blocked, 1);
    Sleep((DWORD)settle);
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    if (WaitForSingleObject(worker->bare.thread, 8000) != WAIT_OBJECT_0) {
        FAIL("class %d after %d ms: the worker did not end", (int)class, settle);
        return;
    }
    EXPECT_OK(GetExitCodeThread(worker->bare.thread, &code));
    EXPECT_EQ(code, CODE);
    ASSERT_REACHES(worker->ended, 1);
    EXPECT_EQ(worker->arrivals, 2);
}

static bool made_by_ring(enum class class)
{
    return class == ACCEPT || class == POLL || class == PPOLL_TIMED || class == EPOLL ||
           class == FUTEX || class == FUTEX_TIMED;
}

static void end_class(enum class class)
{
    char byte = 'x';

    if (is_set("UMSSHIM_RING", "0") && made_by_ring(class))
        SKIP("a helper makes this call, and cannot be called back");
    open_all();
    ASSERT_OK(loose_start(&rig, NULL));
    for (int i = 0; i < 20 && !tc_failures(); i++)
        end_in(class, i % 5 == 4 ? 10 : i % 2);
    finish();
    if (class != WRITE_PIPE) { /* nobody takes what comes now */
        EXPECT_EQ(write(pipes[1], &byte, 1), 1);
        EXPECT_EQ(read(pipes[0], &byte, 1), 1);
    }
    close(pipes[0]);
    close(pipes[1]);
    close(listener);
}

#define CLASS(name, class)                                                                         \
    TEST(TerminateBlocked, name)                                                                   \
    {                                                                                              \
        end_class(class);                                                                          \
    }

CLASS(read_of_a_pipe, READ_PIPE)
CLASS(readv_of_a_pipe, READV_PIPE)
CLASS(write_to_a_full_pipe, WRITE_PIPE)
CLASS(recv_of_a_socket, RECV_SOCKET)
CLASS(accept, ACCEPT)
CLASS(poll, POLL)
CLASS(ppoll_with_time, PPOLL_TIMED)
CLASS(epoll, EPOLL)
CLASS(nanosleep, NANOSLEEP)
CLASS(futex, FUTEX)
CLASS(futex_with_time, FUTEX_TIMED)
CLASS(pause, PAUSE)

/* Through libc, which tries in user mode first. */
static DWORD WINAPI read_by_libc(LPVOID unused)
{
    char byte;
    ssize_t got;

    got = read(pipes[0], &byte, 1);
    FAIL("read returned %zd, errno %d", got, errno);
    return 0;
}

TEST(TerminateBlocked, read_by_libc)
{
    char byte = 'x';

    open_all();
    ASSERT_OK(loose_start(&rig, NULL));
    for (int i = 0; i < 20; i++) {
        struct loose_worker *worker = loose_add(&rig, read_by_libc, NULL, 0);

        ASSERT_REACHES(worker->blocked, 1);
        Sleep(i % 5 == 4 ? 10 : 0);
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        ASSERT_REACHES(worker->ended, 1);
    }
    finish();
    EXPECT_EQ(write(pipes[1], &byte, 1), 1);
    EXPECT_EQ(read(pipes[0], &byte, 1), 1);
}

/* A helper's call cannot be called back: the worker ends when it returns, and not before. */
static DWORD WINAPI want_lock(LPVOID fd)
{
    flock((int)(ULONG_PTR)fd, LOCK_EX);
    FAIL("the worker goes on after flock");
    return 0;
}

TEST(TerminateBlocked, helper_ends_with_its_call)
{
    char path[] = "/tmp/umsshim-lock-XXXXXX";
    struct loose_worker *worker;
    int other;

    locked = mkstemp(path);
    other = open(path, O_RDWR | O_CLOEXEC);
    unlink(path);
    EXPECT_EQ(flock(locked, LOCK_EX), 0);
    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, want_lock, (void *)(ULONG_PTR)other, 0);
    ASSERT_REACHES(worker->blocked, 1);
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    Sleep(20);
    EXPECT_EQ(flock(locked, LOCK_UN), 0);
    ASSERT_EQ(WaitForSingleObject(worker->bare.thread, 8000), WAIT_OBJECT_0);
    finish();
    EXPECT_EQ(worker->arrivals, 2);
    close(locked);
    close(other);
}

/* The worker reads byte after byte. So it is terminated, by chance and often, just when a call is
 * over. */
static DWORD WINAPI read_much(LPVOID unused)
{
    char byte;

    while (syscall(SYS_read, pipes[0], &byte, 1) == 1)
        flag_add(&entered, 1);
    FAIL("the pipe is at its end");
    return 0;
}

TEST(TerminateBlocked, while_its_call_is_being_completed)
{
    char byte = 'x';

    open_all();
    fcntl(pipes[1], F_SETFL, O_NONBLOCK);
    ASSERT_OK(loose_start(&rig, NULL));
    for (int i = 0; i < 50; i++) {
        struct loose_worker *worker;

        entered = 0;
        worker = loose_add(&rig, read_much, NULL, 0);
        for (int j = 0; j < 10 + i; j++) {
            EXPECT_EQ(write(pipes[1], &byte, 1), 1);
            if (j % 4 == i % 4)
                ASSERT_REACHES(entered, j - 4);
        }
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        ASSERT_EQ(WaitForSingleObject(worker->bare.thread, 8000), WAIT_OBJECT_0);
    }
    finish();
}

/* Suspended while it waits: its call is seen through, and it goes on when it is resumed (SU-4). */
static DWORD WINAPI read_one(LPVOID unused)
{
    char byte = 0;

    EXPECT_EQ(syscall(SYS_read, pipes[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    flag_add(&entered, 1);
    return 0;
}

TEST(TerminateBlocked, suspended_in_a_call)
{
    struct loose_worker *worker;
    char byte = 'x';

    open_all();
    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, read_one, NULL, 0);
    ASSERT_REACHES(worker->blocked, 1);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_EQ(write(pipes[1], &byte, 1), 1);
    ASSERT_REACHES(worker->arrivals, 2);
    ASSERT_REACHES(worker->refusals, 3);
    EXPECT_EQ(flag_get(&entered), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_REACHES(entered, 1);
    finish();
}
