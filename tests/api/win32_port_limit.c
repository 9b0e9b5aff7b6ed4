/* SPDX-License-Identifier: MIT
 *
 * win32_port_limit.c - how many of a completion port's threads run at once.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "limited_port.h"

static void expect_held_back(HANDLE port)
{
    EXPECT_EQ(taken_from(port, 0), 0);
    EXPECT_EQ(GetLastError(), WAIT_TIMEOUT);
}

/* ---- the limit ---- */

struct crowd {
    HANDLE port;
    DWORD limit;
    int taken, leave;
};

static void takes_and_yields(struct worker *self)
{
    struct crowd *crowd = self->arg;

    EXPECT_NE(taken_from(crowd->port, MEANWHILE_MS), 0);
    flag_add(&crowd->taken, 1);
    EXPECT_OK(yield_until(&crowd->leave));
}

/* A worker that has taken a packet and yields still counts as running, as a ready thread does. So
 * this worker finds no place at the port. */
static void finds_no_place(struct worker *self)
{
    struct crowd *crowd = self->arg;

    for (ULONGLONG started = stopwatch();
         flag_get(&crowd->taken) < (int)crowd->limit && stopwatch() - started < MEANWHILE_MS;)
        EXPECT_OK(UmsThreadYield(NULL));
    for (int i = 0; i < 20; i++)
        EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(flag_get(&crowd->taken), crowd->limit);
    expect_held_back(crowd->port);
    flag_set(&crowd->leave, 1);
}

static void so_many_run(DWORD asked, DWORD limit)
{
    struct crowd crowd = {.port = new_port(asked), .limit = limit};
    struct fleet *fleet = fleet_create(1, (int)limit + 3, 0);

    ASSERT_NE(fleet, NULL);
    for (DWORD i = 0; i < limit + 2; i++) {
        post(crowd.port, i + 1);
        fleet_add(fleet, takes_and_yields, &crowd);
    }
    fleet_add(fleet, finds_no_place, &crowd);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_EQ(crowd.taken, limit + 2); /* those that end make room */
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(crowd.port));
}

TEST(Win32PortLimit, so_many_run_at_once)
{
    so_many_run(1, 1);
    so_many_run(3, 3);
}

TEST(Win32PortLimit, none_said_is_one_for_each_processor)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    so_many_run(0, info.dwNumberOfProcessors);
}

enum { TAKERS = 6, AT_ONCE = 2, MANY = 4000 };

struct busy {
    HANDLE port;
    int running, most, over;
};

static DWORD WINAPI runs_with_others(LPVOID arg)
{
    struct busy *busy = arg;
    DWORD number, count = 0;

    while ((number = taken_from(busy->port, INFINITE)) != 0 && number <= MANY) {
        int running = flag_add(&busy->running, 1);

        if (running > AT_ONCE)
            flag_add(&busy->over, 1);
        for (int i = 0; i < 200; i++)
            YieldProcessor();
        count++;
        flag_add(&busy->running, -1);
    }
    return count;
}

TEST(Win32PortLimit, no_more_run_and_no_packet_is_lost)
{
    struct busy busy = {.port = new_port(AT_ONCE)};
    HANDLE threads[TAKERS];
    DWORD count, all = 0;

    for (int i = 0; i < TAKERS; i++)
        threads[i] = CreateThread(NULL, 0, runs_with_others, &busy, 0, NULL);
    for (DWORD i = 1; i <= MANY; i++)
        post(busy.port, i);
    for (int i = 0; i < TAKERS; i++)
        post(busy.port, MANY + 1);
    for (int i = 0; i < TAKERS; i++) {
        EXPECT_SIGNALLED(threads[i]);
        EXPECT_OK(GetExitCodeThread(threads[i], &count));
        EXPECT_OK(CloseHandle(threads[i]));
        all += count;
    }
    EXPECT_EQ(all, MANY);
    EXPECT_EQ(busy.over, 0);
    EXPECT_OK(CloseHandle(busy.port));
}

/* ---- who gets a place ---- */

static void takes_its_packet(struct worker *self)
{
    struct crowd *crowd = self->arg;

    EXPECT_EQ(taken_from(crowd->port, MEANWHILE_MS), self->index == 1 ? 3 : 2);
    flag_add(&crowd->taken, 1);
}

