/* SPDX-License-Identifier: MIT
 *
 * arrival_of_calls.c - system calls of workers that block on one scheduler after the other: when a
 * call is over, its worker arrives on the list of the scheduler that it left (BL-4), whether the
 * library noticed the call in libc's function, as a bare call, or by a sleep in the kernel.
 *
 * modes: ways, UMSSHIM_STRICT=1
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SCHEDULERS = 3, ROUNDS = 6 };

static int ends[2];
static PUMS_CONTEXT held;

static VOID NTAPI execute_once(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        EXPECT_EQ(bare_execute(held), 0); /* comes back only on failure */
    EXPECT_EQ(reason, UmsSchedulerThreadBlocked);
    EXPECT_EQ(payload & 1, 1);
}

static DWORD WINAPI read_often(LPVOID bare)
{
    char byte = 0;

    for (int i = 0; i < ROUNDS; i++) {
        ssize_t got = bare ? syscall(SYS_read, ends[0], &byte, 1) : read(ends[0], &byte, 1);

        EXPECT_EQ(got, 1);
        EXPECT_EQ(byte, i);
    }
    return 0;
}

static DWORD WINAPI sleep_often(LPVOID param)
{
    struct timespec moment = {0, 3000000};

    for (int i = 0; i < ROUNDS; i++)
        EXPECT_EQ(syscall(SYS_nanosleep, &moment, NULL), 0);
    return 0;
}

static void run(LPTHREAD_START_ROUTINE routine, LPVOID param, bool feed)
{
    bool page = is_set("UMSSHIM_STRICT", "1"), ended = false;
    PUMS_COMPLETION_LIST creation = NULL, lists[SCHEDULERS];
    struct bare worker;

    ASSERT_EQ(pipe(ends), 0);
    ASSERT_OK(CreateUmsCompletionList(&creation));
    for (int i = 0; i < SCHEDULERS; i++)
        ASSERT_OK(CreateUmsCompletionList(&lists[i]));
    ASSERT_OK(bare_create_arrived(&worker, creation, routine, param));
    held = worker.context;
    for (int i = 0; i <= ROUNDS && !ended; i++) { /* the last time it ends */
        PUMS_COMPLETION_LIST list = lists[i % SCHEDULERS];
        char byte = (char)i;

        ASSERT_OK(ums_enter(list, execute_once, NULL));
        if (feed && i < ROUNDS)
            ASSERT_EQ(write(ends[1], &byte, 1), 1);
        ASSERT_EQ(bare_arrival(page ? creation : list), worker.context);
        ended = is_terminated(worker.context);
        /* Where others keep the processor a sleep may be over before it has begun. */
        EXPECT_THAT(ended == (i == ROUNDS) || (ended && !feed), "round %d: ended %d", i, ended);
    }
    bare_delete(&worker);
    for (int i = 0; i < SCHEDULERS; i++)
        EXPECT_OK(DeleteUmsCompletionList(lists[i]));
    EXPECT_OK(DeleteUmsCompletionList(creation));
    close(ends[0]);
    close(ends[1]);
}

CALL_TEST(ArrivalOfCalls, reads_by_libc, run(read_often, NULL, true))
CALL_TEST(ArrivalOfCalls, reads_by_bare_calls, run(read_often, (LPVOID)1, true))
CALL_TEST(ArrivalOfCalls, sleeps_by_bare_calls, run(sleep_often, NULL, false))
