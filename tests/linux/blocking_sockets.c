/* SPDX-License-Identifier: MIT
 *
 * blocking_sockets.c - receive, send, accept, connect.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void send_hello(struct block_case *c)
{
    EXPECT_EQ(send(c->fd[1], "hello", 5, 0), 5);
}

static void run_receive(block_step step)
{
    struct block_case c = {.block = step, .complete = send_hello};

    make_sockets(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void receive(struct block_case *c)
{
    char buffer[16] = {0};

    EXPECT_EQ(recv(c->fd[0], buffer, sizeof buffer, 0), 5);
    EXPECT_STREQ(buffer, "hello");
}

CALL_TEST(BlockingSockets, recv, run_receive(receive))

static void receive_peek(struct block_case *c)
{
    char buffer[16] = {0};

    EXPECT_EQ(recv(c->fd[0], buffer, 2, MSG_PEEK), 2);
    EXPECT_STREQ(buffer, "he");
    EXPECT_EQ(recv(c->fd[0], buffer, sizeof buffer, 0), 5);
    EXPECT_STREQ(buffer, "hello");
}

CALL_TEST(BlockingSockets, recv_peek, run_receive(receive_peek))

static void receive_message(struct block_case *c)
{
    char a[3] = {0};
    char b[16] = {0};
    struct iovec parts[2] = {{a, 2}, {b, 15}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    EXPECT_EQ(recvmsg(c->fd[0], &message, 0), 5);
    EXPECT_STREQ(a, "he");
    EXPECT_STREQ(b, "llo");
    EXPECT_EQ(message.msg_flags & MSG_TRUNC, 0);
}

CALL_TEST(BlockingSockets, recvmsg, run_receive(receive_message))

static void receive_many(struct block_case *c)
{
    char buffer[16] = {0};
    struct iovec part = {buffer, 15};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};

    EXPECT_EQ(recvmmsg(c->fd[0], &message, 1, 0, NULL), 1);
    EXPECT_EQ(message.msg_len, 5);
    EXPECT_STREQ(buffer, "hello");
}

CALL_TEST(BlockingSockets, recvmmsg, run_receive(receive_many))

/* ---- MSG_WAITALL ---- */

static void receive_all(struct block_case *c)
{
    char buffer[16] = {0};

    EXPECT_EQ(recv(c->fd[0], buffer, 10, MSG_WAITALL), 10);
    EXPECT_STREQ(buffer, "hellohello");
}

static void send_in_parts(struct block_case *c)
{
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(send(c->fd[1], &"hellohello"[i * 2], 2, 0), 2);
        EXPECT_EQ(c->returned, 0);
    }
}

BLOCK_TEST(BlockingSockets, recv_waitall, .make = make_sockets, .block = receive_all,
           .complete = send_in_parts)

static void receive_all_cut_short(struct block_case *c)
{
    char buffer[16] = {0};

    EXPECT_EQ(recv(c->fd[0], buffer, 10, MSG_WAITALL), 5);
    EXPECT_STREQ(buffer, "hello");
}

static void send_and_shut_down(struct block_case *c)
{
    send_hello(c);
    EXPECT_EQ(shutdown(c->fd[1], SHUT_WR), 0);
}

BLOCK_TEST(BlockingSockets, recv_waitall_cut_short, .make = make_sockets,
           .block = receive_all_cut_short, .complete = send_and_shut_down)

/* ---- SO_RCVTIMEO and SO_SNDTIMEO ---- */

static void receive_in_vain(struct block_case *c)
{
    char buffer[16];
    long long started = now_ms();

    EXPECT_ERRNO(recv(c->fd[0], buffer, sizeof buffer, 0), EAGAIN);
    EXPECT_GE(elapsed_ms(started), 90);
    EXPECT_LT(elapsed_ms(started), 5000);
    started = now_ms();
    EXPECT_ERRNO(read(c->fd[0], buffer, sizeof buffer), EAGAIN);
    EXPECT_GE(elapsed_ms(started), 90);
    EXPECT_LT(elapsed_ms(started), 5000);
}

