/* SPDX-License-Identifier: MIT
 *
 * system_info.c - GetUmsSystemThreadInformation, beside the kit's clauses SY-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "gtest_c.h"

TEST(SystemInfo, nowhere_to_tell_it)
{
    EXPECT_FAILS(GetUmsSystemThreadInformation(GetCurrentThread(), NULL), ERROR_INVALID_PARAMETER);
}

TEST(SystemInfo, handles_of_no_thread_SY_4)
{
    UMS_SYSTEM_THREAD_INFORMATION info = {.UmsVersion = UMS_VERSION};
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE closed = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_OK(CloseHandle(closed));
    EXPECT_FAILS(GetUmsSystemThreadInformation(event, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetUmsSystemThreadInformation(closed, &info), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}
