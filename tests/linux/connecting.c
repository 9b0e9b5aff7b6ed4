/* SPDX-License-Identifier: MIT
 *
 * connecting.c - connect of workers does what a thread's does, but no kernel thread waits in it.
 *
 * modes: ways, UMSSHIM_DETECT=0, UMSSHIM_DETECT=traps
 * with: crowd.c
 */
#include "block_case.h"
#include "child.h"
#include "crowd.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <unistd.h>

enum { CROWD = 16 };

static void run_connecting(struct crowd *crowd, int time_out)
{
    int occupant;

    crowd->call = connect_there;
    crowd->listener = listen_full(&occupant);
    for (int i = 0; i < crowd->count; i++) {
        clients[i] = new_socket();
        if (time_out)
            limit_by(clients[i], SO_SNDTIMEO, time_out);
    }
    run_crowd(crowd);
    for (int i = 0; i < crowd->count; i++)
        close(clients[i]);
    close(occupant);
    close(crowd->listener);
}

static void expect_connections(enum door door)
{
    struct crowd crowd = {.door = door, .count = CROWD, .serve = take_all};

    run_connecting(&crowd, 0);
    for (int i = 0; i < crowd.count && is_seen(door); i++)
        EXPECT_EQ(crowd.error[i], 0);
}

TEST(Connecting, a_crowd_connects_to_a_full_listener)
{
    expect_connections(LIBC);
}

TEST(Connecting, so_does_one_by_bare_calls)
{
    expect_connections(BARE);
}

TEST(Connecting, connect_gives_up_after_the_sockets_time)
{
    struct crowd crowd = {.door = LIBC, .count = LINE, .serve = nobody_comes};
    long long started = now_ms();

    run_connecting(&crowd, 200);
    EXPECT_GE(elapsed_ms(started), 199);
    for (int i = 0; i < crowd.count; i++)
        EXPECT_EQ(crowd.error[i], EINPROGRESS);
}

static int timed_out;

/* A connect that another call has begun: the kernel waits for it, and says so when its time is up. */
static void connect_again(struct block_case *c)
{
    set_nonblocking(c->fd[2], 1);
    EXPECT_ERRNO(connect(c->fd[2], (struct sockaddr *)&listening_at, sizeof listening_at),
                 EINPROGRESS);
    EXPECT_ERRNO(connect(c->fd[2], (struct sockaddr *)&listening_at, sizeof listening_at),
                 EALREADY);
    set_nonblocking(c->fd[2], 0);
    limit_by(c->fd[2], SO_SNDTIMEO, 50);
    EXPECT_ERRNO(connect(c->fd[2], (struct sockaddr *)&listening_at, sizeof listening_at),
                 EALREADY);
    flag_set(&timed_out, 1);
    limit_by(c->fd[2], SO_SNDTIMEO, 0);
    EXPECT_EQ(connect(c->fd[2], (struct sockaddr *)&listening_at, sizeof listening_at), 0);
    EXPECT_ERRNO(connect(c->fd[2], (struct sockaddr *)&listening_at, sizeof listening_at), EISCONN);
}

static void make_room(struct block_case *c)
{
    wait_for_count(&timed_out, 1);
    EXPECT_EQ(listen(c->fd[0], 5), 0);
}

TEST(Connecting, a_connect_under_way_is_waited_for)
{
    struct block_case c = {.block = connect_again, .complete = make_room};

    c.fd[0] = listen_full(&c.fd[1]);
    c.fd[2] = new_socket();
    run_block_case(&c);
    close_all(&c);
}

/* ---- Unix sockets ---- */

static void connect_in_vain(struct block_case *c)
{
    c->fd[2] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    limit_by(c->fd[2], SO_SNDTIMEO, 100);
    EXPECT_ERRNO(connect(c->fd[2], c->data, (socklen_t)c->number), EAGAIN);
    close(c->fd[2]);
    c->fd[2] = 0;
}

TEST(Connecting, connect_to_a_full_unix_listener_gives_up_after_its_time)
{
    struct block_case c = {.block = connect_in_vain};
    struct sockaddr_un name;
    socklen_t length;

    c.fd[0] = listen_unix(&name, &length, 0);
    c.data = &name;
    c.number = (long)length;
    c.fd[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c.fd[1], (struct sockaddr *)&name, length), 0);
    run_block_case(&c);
    close_all(&c);
}
