/* SPDX-License-Identifier: MIT
 *
 * win32_cancel_races.c - CancelSynchronousIo at any moment: it ends the call that is under way
 * then, and no later one. Bytes that were read are not lost.
 *
 * Not on Windows: Wine 8 cancels no call that the server of a pipe or a socket waits in.
 *
 * modes: ways, UMSSHIM_DETECT=0
 * options: LIMIT 60
 * where: UNIX
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

enum { NUMBERS = 4000, STEP = 100 };

/* Reads numbers in one thread, which another one cancels all the time. */
struct counted {
    HANDLE in, out;
    int thread; /* its id */
    int got, aborted, asked, over;
};

static void reads_numbers(void *arg)
{
    struct counted *self = arg;

    flag_set(&self->thread, (int)GetCurrentThreadId());
    while (self->got < NUMBERS) {
        int number = -1;
        DWORD count = 0;

        if (ReadFile(self->in, &number, sizeof number, &count, NULL)) {
            ASSERT_EQ(count, sizeof number);
            ASSERT_EQ(number, self->got);
            self->got++;
            if (number % 64 == 0)
                Sleep(1); /* a sleep must not end early, or fail */
        } else {
            ASSERT_EQ(GetLastError(), ERROR_OPERATION_ABORTED);
            flag_set(&self->aborted, self->aborted + 1);
        }
    }
    flag_set(&self->over, 1);
}

static DWORD WINAPI cancels_all_the_time(LPVOID arg)
{
    struct counted *self = arg;
    HANDLE thread;

    while (!flag_get(&self->thread))
        Sleep(0);
    thread = OpenThread(THREAD_ALL_ACCESS, FALSE, (DWORD)flag_get(&self->thread));
    while (!flag_get(&self->over))
        if (CancelSynchronousIo(thread))
            self->asked++;
        else
            Sleep(0);
    return !CloseHandle(thread);
}

static DWORD WINAPI writes_numbers(LPVOID arg)
{
    struct counted *self = arg;

    for (int number = 0; number < NUMBERS; number++) {
        int before = flag_get(&self->aborted);
        DWORD count;

        /* Now and then there is nothing to read until a read has been ended. */
        for (int tries = 0; number % STEP == 0 && flag_get(&self->aborted) == before; tries++) {
            if (tries == 10000)
                return 1;
            Sleep(1);
        }
        if (!WriteFile(self->out, &number, sizeof number, &count, NULL))
            return 1;
    }
    return 0;
}

TEST(Win32CancelRaces, nothing_is_lost_and_nothing_comes_later)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct counted self = {0};
        struct kind_thread reader = {0};
        HANDLE threads[2];

        ASSERT_OK(CreatePipe(&self.in, &self.out, NULL, 0));
        ASSERT_OK(kind_start(&reader, kind, reads_numbers, &self));
        threads[0] = CreateThread(NULL, 0, cancels_all_the_time, &self, 0, NULL);
        threads[1] = CreateThread(NULL, 0, writes_numbers, &self, 0, NULL);
        EXPECT_OK(wait_until(&self.over, 60000));
        ASSERT_OK(kind_join(&reader));
        EXPECT_EQ(WaitForMultipleObjects(2, threads, TRUE, 10000), WAIT_OBJECT_0);
        EXPECT_EQ(self.got, NUMBERS);
        EXPECT_GE(self.asked, self.aborted);
        EXPECT_GE(self.aborted, NUMBERS / STEP);
        for (int i = 0; i < 2; i++)
            EXPECT_OK(CloseHandle(threads[i]));
        EXPECT_OK(CloseHandle(self.in));
        EXPECT_OK(CloseHandle(self.out));
    }
}
