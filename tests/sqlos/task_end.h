/* SPDX-License-Identifier: MIT
 *
 * task_end.h - a task of the SQLOS-style layer ends in time, with this result.
 */
#ifndef UMSSHIM_TESTS_SQLOS_TASK_END_H
#define UMSSHIM_TESTS_SQLOS_TASK_END_H

#include "sqlos_private.h"

#include "gtest_c.h"

enum { LIMIT_MS = 15000 };

static inline void finish(SOS_TASK *task, DWORD wanted)
{
    DWORD result = ~wanted;

    ASSERT_OK(task);
    EXPECT_EQ(SosTaskWait(task, LIMIT_MS, &result), SOS_OK);
    EXPECT_EQ(result, wanted);
    SosTaskRelease(task);
}

#endif
