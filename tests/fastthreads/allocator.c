/* SPDX-License-Identifier: MIT
 *
 * allocator.c - programs and the processor allocator, each of which survives the other's end.
 */
#include "allocator/channel.h"
#include "allocator_process.h"
#include "fastthreads.h"
#include "gtest_c.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define QUANTUM "20" /* ms */

static struct channel *join_in(unsigned wanted)
{
    struct channel_hint hint = {.wanted = wanted};
    struct channel *channel = channel_open(allocator_name, MACHINE);

    EXPECT_THAT(channel, "no channel to %s", allocator_name);
    if (channel)
        EXPECT_THAT(channel_hint(channel, &hint), "no hint to %s", allocator_name);
    return channel;
}

/* Until it is granted what is wanted: other grants may come before. */
static int granted(struct channel *channel, int wanted)
{
    struct channel_grant grant = {0};
    int got = -1;

    while (channel && got != wanted && channel_receive(channel, &grant))
        got = __builtin_popcountll(grant.processors);
    return got;
}

TEST(allocator, divides_among_those_that_are_there)
{
    struct child allocator = start_allocator("divides", QUANTUM);
    struct channel *one = join_in(2);
    struct channel *two;

    ASSERT_EQ(granted(one, 2), 2);
    two = join_in(2);
    ASSERT_EQ(granted(two, 1), 1);
    EXPECT_EQ(granted(one, 1), 1);
    channel_close(two);
    EXPECT_EQ(granted(one, 2), 2);
    channel_close(one);
    end_allocator(allocator);
}

static int crash_with_all(void *arg)
{
    (void)arg;
    if (granted(join_in(2), 2) != 2)
        return 1;
    raise(SIGKILL);
    return 2;
}

TEST(allocator, takes_back_what_a_crashed_program_had)
{
    struct child allocator = start_allocator("crash", QUANTUM);
    struct child_result result = child_run(crash_with_all, NULL, LIMIT_MS);
    struct channel *other;

    EXPECT_CHILD_SIGNAL(result, SIGKILL);
    other = join_in(2);
    EXPECT_EQ(granted(other, 2), 2);
    channel_close(other);
    end_allocator(allocator);
}

TEST(allocator, three_programs_take_turns_on_two_processors)
{
    struct child allocator = start_allocator("turns", QUANTUM);
    struct channel *programs[3] = {join_in(2), join_in(2), join_in(2)};

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) {
            EXPECT_EQ(granted(programs[i], 0), 0);
            EXPECT_EQ(granted(programs[i], 1), 1);
        }
    }
    for (int i = 0; i < 3; i++)
        channel_close(programs[i]);
    end_allocator(allocator);
}

TEST(allocator, hangs_up_on_nonsense)
{
    struct child allocator = start_allocator("nonsense", QUANTUM);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "fastthreads/%s",
                          allocator_name);
    int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    struct channel *other;
    char byte;

    ASSERT_EQ(connect(socket_fd, (struct sockaddr *)&address,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
              0);
    ASSERT_EQ(send(socket_fd, "nonsense of no size", 19, 0), 19);
    EXPECT_EQ(recv(socket_fd, &byte, 1, 0), 0);
    close(socket_fd);
    other = join_in(1);
    EXPECT_EQ(granted(other, 1), 1);
    channel_close(other);
    end_allocator(allocator);
}

TEST(allocator, a_name_is_used_once)
{
    struct child allocator = start_allocator("once", QUANTUM);
    struct child_result second = child_run(allocator_main, QUANTUM, LIMIT_MS);

    EXPECT_THAT(second.exited && second.code == 1, "exited %d, code %d: %s", second.exited,
                second.code, second.output);
    end_allocator(allocator);
}

/* ---- The package as its client --------------------------------------------------------------- */

static atomic_int forks_done;
static atomic_int forks_enough;
static pid_t doomed;

static void small_work(void *arg)
{
    volatile double x = 1;

    (void)arg;
    for (int i = 0; i < 2000; i++)
        x = x * 0.5 + 1;
    atomic_fetch_add(&forks_done, 1);
}

