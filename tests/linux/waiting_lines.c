/* SPDX-License-Identifier: MIT
 *
 * waiting_lines.c - many workers wait for one pipe or socket: they are served in the order in which
 * they came, and one worker gets each byte. A worker that leaves the line changes no other worker's
 * place.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 400, LINE = 6, SETTLE_US = 20000, LIMIT_MS = 8000 };

static int ends[2];
static int entered, served;
static int order[MOST];
static char got[MOST];
static long results[MOST];

static void stand_in_line(struct worker *self)
{
    char byte = 0;

    flag_add(&entered, 1);
    results[self->index] = read(ends[0], &byte, 1);
    got[self->index] = byte;
    order[flag_add(&served, 1) - 1] = self->index;
}

static void wait_for_count(int *flag, int count)
{
    long long started = now_ms();

    while (flag_get(flag) < count && elapsed_ms(started) < LIMIT_MS)
        usleep(500);
    EXPECT_EQ(flag_get(flag), count);
}

struct plan {
    struct fleet *fleet;
    int count;
    void (*serve)(struct plan *plan);
};

/* Each has left its scheduler: it is in its call, and not only about to make it. */
static void wait_until_blocked(const struct plan *plan)
{
    long long started = now_ms();

    for (int i = 0; i < plan->count; i++) {
        const long *blocked = &fleet_worker(plan->fleet, i)->blocked;

        while (!__atomic_load_n(blocked, __ATOMIC_ACQUIRE) && elapsed_ms(started) < LIMIT_MS)
            usleep(500);
        EXPECT_GE(__atomic_load_n(blocked, __ATOMIC_ACQUIRE), 1);
    }
}

static void *serve_thread(void *arg)
{
    struct plan *plan = arg;

    wait_for_count(&entered, plan->count);
    wait_until_blocked(plan);
    usleep(SETTLE_US); /* no call is deferred any more */
    plan->serve(plan);
    return NULL;
}

/* A plain thread serves `count` workers of one scheduler. */
static void run(int count, worker_body wait, void (*serve)(struct plan *plan))
{
    struct plan plan = {fleet_create(1, count, 0), count, serve};
    pthread_t thread;

    ASSERT_NE(plan.fleet, NULL);
    entered = served = 0;
    memset(got, 0, sizeof got);
    memset(results, 0, sizeof results);
    fleet_set_stack(plan.fleet, 65536);
    for (int i = 0; i < count; i++)
        fleet_add(plan.fleet, wait, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, serve_thread, &plan), 0);
    ASSERT_OK(fleet_run(plan.fleet));
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    fleet_destroy(plan.fleet);
}

static void run_line(int count, void (*serve)(struct plan *plan))
{
    run(count, stand_in_line, serve);
}

static void close_both(void)
{
    close(ends[0]);
    close(ends[1]);
}

static void serve_one(char byte, int number)
{
    EXPECT_EQ(write(ends[1], &byte, 1), 1);
    wait_for_count(&served, number);
}

static void serve_in_turn(struct plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        serve_one((char)('a' + i), i + 1);
        EXPECT_EQ(order[i], i);
        EXPECT_EQ(got[i], 'a' + i);
    }
}

TEST(WaitingLines, of_a_pipe_keep_their_order)
{
    make_pipe(ends);
    run_line(LINE, serve_in_turn);
    close_both();
}

TEST(WaitingLines, of_a_socket_keep_their_order)
{
    make_sockets(ends);
    run_line(LINE, serve_in_turn);
    close_both();
}

static void serve_together(struct plan *plan)
{
    char bytes[MOST];

    memset(bytes, 'x', sizeof bytes);
    EXPECT_EQ(write(ends[1], bytes, (size_t)plan->count), plan->count);
    wait_for_count(&served, plan->count);
    for (int i = 0; i < plan->count; i++)
        EXPECT_EQ(results[i], 1);
}

TEST(WaitingLines, get_a_byte_each_of_what_comes_at_once)
{
    make_pipe(ends);
    run_line(200, serve_together);
    close_both();
}

static void end_all(struct plan *plan)
{
    close(ends[1]);
    wait_for_count(&served, plan->count);
    for (int i = 0; i < plan->count; i++)
        EXPECT_EQ(results[i], 0);
}

TEST(WaitingLines, all_see_the_end)
{
    make_pipe(ends);
    run_line(LINE, end_all);
    close(ends[0]);
}

