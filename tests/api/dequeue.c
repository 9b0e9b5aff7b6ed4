/* SPDX-License-Identifier: MIT
 *
 * dequeue.c - DequeueUmsCompletionListItems, beside the kit's clauses DQ-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

enum { TICK_MS = 16 };

static void dequeue_timeout_in_worker(struct worker *self)
{
    PUMS_COMPLETION_LIST list = self->arg;
    PUMS_CONTEXT context = &list;
    ULONGLONG started = stopwatch();

    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &context));
    EXPECT_EQ(GetLastError(), ERROR_TIMEOUT);
    EXPECT_EQ(context, NULL);
    EXPECT_GE(stopwatch() - started, 50 - TICK_MS);
}

TEST(Dequeue, timeout_in_a_worker_DQ_12)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(FLEET_RUN(1, 0, {1, dequeue_timeout_in_worker, list}));
    EXPECT_OK(DeleteUmsCompletionList(list));
}
