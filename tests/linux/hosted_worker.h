/* SPDX-License-Identifier: MIT
 *
 * hosted_worker.h - a scheduler that executes its one worker until the worker has ended, in
 * whatever way. If a worker is suspended or ended while this scheduler holds it, it does not
 * arrive.
 */
#ifndef UMSSHIM_TESTS_LINUX_HOSTED_WORKER_H
#define UMSSHIM_TESTS_LINUX_HOSTED_WORKER_H

#include "gtest_c.h"
#include "ums_kit.h"

#include <stdbool.h>

static PUMS_COMPLETION_LIST hosts_list; /* only the first activation is told */

static inline bool has_ended(PUMS_CONTEXT worker)
{
    BOOLEAN ended = FALSE;

    EXPECT_OK(QueryUmsThreadInformation(worker, UmsThreadIsTerminated, &ended, sizeof ended, NULL));
    return ended;
}

static inline void CALLBACK host(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID unused)
{
    PUMS_CONTEXT worker = reason == UmsSchedulerThreadYield ? (PUMS_CONTEXT)payload : NULL;

    while (!worker || !has_ended(worker))
        if (!worker)
            EXPECT_OK(DequeueUmsCompletionListItems(hosts_list, INFINITE, &worker));
        else
            ExecuteUmsThread(worker);
    EXPECT_OK(DeleteUmsThreadContext(worker));
}

/* The thread's routine; its argument is the list. */
static inline DWORD WINAPI host_thread(LPVOID list)
{
    hosts_list = list;
    EXPECT_OK(ums_enter(list, host, NULL));
    return 0;
}

#endif
