/* SPDX-License-Identifier: MIT
 *
 * accepting.c - accept of workers does what a thread's does, but no kernel thread waits in it.
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
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_accepted(struct crowd *crowd)
{
    for (int i = 0; i < crowd->count; i++)
        if (crowd->result[i] >= 0)
            close(crowd->result[i]);
}

static void run_accepting(enum door door, int count, void (*step)(struct crowd *crowd))
{
    struct crowd crowd = {.door = door, .count = count, .call = accept_there, .serve = step};

    crowd.listener = listen_here(POOL);
    run_crowd(&crowd);
    for (int i = 0; i < count && !tc_failures() && is_seen(door); i++)
        EXPECT_GE(crowd.result[i], 0);
    close_accepted(&crowd);
    close(crowd.listener);
}

CALL_TEST(Accepting, a_line_at_a_listener_is_served_in_order,
          run_accepting(LIBC, LINE, connect_in_turn))
CALL_TEST(Accepting, so_is_one_of_bare_calls, run_accepting(BARE, LINE, connect_in_turn))

static void connect_all(struct crowd *crowd)
{
    int fd[POOL];

    for (int i = 0; i < crowd->count; i++)
        fd[i] = connected();
    wait_for_count(&crowd->returned, crowd->count);
    for (int i = 0; i < crowd->count; i++)
        close(fd[i]);
}

CALL_TEST(Accepting, a_pool_of_workers_gets_a_connection_each,
          run_accepting(LIBC, POOL, connect_all))

static int descriptors_of(int fd)
{
    struct stat file, other;
    int found = 0;

    EXPECT_EQ(fstat(fd, &file), 0);
    for (int i = 0; i < 4096; i++)
        found +=
            fstat(i, &other) == 0 && other.st_ino == file.st_ino && other.st_dev == file.st_dev;
    return found;
}

/* A call that waits keeps its socket, as in the kernel: the socket is closed, and then a client
 * connects. */
static void close_then_connect(struct crowd *crowd)
{
    long long started = now_ms();

    /* The waiting call has a duplicate of the socket, or a helper is in the kernel with it. */
    if (is_set("UMSSHIM_RING", "0"))
        wait_for_tasks(1);
    else
        while (descriptors_of(crowd->listener) < 2 && elapsed_ms(started) < LIMIT_MS)
            usleep(500);
    close(crowd->listener);
    connect_in_turn(crowd);
}

TEST(Accepting, a_listener_that_was_closed_serves_who_waits)
{
    struct crowd crowd = {
        .door = LIBC, .count = 1, .call = accept_there, .serve = close_then_connect};

    crowd.listener = listen_here(5);
    run_crowd(&crowd);
    for (int i = 0; i < crowd.count; i++)
        EXPECT_GE(crowd.result[i], 0);
    close_accepted(&crowd);
}

static void shut_down(struct crowd *crowd)
{
    EXPECT_EQ(shutdown(crowd->listener, SHUT_RDWR), 0);
}

static void run_shut_down(int listener)
{
    struct crowd crowd = {.door = LIBC,
                          .listener = listener,
                          .count = LINE,
                          .call = accept_there,
                          .serve = shut_down};

    run_crowd(&crowd);
    for (int i = 0; i < crowd.count; i++)
        EXPECT_EQ(crowd.error[i], EINVAL);
    close(listener);
}

TEST(Accepting, shutdown_ends_every_accept)
{
    run_shut_down(listen_here(5));
}

TEST(Accepting, shutdown_of_a_unix_listener_does_too)
{
    struct sockaddr_un name;
    socklen_t length;

    run_shut_down(listen_unix(&name, &length, 5));
}

TEST(Accepting, accept_gives_up_after_the_sockets_time)
{
    struct crowd crowd = {.door = LIBC, .count = LINE, .call = accept_there, .serve = nobody_comes};
    long long started = now_ms();

    crowd.listener = listen_here(5);
    limit_by(crowd.listener, SO_RCVTIMEO, 200);
    run_crowd(&crowd);
    EXPECT_GE(elapsed_ms(started), 199);
    for (int i = 0; i < crowd.count; i++)
        EXPECT_EQ(crowd.error[i], EAGAIN);
    close(crowd.listener);
}

static void accept_what_is_there(struct block_case *c)
{
    struct sockaddr_in peer = {0};
    socklen_t length = sizeof peer;

    for (int i = 0; i < 50; i++) {
        int client = connected();
        int fd = accept4(c->fd[0], (struct sockaddr *)&peer, &length, SOCK_NONBLOCK);

        EXPECT_GE(fd, 0);
        EXPECT_EQ(peer.sin_family, AF_INET);
        EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
        close(fd);
        close(client);
    }
    EXPECT_EQ(fcntl(c->fd[0], F_GETFL) & O_NONBLOCK, 0);
}

TEST(Accepting, neither_blocks_where_it_need_not_wait)
{
    struct block_case c = {.number = 0};

    if (is_set("UMSSHIM_RING", "0"))
        SKIP("a helper makes these calls");
    c.fd[0] = listen_here(5);
    run_unblocked(accept_what_is_there, &c, 5);
    close_all(&c);
}

/* ---- Others accept at the same socket ---- */

enum { CONNECTIONS = 600, THREADS = 2, WORKERS = 6 };

static int shared, taken, ended;

static void accept_until_shut(enum door door)
{
    int fd;

    while ((fd = accept_by(door, shared)) >= 0) {
        close(fd);
        flag_add(&taken, 1);
    }
    EXPECT_EQ(errno, EINVAL);
    flag_add(&ended, 1);
}

static void accept_in_worker(struct worker *self)
{
    accept_until_shut(LIBC);
}

static void *accept_in_thread(void *unused)
{
    accept_until_shut(LIBC);
    return NULL;
}

static void *connect_many(void *unused)
{
    for (int i = 0; i < CONNECTIONS && !tc_failures(); i++)
        close(connected());
    wait_for_count(&taken, CONNECTIONS);
    if (in_user_mode(LIBC))
        wait_for_tasks(THREADS);
    EXPECT_EQ(shutdown(shared, SHUT_RDWR), 0);
    return NULL;
}

TEST(Accepting, connections_that_others_take_hold_nobody)
{
    struct fleet *fleet = fleet_create(1, WORKERS, 0);
    pthread_t threads[THREADS + 1];

    ASSERT_NE(fleet, NULL);
    shared = listen_here(CONNECTIONS); /* a full one makes clients wait for seconds */
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, accept_in_worker, NULL);
    for (int i = 0; i < THREADS; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, accept_in_thread, NULL), 0);
    EXPECT_EQ(pthread_create(&threads[THREADS], NULL, connect_many, NULL), 0);
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i <= THREADS; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    EXPECT_EQ(taken, CONNECTIONS);
    EXPECT_EQ(ended, WORKERS + THREADS);
    fleet_destroy(fleet);
    close(shared);
}
