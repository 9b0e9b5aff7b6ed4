/* SPDX-License-Identifier: MIT
 *
 * win32_wait_races.c - registered waits are unregistered while signals and time-outs decide them.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"

enum { ROUNDS = 3000 };

static int over[ROUNDS]; /* no callback may come any more */

static VOID CALLBACK expect_not_over(PVOID context, BOOLEAN timed_out)
{
    EXPECT_EQ(flag_get(context), 0);
}

static HANDLE start_wait(int round, HANDLE object, ULONG milliseconds)
{
    HANDLE wait = NULL;

    flag_set(&over[round], 0);
    EXPECT_OK(RegisterWaitForSingleObject(&wait, object, expect_not_over, &over[round],
                                          milliseconds, WT_EXECUTEDEFAULT));
    return wait;
}

static void end_wait(int round, HANDLE wait)
{
    EXPECT_OK(UnregisterWaitEx(wait, INVALID_HANDLE_VALUE));
    flag_set(&over[round], 1);
}

/* One thread begins the wait, signals and ends the wait. So each signal and time-out meets a
 * beginning and an end. */
TEST(Win32WaitRaces, signals_and_time_outs)
{
    HANDLE object = new_auto_event();

    for (int i = 0; i < 300; i++) {
        HANDLE wait = start_wait(i, object, (ULONG)i % 2);

        if (i % 3)
            EXPECT_OK(SetEvent(object));
        end_wait(i, wait);
    }
    EXPECT_OK(CloseHandle(object));
}

struct signaller {
    HANDLE object;
    int stop;
};

static DWORD WINAPI signal_on_and_on(LPVOID arg)
{
    struct signaller *signaller = arg;

    while (!flag_get(&signaller->stop))
        EXPECT_OK(SetEvent(signaller->object));
    return 0;
}

/* A signal that has just taken the wait has its callback before the wait counts as unregistered. */
TEST(Win32WaitRaces, signals_by_another_thread)
{
    struct signaller signaller = {.object = new_auto_event()};
    HANDLE thread = CreateThread(NULL, 0, signal_on_and_on, &signaller, 0, NULL);

    for (int i = 0; i < ROUNDS; i++) {
        HANDLE wait = start_wait(i, signaller.object, INFINITE);

        for (volatile int spin = 0; spin < i; spin++) {
        }
        end_wait(i, wait);
    }
    flag_set(&signaller.stop, 1);
    EXPECT_SIGNALLED(thread);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(signaller.object));
}
