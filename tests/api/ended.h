/* SPDX-License-Identifier: MIT
 *
 * ended.h - shared by the tests of TerminateThread: a scheduler for the threads that they end, and
 * the exit code of these.
 */
#ifndef UMSSHIM_TESTS_API_ENDED_H
#define UMSSHIM_TESTS_API_ENDED_H

#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

enum { CODE = 0x7e57 };

static struct loose rig;
static int progress;
static HANDLE never;

static inline void finish(void)
{
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
}

static inline void expect_ended(HANDLE thread)
{
    DWORD code = 0;

    ASSERT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, CODE);
}

#endif
