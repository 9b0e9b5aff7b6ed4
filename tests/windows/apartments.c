/* SPDX-License-Identifier: MIT
 *
 * apartments.c - the COM apartment that a worker has entered is its own.
 *
 * The hazard: COM keeps the apartment in the thread's block. If two workers shared it, one could
 * not enter another kind, and the one that leaves first would take the other's apartment away.
 *
 * Under Wine the first window takes its time.
 *
 * modes: default
 * libraries: ole32
 * options: LIMIT 120
 */
#include "gtest_c.h"
#include "moving.h"

#include <objbase.h>

enum { ROUNDS = 30, WORKERS = 4 };

static HRESULT enter(bool single)
{
    return CoInitializeEx(NULL, single ? COINIT_APARTMENTTHREADED : COINIT_MULTITHREADED);
}

static void be_in_an_apartment(struct worker *self)
{
    bool single = self->index % 2 == 0;

    for (int round = 0; round < 3 && !tc_failures(); round++) {
        ASSERT_EQ(enter(single), S_OK);
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            APTTYPE type = APTTYPE_CURRENT;
            APTTYPEQUALIFIER qualifier;

            step_aside(self, i);
            EXPECT_EQ(CoGetApartmentType(&type, &qualifier), S_OK);
            EXPECT_EQ(type == APTTYPE_MTA, !single);
            EXPECT_EQ(enter(!single), RPC_E_CHANGED_MODE);
            EXPECT_EQ(enter(single), S_FALSE); /* it is in it already */
            CoUninitialize();
        }
        CoUninitialize();
        step_aside(self, round);
    }
}

TEST(Apartments, single_and_multithreaded)
{
    /* Entering makes a window, and Wine's first one of all may take ten seconds. */
    HWND window = CreateWindowExA(0, "STATIC", "", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);

    ASSERT_OK(window != NULL);
    EXPECT_OK(run_moving(1, WORKERS, be_in_an_apartment, NULL, NULL));
    EXPECT_OK(run_moving(2, WORKERS, be_in_an_apartment, NULL, NULL));
    EXPECT_OK(DestroyWindow(window));
}
