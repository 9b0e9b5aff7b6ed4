/* SPDX-License-Identifier: MIT
 *
 * calls_in_threads.h - a plain thread or a worker that makes a call: to see it begin, in the kernel,
 * and end.
 */
#ifndef UMSSHIM_TESTS_LINUX_CALLS_IN_THREADS_H
#define UMSSHIM_TESTS_LINUX_CALLS_IN_THREADS_H

#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "hosted_worker.h"
#include "ums_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIMIT_MS = 8000, CHILD_LIMIT_MS = 22000 };

static inline bool within_limit(long long started)
{
    struct timespec some = {0, 200000};

    nanosleep(&some, NULL);
    return elapsed_ms(started) < LIMIT_MS;
}

static inline bool await_flag(int *flag, int value)
{
    long long started = now_ms();

    while (flag_get(flag) < value && within_limit(started))
        continue;
    EXPECT_GE(flag_get(flag), value);
    return flag_get(flag) >= value;
}

/* Waits until the thread is in the system call of this number. */
static inline void await_sleep(HANDLE thread, long call)
{
    char path[64], line[64];
    long long started = now_ms();
    long now = -1;

    snprintf(path, sizeof path, "/proc/self/task/%lu/syscall", (unsigned long)GetThreadId(thread));
    while (now != call && within_limit(started)) {
        FILE *file = fopen(path, "r");
        now = file && fgets(line, sizeof line, file) && line[0] != 'r' ? atol(line) : -1;
        if (file)
            fclose(file);
    }
    EXPECT_EQ(now, call);
}

static inline HANDLE start(bool as_worker, LPTHREAD_START_ROUTINE body, HANDLE *scheduler)
{
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT context;

    *scheduler = NULL;
    if (!as_worker)
        return CreateThread(NULL, 0, body, NULL, 0, NULL);
    EXPECT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(CreateUmsThreadContext(&context));
    HANDLE thread = ums_thread(&(UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, context, list}, body,
                               NULL, 0, NULL);
    *scheduler = CreateThread(NULL, 0, host_thread, list, 0, NULL);
    EXPECT_NE(*scheduler, NULL);
    return thread;
}

static inline void join(HANDLE thread, HANDLE scheduler)
{
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(!scheduler || WaitForSingleObject(scheduler, LIMIT_MS) == WAIT_OBJECT_0);
    CloseHandle(thread);
}

#endif
