/* SPDX-License-Identifier: MIT
 *
 * come_and_go.c - see come_and_go.h.
 */
#include "come_and_go.h"

#include "gtest_c.h"

#include <pthread.h>
#include <windows.h>

static void *give(void *result)
{
    return result;
}

static DWORD WINAPI give_code(LPVOID code)
{
    return (DWORD)(ULONG_PTR)code;
}

void come_and_go(void *result)
{
    pthread_t thread;
    void *given = NULL;
    HANDLE other;

    EXPECT_EQ(pthread_create(&thread, NULL, give, result), 0);
    other = CreateThread(NULL, 0, give_code, NULL, 0, NULL);
    EXPECT_NE(other, NULL);
    EXPECT_EQ(pthread_join(thread, &given), 0);
    EXPECT_EQ(given, result);
    EXPECT_EQ(WaitForSingleObject(other, 20000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(other);
}
