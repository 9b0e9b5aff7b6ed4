/* SPDX-License-Identifier: MIT
 *
 * events.c - see events.h.
 */
#include "events.h"

#include "gtest_c.h"

void expect_signalled(struct check_place place, HANDLE event)
{
    DWORD result = WaitForSingleObject(event, MEANWHILE_MS);

    if (result != WAIT_OBJECT_0) {
        check_fail(place, "not signalled after %d ms: the wait gave %lu", MEANWHILE_MS,
                   (unsigned long)result);
    }
}

HANDLE new_manual_event(void)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);

    EXPECT_NE(event, NULL);
    return event;
}

HANDLE new_auto_event(void)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_NE(event, NULL);
    return event;
}
