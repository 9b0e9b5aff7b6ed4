/* SPDX-License-Identifier: MIT
 *
 * Overlapped calls without a ring (platform/linux/async/async_poll.c), with a kernel of the test's own.
 */
#include "platform/linux/async/async_poll.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

enum { WAKE_FILE = 7, SOCKET = 5, NOT_OVER = 1000 };

struct async_chain async_flying;

static struct async_call call;
static long call_result, made_result;
static long flags;        /* the socket's */
static uint64_t wake_ups; /* that the wake file counts */
static short ready_with;  /* the socket's */
static bool slept;

static long poll_all(struct pollfd *files, size_t count)
{
    long ready = 0;

    for (size_t i = 0; i < count; i++) {
        bool wake = files[i].fd == WAKE_FILE;

        files[i].revents = (short)(files[i].events & (wake ? wake_ups ? POLLIN : 0 : ready_with));
        ready += files[i].revents != 0;
    }
    return ready;
}

static long kernel(long nr, const long args[6])
{
    switch (nr) {
    case SYS_ppoll:
        slept = !args[2];
        return poll_all((struct pollfd *)args[0], (size_t)args[1]);
    case SYS_read:
        EXPECT_EQ(args[0], WAKE_FILE);
        *(uint64_t *)args[1] = wake_ups;
        wake_ups = 0;
        return 8;
    case SYS_fcntl:
        EXPECT_EQ(args[0], SOCKET);
        if (args[1] == F_SETFL)
            flags = args[2];
        return args[1] == F_SETFL ? 0 : flags;
    case SYS_getsockopt:
        *(int *)args[3] = 0;
        return 0;
    default:
        return 0;
    }
}

long async_make(const struct async_call *made, bool wait)
{
    EXPECT_EQ(made, &call);
    return made_result;
}

void async_over(struct async_call *over, long result)
{
    EXPECT_EQ(over, &call);
    EXPECT_EQ(call_result, NOT_OVER);
    call_result = result;
    async_flying.first = async_flying.last = NULL;
}

bool async_disk_any(void)
{
    return false;
}

void async_disk_serve(void)
{
}

void async_disk_begin(struct async_call *disk)
{
    FAIL("no call here is for a disk");
}

void async_disk_forget(void)
{
}

static void begins(enum async_kind kind, long made)
{
    double_syscall = kernel;
    if (!room)
        ASSERT_OK(open_poll(WAKE_FILE));
    wake_ups = 0;
    ready_with = 0;
    flags = O_RDWR;
    call_result = NOT_OVER;
    made_result = made;
    call = (struct async_call){.kind = (uint8_t)kind, .fd = SOCKET};
    async_flying.first = async_flying.last = &call;
    begin(&call);
}

/* Else the thread would never sleep again. */
TEST(AsyncPoll, the_wake_file_is_emptied)
{
    begins(ASYNC_READ, -EAGAIN);
    wake_ups = 1;
    serve(false);
    EXPECT_EQ(slept, true);
    EXPECT_EQ(wake_ups, 0);
    EXPECT_EQ(call_result, NOT_OVER);
}

TEST(AsyncPoll, a_call_is_made_when_its_file_is_ready)
{
    begins(ASYNC_READ, -EAGAIN);
    ready_with = POLLIN;
    serve(false);
    EXPECT_EQ(call_result, NOT_OVER); /* another was faster */
    made_result = 3;
    serve(false);
    EXPECT_EQ(call_result, 3);
}

TEST(AsyncPoll, a_socket_that_connects_is_as_it_was_behind_it)
{
    begins(ASYNC_CONNECT, -EINPROGRESS);
    EXPECT_EQ(flags, O_RDWR | O_NONBLOCK);
    serve(false);
    EXPECT_EQ(call_result, NOT_OVER);
    ready_with = POLLOUT;
    serve(false);
    EXPECT_EQ(call_result, 0);
    EXPECT_EQ(flags, O_RDWR);
}

TEST(AsyncPoll, a_cancelled_call_says_so)
{
    begins(ASYNC_CONNECT, -EINPROGRESS);
    call.cancelled = true;
    serve(true);
    EXPECT_EQ(slept, false);
    EXPECT_EQ(call_result, -ECANCELED);
    EXPECT_EQ(flags, O_RDWR);
}
