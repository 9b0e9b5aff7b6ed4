/* SPDX-License-Identifier: MIT
 *
 * thread_io.c - input and output, and timers, that the kernel ties to the thread which asked for
 * them: completion routines run on it, CancelIo means its requests, and its end cancels them.
 *
 * The hazard: asked for in place, the request is the scheduler's thread's. Its routine would run
 * there or never, a neighbour could cancel it, and it would go when the scheduler goes.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "bare.h"
#include "gtest_c.h"
#include "moving.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, WORKERS = 3, LIMIT_MS = 5000 };

/* ---- Timers ---------------------------------------------------------------------------------- */

static int routines[MOVING_WORKERS];

static void CALLBACK timer_routine(LPVOID param, DWORD low, DWORD high)
{
    struct worker *self = param;

    EXPECT_OK(low | high);
    EXPECT_EQ(GetCurrentThreadId(), self->id);
    flag_add(&routines[self->index], 1);
}

static void wait_for_timers(struct worker *self)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);
    int *mine = &routines[self->index];

    ASSERT_OK(timer != NULL);
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        LARGE_INTEGER due = {.QuadPart = -10000}; /* a millisecond */

        ASSERT_OK(SetWaitableTimer(timer, &due, 0, timer_routine, self, FALSE));
        step_aside(self, i);
        EXPECT_EQ(flag_get(mine), i - 1);
        EXPECT_EQ(SleepEx(LIMIT_MS, TRUE), WAIT_IO_COMPLETION);
        EXPECT_EQ(flag_get(mine), i);
        step_aside(self, i + 1);
    }
    EXPECT_OK(CloseHandle(timer));
}

TEST(ThreadIo, timers_routine)
{
    memset(routines, 0, sizeof routines);
    ASSERT_OK(run_moving(2, WORKERS, wait_for_timers, NULL, NULL));
}

/* ---- Reads ----------------------------------------------------------------------------------- */

struct channel {
    HANDLE reader, writer; /* overlapped */
};

static bool open_channel(struct channel *channel)
{
    static int channels;
    char name[80];

    snprintf(name, sizeof name, "\\\\.\\pipe\\umsshim-thread-io-%u-%d",
             (unsigned)GetCurrentProcessId(), flag_add(&channels, 1));
    channel->reader = CreateNamedPipeA(name, PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED,
                                       PIPE_TYPE_BYTE | PIPE_WAIT, 1, 4096, 4096, LIMIT_MS, NULL);
    channel->writer = CreateFileA(name, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    return EXPECT_NE(channel->reader, INVALID_HANDLE_VALUE) &&
           EXPECT_NE(channel->writer, INVALID_HANDLE_VALUE);
}

static void close_channel(struct channel *channel)
{
    EXPECT_OK(CloseHandle(channel->reader));
    EXPECT_OK(CloseHandle(channel->writer));
}

static bool send(struct channel *channel, char byte)
{
    DWORD count = 0;

    return EXPECT_OK(WriteFile(channel->writer, &byte, 1, &count, NULL)) && EXPECT_EQ(count, 1);
}

/* hEvent is the program's own in calls with a routine. */
static void CALLBACK read_routine(DWORD error, DWORD count, LPOVERLAPPED request)
{
    struct worker *self = request->hEvent;

    EXPECT_EQ(error, 0);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(GetCurrentThreadId(), self->id);
    flag_add(&routines[self->index], 1);
}

static void read_with_routine(struct worker *self)
{
    int *mine = &routines[self->index];
    struct channel channel;

    ASSERT_OK(open_channel(&channel));
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        OVERLAPPED request = {.hEvent = self};
        char byte = 0;

        ASSERT_OK(ReadFileEx(channel.reader, &byte, 1, &request, read_routine));
        step_aside(self, i);
        ASSERT_OK(send(&channel, (char)i));
        step_aside(self, i + 1);
        EXPECT_EQ(flag_get(mine), i - 1);
        EXPECT_EQ(SleepEx(LIMIT_MS, TRUE), WAIT_IO_COMPLETION);
        EXPECT_EQ(flag_get(mine), i);
        EXPECT_EQ(byte, (char)i);
    }
    close_channel(&channel);
}