static void runs_until_told(struct worker *self)
{
    struct crowd *crowd = self->arg;

    EXPECT_EQ(taken_from(crowd->port, MEANWHILE_MS), 1);
    EXPECT_OK(yield_until(&crowd->leave));
    EXPECT_EQ(flag_get(&crowd->taken), 0);
}

static void posts_two(struct worker *self)
{
    struct crowd *crowd = self->arg;

    post(crowd->port, 2);
    post(crowd->port, 3);
    flag_set(&crowd->leave, 1);
}

TEST(Win32PortLimit, who_waited_last_gets_the_place)
{
    struct crowd crowd = {.port = new_port(1)};

    post(crowd.port, 1);
    FLEET_RUN(1, 0, {1, runs_until_told, &crowd}, {1, takes_its_packet, &crowd},
              {1, takes_its_packet, &crowd}, {1, posts_two, &crowd});
    EXPECT_EQ(crowd.taken, 2);
    EXPECT_OK(CloseHandle(crowd.port));
}

static DWORD WINAPI takes_abandoned(LPVOID port)
{
    EXPECT_EQ(taken_from(port, MEANWHILE_MS), 0);
    EXPECT_THAT(GetLastError() == ERROR_ABANDONED_WAIT_0 || GetLastError() == ERROR_INVALID_HANDLE,
                "last error %lu", (unsigned long)GetLastError());
    return 0;
}

TEST(Win32PortLimit, closed_while_a_packet_waits_for_a_place)
{
    HANDLE port = new_port(1), thread;

    post(port, 1);
    EXPECT_EQ(taken_from(port, 0), 1);
    post(port, 2);
    thread = CreateThread(NULL, 0, takes_abandoned, port, 0, NULL);
    spin(SHORT_MS);
    EXPECT_OK(CloseHandle(port));
    EXPECT_SIGNALLED(thread);
    EXPECT_OK(CloseHandle(thread));
}

struct pair {
    HANDLE port, taken;
    int leave;
};

static DWORD WINAPI takes_and_runs(LPVOID arg)
{
    struct pair *pair = arg;
    ULONGLONG started;

    EXPECT_EQ(taken_from(pair->port, MEANWHILE_MS), 2);
    EXPECT_OK(SetEvent(pair->taken));
    for (started = stopwatch(); !flag_get(&pair->leave);)
        if (stopwatch() - started > MEANWHILE_MS)
            break;
    EXPECT_EQ(flag_get(&pair->leave), 1);
    return 0;
}

/* A thread whose wait is over runs again, and is one too many. It gets no packet while another
 * thread runs; a thread that ends makes room. */
TEST(Win32PortLimit, a_thread_too_many_gets_no_packet)
{
    struct pair pair = {new_port(1), new_auto_event(), 0};
    HANDLE thread;

    post(pair.port, 1);
    post(pair.port, 2);
    EXPECT_EQ(taken_from(pair.port, 0), 1);
    thread = CreateThread(NULL, 0, takes_and_runs, &pair, 0, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_SIGNALLED(pair.taken);
    post(pair.port, 3);
    expect_held_back(pair.port);
    flag_set(&pair.leave, 1);
    EXPECT_SIGNALLED(thread);
    EXPECT_EQ(taken_from(pair.port, 0), 3);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(pair.port));
    EXPECT_OK(CloseHandle(pair.taken));
}

/* The number counts when the port is made. */
TEST(Win32PortLimit, a_number_given_later_is_ignored)
{
    HANDLE port = new_port(1), file, thread;
    struct pair pair = {port, new_auto_event(), 0};
    char name[MAX_PATH], folder[MAX_PATH];

    EXPECT_NE(GetTempPathA(sizeof folder, folder), 0);
    EXPECT_NE(GetTempFileNameA(folder, "lim", 0, name), 0);
    file = CreateFileA(name, GENERIC_READ, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(CreateIoCompletionPort(file, port, 0, 5), port);
    post(port, 2);
    thread = CreateThread(NULL, 0, takes_and_runs, &pair, 0, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_SIGNALLED(pair.taken);
    post(port, 3);
    expect_held_back(port);
    flag_set(&pair.leave, 1);
    EXPECT_SIGNALLED(thread);
    EXPECT_EQ(taken_from(port, 0), 3);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(port));
    EXPECT_OK(CloseHandle(pair.taken));
}
