/* SPDX-License-Identifier: MIT
 *
 * as_in_threads.c - calls that the library attempts in a form that does not wait. In that form they
 * would answer otherwise than in a thread; the program gets a thread's answer.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MESSAGES = 200, BYTES = 2000 };

static void make_datagrams(struct block_case *c)
{
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, c->fd), 0);
}

/* ---- Nothing to move ---- */

static void move_nothing(struct block_case *c)
{
    struct iovec none = {NULL, 0};
    char byte;
    int counter = eventfd(1, EFD_CLOEXEC), pipe[2];

    EXPECT_ERRNO(read(counter, &byte, 0), EINVAL);
    EXPECT_ERRNO(write(counter, &byte, 0), EINVAL);
    close(counter);
    make_pipe(pipe);
    EXPECT_EQ(read(pipe[0], &byte, 0), 0);
    EXPECT_EQ(write(pipe[1], &byte, 0), 0);
    EXPECT_EQ(readv(pipe[0], &none, 1), 0);
    close(pipe[0]);
    close(pipe[1]);
    EXPECT_EQ(write(c->fd[1], "", 0), 0); /* a message, though an empty one */
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    EXPECT_EQ(recv(c->fd[0], &byte, 1, 0), 0);
    EXPECT_EQ(recv(c->fd[0], &byte, 1, 0), 1);
}

TEST(AsInThreads, no_bytes)
{
    struct block_case c = {.number = 0};

    make_datagrams(&c);
    run_in_worker(move_nothing, &c);
    close_all(&c);
}

/* ---- What never waits ---- */

WORKER_TEST(AsInThreads, error_queue, .fd = {socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)})
{
    char room[64];
    struct iovec part = {room, sizeof room};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr one = {.msg_hdr = message};

    EXPECT_ERRNO(recv(c->fd[0], room, sizeof room, MSG_ERRQUEUE), EAGAIN);
    EXPECT_ERRNO(recvmsg(c->fd[0], &message, MSG_ERRQUEUE), EAGAIN);
    EXPECT_ERRNO(recvmsg(c->fd[0], &message, MSG_ERRQUEUE | MSG_WAITALL), EAGAIN);
    EXPECT_ERRNO(recvmmsg(c->fd[0], &one, 1, MSG_ERRQUEUE, NULL), EAGAIN);
}

/* ---- All of it ---- */

static struct mmsghdr *messages_of(int count, struct iovec *part)
{
    static struct mmsghdr messages[MESSAGES];

    for (int i = 0; i < count; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = part, .msg_iovlen = 1};
    return messages;
}

static void send_many(struct block_case *c)
{
    static char bytes[BYTES];
    struct iovec part = {bytes, sizeof bytes};
    struct mmsghdr *messages = messages_of(MESSAGES, &part);

    EXPECT_EQ(sendmmsg(c->fd[1], messages, MESSAGES, 0), MESSAGES);
    for (int i = 0; i < MESSAGES; i++)
        EXPECT_EQ(messages[i].msg_len, BYTES);
}

static void receive_many(struct block_case *c)
{
    static char bytes[MESSAGES * BYTES];

    for (int left = MESSAGES * BYTES; left;) {
        ssize_t got = recv(c->fd[0], bytes, (size_t)left, 0);

        if (got <= 0) {
            FAIL("%zd with %d bytes left, errno %d", got, left, errno);
            break;
        }
        left -= (int)got;
    }
}

TEST(AsInThreads, sendmmsg_of_more_datagrams_than_there_is_room_for)
{
    struct block_case c = {.block = send_many, .complete = receive_many};

    make_datagrams(&c);
    run_block_case(&c);
    close_all(&c);
}

BLOCK_TEST(AsInThreads, sendmmsg_of_more_than_a_stream_takes, .make = make_sockets,
           .block = send_many, .complete = receive_many)

static void receive_whole(struct block_case *c)
{
    char bytes[6] = "";
    struct iovec part = {bytes, 5};
    struct mmsghdr *message = messages_of(1, &part);

    EXPECT_EQ(recvmmsg(c->fd[0], message, 1, MSG_WAITALL, NULL), 1);
    EXPECT_EQ(message->msg_len, 5);
    EXPECT_STREQ(bytes, "hello");
}

static void send_the_rest(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "llo", 3), 3);
}

TEST(AsInThreads, recvmmsg_that_waits_for_all)
{
    struct block_case c = {.block = receive_whole, .complete = send_the_rest};

    make_sockets(c.fd);
    EXPECT_EQ(write(c.fd[1], "he", 2), 2);
    run_block_case(&c);
    close_all(&c);
}
