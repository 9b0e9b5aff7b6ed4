/* SPDX-License-Identifier: MIT
 *
 * Reads that a worker does not attempt, because its reads by that number had to wait (platform/linux/traps/known_wait.h).
 */
#include "platform/linux/traps/known_wait.h"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>
#include <sys/socket.h>

const struct plat_core *engine_core;

enum { NUMBER = 7, ATTEMPTS = 100 };

const struct call_row row_of_waiting_receive = {.nr = SYS_recvfrom};
static const struct call_row read_row = {.nr = SYS_read}, receive_row = {.nr = SYS_recvfrom},
                             vector_row = {.nr = SYS_readv};
static struct plat_context worker;

static struct call *begin(const struct call_row *row, int fd)
{
    worker.call = (struct call){.entry = row, .args = {fd, 0x1000, 8}};
    return &worker.call;
}

/* A call that begins. True: it was attempted. */
static bool reads(const struct call_row *row, int fd, enum outcome outcome)
{
    struct call *call = begin(row, fd);

    if (call_waits_as_before(call)) {
        EXPECT_EQ(call->watch.guess, row == &row_of_waiting_receive ? GUESS_NONE : GUESS_WAITS);
        return false;
    }
    EXPECT_EQ(call->watch.guess, GUESS_NONE);
    known_wait_learn(call, outcome);
    return true;
}

/* How many reads that wait are not attempted until the next one is. */
static int guesses(void)
{
    int n = 0;

    while (n < ATTEMPTS && !reads(&read_row, NUMBER, CALL_WAIT))
        n++;
    return n;
}

static void start(void)
{
    memset(&worker, 0, sizeof worker);
}

TEST(KnownWait, after_some_waits_few_reads_are_attempted)
{
    static const int expected[] = {0, 0, 0, 1, 2, 4, 8, 8, 8};

    start();
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        EXPECT_EQ(guesses(), expected[i]);
}

TEST(KnownWait, a_read_that_finds_data_ends_it)
{
    start();
    while (guesses() < 8)
        ;
    for (int i = 0; i < 8; i++)
        EXPECT_EQ(reads(&read_row, NUMBER, CALL_DONE), false);
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_DONE), true);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), true);
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), false);
}

/* Each number has its own; one that shares the place begins anew. */
TEST(KnownWait, it_goes_by_the_number)
{
    start();
    for (int i = 0; i < 3; i++)
        reads(&read_row, NUMBER, CALL_WAIT);
    EXPECT_EQ(reads(&read_row, NUMBER + 1, CALL_WAIT), true);
    EXPECT_EQ(reads(&read_row, NUMBER + KNOWN_WAITS, CALL_DONE), true);
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), false);
    EXPECT_EQ(reads(&read_row, NUMBER + KNOWN_WAITS, CALL_WAIT), true);
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), true);
}

/* Of other calls the attempt says more than whether they wait. */
TEST(KnownWait, only_plain_reads_are_left_out)
{
    start();
    for (int i = 0; i < ATTEMPTS; i++)
        EXPECT_EQ(reads(&vector_row, NUMBER, CALL_WAIT), true);
    while (guesses() < 8)
        ;
    EXPECT_EQ(reads(&receive_row, NUMBER, CALL_WAIT), false);
    EXPECT_EQ(reads(&row_of_waiting_receive, NUMBER, CALL_WAIT), false);
    struct call *call = begin(&read_row, NUMBER);
    call->args[2] = 0;
    EXPECT_EQ(call_waits_as_before(call), false);
    call = begin(&receive_row, NUMBER);
    call->args[3] = MSG_PEEK;
    EXPECT_EQ(call_waits_as_before(call), false);
}

TEST(KnownWait, after_a_wrong_guess_all_are_attempted)
{
    start();
    while (guesses() < 8)
        ;
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), false);
    known_wait_over(&worker.call);
    EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), false);
    worker.call.watch.guess = GUESS_WRONG;
    known_wait_over(&worker.call);
    for (int i = 0; i < ATTEMPTS; i++)
        EXPECT_EQ(reads(&read_row, NUMBER, CALL_WAIT), true);
}