static void poll_beside(struct worker *self)
{
    struct pollfd set = {ends[0], POLLIN, 0};

    flag_add(&entered, 1);
    results[self->index] = poll(&set, 1, -1);
    flag_add(&served, 1);
}

/* A poll takes nothing away from others: one byte tells all. */
static void tell_all(struct plan *plan)
{
    char byte = 0;

    serve_one('p', plan->count);
    for (int i = 0; i < plan->count; i++)
        EXPECT_EQ(results[i], 1);
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'p');
}

TEST(WaitingLines, are_not_for_polls)
{
    make_pipe(ends);
    run(LINE, poll_beside, tell_all);
    close_both();
}

/* The number is somebody else's before anything comes. */
static void close_and_serve(struct plan *plan)
{
    int other[2], reader = ends[0];

    close(ends[0]);
    make_pipe(other);
    EXPECT_EQ(dup2(other[0], reader), reader);
    EXPECT_EQ(write(other[1], "o", 1), 1);
    serve_in_turn(plan);
    close(reader);
    close(other[0]);
    close(other[1]);
    close(ends[1]);
}

TEST(WaitingLines, stay_with_their_file_when_it_is_closed)
{
    make_pipe(ends);
    run_line(LINE, close_and_serve);
}

/* The first, one in the middle, and the last are ended; the others are served in order. */
static void end_some_and_serve(struct plan *plan)
{
    static const int ended[] = {0, 3, LINE - 1}, left[] = {1, 2, 4};

    for (int i = 0; i < 3; i++) {
        struct worker *victim = fleet_worker(plan->fleet, ended[i]);

        EXPECT_OK(TerminateThread(victim->thread, 7));
        EXPECT_EQ(WaitForSingleObject(victim->thread, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    }
    for (int i = 0; i < 3; i++) {
        serve_one((char)('a' + i), i + 1);
        EXPECT_EQ(order[i], left[i]);
        EXPECT_EQ(got[left[i]], 'a' + i);
    }
}

TEST(WaitingLines, close_up_when_somebody_is_ended)
{
    make_pipe(ends);
    run_line(LINE, end_some_and_serve);
    close_both();
}

/* ---- A full pipe ---- */

static void write_in_line(struct worker *self)
{
    char byte = (char)('a' + self->index);

    flag_add(&entered, 1);
    EXPECT_EQ(write(ends[1], &byte, 1), 1);
    order[flag_add(&served, 1) - 1] = self->index;
}

static size_t filled;

static void empty_the_pipe(struct plan *plan)
{
    char byte;

    EXPECT_EQ(flag_get(&served), 0);
    drain_some(ends[0], filled);
    for (int i = 0; i < LINE; i++) {
        EXPECT_EQ(read(ends[0], &byte, 1), 1);
        EXPECT_EQ(byte, 'a' + i);
    }
}

TEST(WaitingLines, of_writers_keep_their_order)
{
    make_pipe(ends);
    filled = fill_up(ends[1]);
    set_nonblocking(ends[1], 0);
    run(LINE, write_in_line, empty_the_pipe);
    close_both();
}

/* ---- Those who have just come do not overtake for ever ---- */

enum { BYTES = 200 };

static int over;

/* The worker reads again at once, so its call is always the youngest in line. */
static void read_greedily(struct worker *self)
{
    char byte;

    while (!flag_get(&over)) {
        flag_add(&entered, 1);
        if (read(ends[0], &byte, 1) != 1)
            break;
    }
}

static void read_once(struct worker *self)
{
    stand_in_line(self);
    flag_set(&over, 1);
}

static void write_meanwhile(struct worker *self)
{
    int i;

    usleep(SETTLE_US); /* the patient one stands in front */
    for (i = 0; i < BYTES && !flag_get(&served); i++) {
        EXPECT_EQ(write(ends[1], "x", 1), 1);
        usleep(300);
    }
    EXPECT_LT(i, BYTES);
    flag_set(&over, 1);
    close(ends[1]);
}

TEST(WaitingLines, are_not_overtaken_for_ever)
{
    entered = served = over = 0;
    make_pipe(ends);
    ASSERT_OK(FLEET_RUN(1, 0, {1, read_once, NULL}, {1, read_greedily, NULL},
                        {1, write_meanwhile, NULL}));
    close(ends[0]);
}
