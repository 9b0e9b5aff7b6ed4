/* SPDX-License-Identifier: MIT
 *
 * signallers.c - see signallers.h.
 */
#include "signallers.h"

#include "fleet.h"
#include "gtest_c.h"

enum { SIGNALLERS = 2 };

static HANDLE threads[SIGNALLERS];
static HANDLE signalled;
static int leave;

static DWORD WINAPI signal_only(LPVOID event)
{
    while (!flag_get(&leave))
        SetEvent(event);
    return 0;
}

void signallers_start(HANDLE event)
{
    signalled = event;
    flag_set(&leave, 0);
    for (int i = 0; i < SIGNALLERS; i++)
        threads[i] = CreateThread(NULL, 0, signal_only, event, 0, NULL);
}

void signallers_stop(void)
{
    flag_set(&leave, 1);
    for (int i = 0; i < SIGNALLERS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 8000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_OK(CloseHandle(signalled));
}
