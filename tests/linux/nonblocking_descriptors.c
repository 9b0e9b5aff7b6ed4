/* SPDX-License-Identifier: MIT
 *
 * nonblocking_descriptors.c - O_NONBLOCK and MSG_DONTWAIT work in a worker as elsewhere.
 *
 * modes: ways
 */
#include "block_case.h"
#include "gtest_c.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TIMES = 200 };

static void pipe_calls(struct block_case *c)
{
    char buffer[16];
    struct iovec part = {buffer, sizeof buffer};

    for (int i = 0; i < TIMES; i++) {
        EXPECT_ERRNO(read(c->fd[0], buffer, sizeof buffer), EAGAIN);
        EXPECT_ERRNO(readv(c->fd[0], &part, 1), EAGAIN);
        EXPECT_ERRNO(write(c->fd[3], "x", 1), EAGAIN);
        EXPECT_ERRNO(writev(c->fd[3], &part, 1), EAGAIN);
    }
}

TEST(NonblockingDescriptors, pipes)
{
    struct block_case c = {.number = 0};

    make_pipe(c.fd);
    make_pipe(c.fd + 2);
    fill_up(c.fd[3]);
    set_nonblocking(c.fd[0], 1);
    set_nonblocking(c.fd[3], 1);
    run_unblocked(pipe_calls, &c, 5);
    close_all(&c);
}

/* A write of more than fits is cut short, not waited for. */
static void write_what_fits(struct block_case *c)
{
    static char bytes[1000000];
    ssize_t written = write(c->fd[1], bytes, sizeof bytes);

    EXPECT_GT(written, 0);
    EXPECT_LT(written, sizeof bytes);
    EXPECT_ERRNO(write(c->fd[1], bytes, sizeof bytes), EAGAIN);
}

TEST(NonblockingDescriptors, big_write_is_cut_short)
{
    struct block_case c = {.number = 0};

    make_pipe(c.fd);
    set_nonblocking(c.fd[1], 1);
    run_unblocked(write_what_fits, &c, 5);
    close_all(&c);
}

static void socket_calls(struct block_case *c)
{
    char buffer[16];
    struct iovec part = {buffer, sizeof buffer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int flags = (int)c->number;

    for (int i = 0; i < TIMES; i++) {
        EXPECT_ERRNO(recv(c->fd[0], buffer, sizeof buffer, flags), EAGAIN);
        EXPECT_ERRNO(recv(c->fd[0], buffer, sizeof buffer, flags | MSG_WAITALL), EAGAIN);
        EXPECT_ERRNO(recvmsg(c->fd[0], &message, flags), EAGAIN);
        EXPECT_ERRNO(send(c->fd[2], buffer, sizeof buffer, flags), EAGAIN);
        EXPECT_ERRNO(sendmsg(c->fd[2], &message, flags), EAGAIN);
    }
}

static void run_sockets(int nonblocking, int flags)
{
    struct block_case c = {.number = flags};

    make_sockets(c.fd);
    make_sockets(c.fd + 2);
    fill_up(c.fd[2]);
    if (nonblocking) {
        set_nonblocking(c.fd[0], 1);
        set_nonblocking(c.fd[2], 1);
    }
    run_unblocked(socket_calls, &c, 5);
    close_all(&c);
}

TEST(NonblockingDescriptors, sockets)
{
    run_sockets(1, 0);
}

TEST(NonblockingDescriptors, dontwait_on_blocking_sockets)
{
    run_sockets(0, MSG_DONTWAIT);
}

static void accept_and_connect(struct block_case *c)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int fd;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(c->fd[0], (struct sockaddr *)&address, length), 0);
    EXPECT_EQ(getsockname(c->fd[0], (struct sockaddr *)&address, &length), 0);
    EXPECT_EQ(listen(c->fd[0], 4), 0);
    EXPECT_ERRNO(accept(c->fd[0], NULL, NULL), EAGAIN);
    EXPECT_ERRNO(accept4(c->fd[0], NULL, NULL, SOCK_CLOEXEC), EAGAIN);
    c->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* The address is one where nobody answers: a blocking connect would take minutes. */
    address.sin_addr.s_addr = inet_addr("192.0.2.1");
    address.sin_port = htons(9);
    errno = 0;
    fd = connect(c->fd[1], (struct sockaddr *)&address, sizeof address);
    EXPECT_THAT(fd == -1 && (errno == EINPROGRESS || errno == ENETUNREACH), "%d, errno %d", fd,
                errno);
}

TEST(NonblockingDescriptors, accept_and_connect)
{
    struct block_case c = {.number = 0};

    run_unblocked(accept_and_connect, &c, 5);
    close_all(&c);
}

UNBLOCKED_TEST(NonblockingDescriptors, eventfd_and_timerfd, 5,
               .fd = {eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
                      timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), -1})
{
    unsigned long long value = ~0ull - 1;

    EXPECT_ERRNO(read(c->fd[0], &value, sizeof value), EAGAIN);
    EXPECT_ERRNO(read(c->fd[1], &value, sizeof value), EAGAIN);
    EXPECT_ERRNO(flock(c->fd[2], LOCK_EX | LOCK_NB), EBADF);
    EXPECT_ERRNO(read(c->fd[2], &value, sizeof value), EBADF);
}

/* The flag belongs to the open file and may change between calls. */
static void toggle(struct block_case *c)
{
    char byte;

    EXPECT_ERRNO(read(c->fd[0], &byte, 1), EAGAIN);
    set_nonblocking(c->fd[0], 0);
    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    set_nonblocking(c->fd[0], 1);
    EXPECT_ERRNO(read(c->fd[0], &byte, 1), EAGAIN);
}

static void write_byte(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(NonblockingDescriptors, flag_is_read_at_each_call)
{
    struct block_case c = {.block = toggle, .complete = write_byte};

    make_pipe(c.fd);
    set_nonblocking(c.fd[0], 1);
    run_block_case(&c);
    close_all(&c);
}