TEST(BlockingSockets, receive_timeout_option)
{
    struct block_case c = {.block = receive_in_vain};
    struct timeval limit = {0, 100000};

    make_sockets(c.fd);
    EXPECT_EQ(setsockopt(c.fd[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    run_block_case(&c);
    close_all(&c);
}

static void send_in_vain(struct block_case *c)
{
    long long started = now_ms();

    EXPECT_ERRNO(send(c->fd[1], "x", 1, 0), EAGAIN);
    EXPECT_GE(elapsed_ms(started), 90);
    EXPECT_LT(elapsed_ms(started), 5000);
}

TEST(BlockingSockets, send_timeout_option)
{
    struct block_case c = {.block = send_in_vain};
    struct timeval limit = {0, 100000};

    make_sockets(c.fd);
    fill_up(c.fd[1]);
    EXPECT_EQ(setsockopt(c.fd[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
    run_block_case(&c);
    close_all(&c);
}

/* ---- sending ---- */

static void send_to_full(struct block_case *c)
{
    static char bytes[100000];

    EXPECT_EQ(send(c->fd[1], bytes, sizeof bytes, 0), sizeof bytes);
}

static void receive_everything(struct block_case *c)
{
    drain_some(c->fd[0], (size_t)c->number + 100000);
}

TEST(BlockingSockets, send_to_a_full_socket)
{
    struct block_case c = {.block = send_to_full, .complete = receive_everything};

    make_sockets(c.fd);
    c.number = (long)fill_up(c.fd[1]);
    run_block_case(&c);
    close_all(&c);
}

static void send_message_to_full(struct block_case *c)
{
    static char bytes[100000];
    struct iovec parts[2] = {{bytes, 40000}, {bytes, 60000}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    EXPECT_EQ(sendmsg(c->fd[1], &message, 0), sizeof bytes);
}

TEST(BlockingSockets, sendmsg_to_a_full_socket)
{
    struct block_case c = {.block = send_message_to_full, .complete = receive_everything};

    make_sockets(c.fd);
    c.number = (long)fill_up(c.fd[1]);
    run_block_case(&c);
    close_all(&c);
}

static void send_many_to_full(struct block_case *c)
{
    struct iovec part = {"x", 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};

    EXPECT_EQ(sendmmsg(c->fd[1], &message, 1, 0), 1);
    EXPECT_EQ(message.msg_len, 1);
}

static void receive_some(struct block_case *c)
{
    drain_some(c->fd[0], (size_t)c->number);
}

TEST(BlockingSockets, sendmmsg_to_a_full_socket)
{
    struct block_case c = {.block = send_many_to_full, .complete = receive_some};

    make_sockets(c.fd);
    c.number = (long)fill_up(c.fd[1]);
    run_block_case(&c);
    close_all(&c);
}

/* ---- accept and connect ---- */

static int listen_on_loopback(struct sockaddr_in *address, int backlog)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof *address;

    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd, (struct sockaddr *)address, length), 0);
    EXPECT_EQ(getsockname(fd, (struct sockaddr *)address, &length), 0);
    EXPECT_EQ(listen(fd, backlog), 0);
    return fd;
}

static void accept_one(struct block_case *c)
{
    struct sockaddr_in peer = {0};
    socklen_t length = sizeof peer;

    c->fd[2] = c->number ? accept4(c->fd[0], (struct sockaddr *)&peer, &length, SOCK_CLOEXEC)
                         : accept(c->fd[0], (struct sockaddr *)&peer, &length);
    EXPECT_GT(c->fd[2], 0);
    EXPECT_EQ(peer.sin_family, AF_INET);
    EXPECT_EQ(length, sizeof peer);
}

static void connect_to_it(struct block_case *c)
{
    c->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c->fd[1], c->data, sizeof(struct sockaddr_in)), 0);
}

static void run_accept(long use_accept4)
{
    struct block_case c = {.block = accept_one, .complete = connect_to_it, .number = use_accept4};
    struct sockaddr_in address;
    char byte = 0;

    c.fd[0] = listen_on_loopback(&address, 5);
    c.data = &address;
    run_block_case(&c);
    EXPECT_EQ(send(c.fd[1], "x", 1, 0), 1);
    EXPECT_EQ(recv(c.fd[2], &byte, 1, 0), 1);
    close_all(&c);
}

TEST(BlockingSockets, accept)
{
    run_accept(0);
}

TEST(BlockingSockets, accept4)
{
    run_accept(1);
}

/* A Unix stream socket whose backlog is full makes connect wait. */
static void connect_to_full(struct block_case *c)
{
    c->fd[2] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c->fd[2], c->data, sizeof(sa_family_t) + 6), 0);
}

static void accept_first(struct block_case *c)
{
    int fd = accept4(c->fd[0], NULL, NULL, SOCK_CLOEXEC);

    EXPECT_GT(fd, 0);
    close(fd);
}

TEST(BlockingSockets, connect_to_a_full_backlog)
{
    struct block_case c = {.block = connect_to_full, .complete = accept_first};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof(sa_family_t) + 6;

    snprintf(address.sun_path + 1, 6, "%05u", (unsigned)getpid() % 100000u); /* abstract */
    c.data = &address;
    c.fd[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(c.fd[0], (struct sockaddr *)&address, length), 0);
    EXPECT_EQ(listen(c.fd[0], 0), 0);
    c.fd[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c.fd[1], (struct sockaddr *)&address, length), 0);
    run_block_case(&c);
    close_all(&c);
}

static void refused_connection(struct block_case *c)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    EXPECT_ERRNO(connect(fd, c->data, sizeof(struct sockaddr_in)), ECONNREFUSED);
    close(fd);
}

TEST(BlockingSockets, connect_refused)
{
    struct block_case c = {.number = 0};
    struct sockaddr_in address;

    close(listen_on_loopback(&address, 1));
    c.data = &address;
    run_in_worker(refused_connection, &c);
}

/* ---- datagrams ---- */

static void receive_datagram(struct block_case *c)
{
    char buffer[16] = {0};
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;

    EXPECT_EQ(recvfrom(c->fd[0], buffer, sizeof buffer, 0, (struct sockaddr *)&from, &length), 5);
    EXPECT_STREQ(buffer, "hello");
    EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

static void send_datagram(struct block_case *c)
{
    EXPECT_EQ(sendto(c->fd[1], "hello", 5, 0, c->data, sizeof(struct sockaddr_in)), 5);
}

TEST(BlockingSockets, recvfrom_and_sendto)
{
    struct block_case c = {.block = receive_datagram, .complete = send_datagram};
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c.fd[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    c.fd[1] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(c.fd[0], (struct sockaddr *)&address, sizeof address), 0);
    EXPECT_EQ(getsockname(c.fd[0], (struct sockaddr *)&address, &length), 0);
    c.data = &address;
    run_block_case(&c);
    close_all(&c);
}