static void work_in_rounds(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    (void)arg;
    while (!atomic_load(&forks_enough) && GetTickCount64() < until) {
        struct ft_thread *threads[8];
        int before = atomic_load(&forks_done);

        for (int i = 0; i < 8; i++) {
            threads[i] = ft_fork(small_work, NULL);
            ASSERT_THAT(threads[i], "fork %d", i);
        }
        for (int i = 0; i < 8; i++)
            ft_join(threads[i]);
        EXPECT_EQ(atomic_load(&forks_done), before + 8);
        if (doomed && before > 500) {
            kill(doomed, SIGKILL);
            doomed = 0;
        }
        if (before > 5000)
            atomic_store(&forks_enough, 1);
    }
    EXPECT_THAT(atomic_load(&forks_enough), "%d forks only", atomic_load(&forks_done));
}

static struct ft_statistics run_with(const char *allocator, enum ft_ground ground)
{
    struct ft_options options = {.ground = ground, .processors = 2, .allocator = allocator};
    struct ft_statistics counts;

    atomic_store(&forks_done, 0);
    atomic_store(&forks_enough, 0);
    EXPECT_EQ(ft_run(&options, work_in_rounds, NULL, &counts), 0);
    return counts;
}

TEST(client, goes_on_without_an_allocator)
{
    struct ft_statistics counts = run_with("nobody-is-called-this", FT_UMS);

    EXPECT_EQ(counts.allocator_lost, TRUE);
}

TEST(client, asks_for_what_it_needs)
{
    struct child allocator = start_allocator("needs", QUANTUM);
    struct ft_statistics counts = run_with(allocator_name, FT_UMS);

    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.hints, 2);
    counts = run_with(allocator_name, FT_USER);
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.hints, 2);
    end_allocator(allocator);
}

TEST(client, survives_its_allocator)
{
    struct child allocator = start_allocator("dies", QUANTUM);
    struct child_result result;
    struct ft_statistics counts;

    doomed = allocator.pid;
    counts = run_with(allocator_name, FT_UMS);
    EXPECT_EQ(counts.allocator_lost, TRUE);
    result = child_wait(allocator, LIMIT_MS);
    EXPECT_CHILD_SIGNAL(result, SIGKILL);
}

TEST(client, gives_processors_up_to_a_newcomer)
{
    struct child allocator = start_allocator("newcomer", QUANTUM);
    struct channel *other = join_in(2);
    struct ft_statistics counts;

    ASSERT_EQ(granted(other, 2), 2);
    counts = run_with(allocator_name, FT_UMS); /* on the one processor that is its share */
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.given_up, 1);
    EXPECT_EQ(granted(other, 1), 1);
    channel_close(other);
    end_allocator(allocator);
}

static atomic_int both_taken;
static struct channel *lower;

static void compute_until_taken(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    (void)arg;
    while (!atomic_load(&both_taken) && GetTickCount64() < until)
        YieldProcessor();
}

static void compute_on_two(void *arg)
{
    struct ft_thread *second = ft_fork(compute_until_taken, NULL);

    (void)arg;
    ASSERT_THAT(second, "no thread");
    compute_until_taken(NULL);
    ft_join(second);
}

static DWORD WINAPI until_nothing_is_left(LPVOID param)
{
    (void)param;
    EXPECT_EQ(granted(lower, 0), 0);
    atomic_store(&both_taken, 1);
    return 0;
}

TEST(client, of_a_higher_priority_takes_all_it_wants)
{
    struct child allocator = start_allocator("priority", QUANTUM);
    struct ft_options options = {
        .ground = FT_UMS, .processors = 2, .allocator = allocator_name, .priority = 1};
    struct ft_statistics counts;
    HANDLE listener;

    lower = join_in(2);
    ASSERT_EQ(granted(lower, 2), 2);
    atomic_store(&both_taken, 0);
    listener = CreateThread(NULL, 0, until_nothing_is_left, NULL, 0, NULL);
    ASSERT_OK(listener);
    EXPECT_EQ(ft_run(&options, compute_on_two, NULL, &counts), 0);
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_EQ(atomic_load(&both_taken), 1);
    EXPECT_EQ(WaitForSingleObject(listener, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(listener);
    EXPECT_EQ(granted(lower, 2), 2);
    channel_close(lower);
    end_allocator(allocator);
}