TEST(ThreadIo, reads_routine)
{
    memset(routines, 0, sizeof routines);
    ASSERT_OK(run_moving(2, WORKERS, read_with_routine, NULL, NULL));
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

static struct channel shared;
static OVERLAPPED pending;
static char pending_byte;
static int begun, tried;

static void ask_or_cancel(struct worker *self)
{
    DWORD count = 0;

    if (self->index) {
        ASSERT_OK(yield_until(&begun));
        for (int i = 0; i < ROUNDS; i++) {
            EXPECT_OK(CancelIo(shared.reader)); /* mine: none */
            step_aside(self, i);
        }
        flag_add(&tried, 1);
        return;
    }
    EXPECT_FAILS(ReadFile(shared.reader, &pending_byte, 1, NULL, &pending), ERROR_IO_PENDING);
    flag_set(&begun, 1);
    while (flag_get(&tried) < WORKERS - 1 && !tc_failures())
        move_on(self);
    EXPECT_EQ(HasOverlappedIoCompleted(&pending), FALSE);
    EXPECT_OK(CancelIo(shared.reader));
    EXPECT_FAILS(GetOverlappedResult(shared.reader, &pending, &count, TRUE),
                 ERROR_OPERATION_ABORTED);
}

TEST(ThreadIo, cancelling_means_my_own_requests)
{
    memset(&pending, 0, sizeof pending);
    pending.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    begun = tried = 0;
    ASSERT_OK(open_channel(&shared));
    EXPECT_OK(run_moving(1, WORKERS, ask_or_cancel, NULL, NULL));
    close_channel(&shared);
    EXPECT_OK(CloseHandle(pending.hEvent));
}

/* ---- A scheduler that goes ------------------------------------------------------------------- */

static struct bare asker;
static PUMS_COMPLETION_LIST askers_list;

static DWORD WINAPI ask_and_outlive(LPVOID param)
{
    DWORD count = 0;

    UmsThreadYield(NULL);
    EXPECT_FAILS(ReadFile(shared.reader, &pending_byte, 1, NULL, &pending), ERROR_IO_PENDING);
    UmsThreadYield(&pending); /* from here on, another scheduler */
    EXPECT_EQ(HasOverlappedIoCompleted(&pending), FALSE);
    EXPECT_OK(send(&shared, 'x'));
    EXPECT_OK(GetOverlappedResult(shared.reader, &pending, &count, TRUE));
    EXPECT_EQ(count, 1);
    EXPECT_EQ(pending_byte, 'x');
    return 0;
}

static VOID NTAPI run_until_it_has_asked(UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                                         PVOID param)
{
    if (reason == UmsSchedulerThreadYield && param == &pending)
        return;
    /* What kind of file it is may be found out in a block. */
    if (reason == UmsSchedulerThreadBlocked)
        EXPECT_EQ(bare_arrival(askers_list), asker.context);
    bare_execute(asker.context);
    FAIL("execute failed: last error %u", (unsigned)GetLastError());
}

static DWORD WINAPI first_scheduler(LPVOID list)
{
    EXPECT_OK(ums_enter(list, run_until_it_has_asked, NULL));
    return 0;
}

TEST(ThreadIo, outlives_the_scheduler_it_was_asked_for_on)
{
    PUMS_COMPLETION_LIST list;
    HANDLE thread;

    memset(&pending, 0, sizeof pending);
    pending.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    ASSERT_OK(open_channel(&shared));
    ASSERT_OK(CreateUmsCompletionList(&list));
    askers_list = list;
    ASSERT_OK(bare_create_arrived(&asker, list, ask_and_outlive, NULL));
    thread = CreateThread(NULL, 0, first_scheduler, list, 0, NULL);
    ASSERT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(bare_drive(list, &asker.context, 1, 1));
    bare_delete(&asker);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_OK(CloseHandle(thread));
    close_channel(&shared);
    EXPECT_OK(CloseHandle(pending.hEvent));
}
