/* SPDX-License-Identifier: MIT
 *
 * exception_child.h - exceptions on each kind of thread, each in a process of its own.
 */
#ifndef UMSSHIM_TESTS_LINUX_EXCEPTION_CHILD_H
#define UMSSHIM_TESTS_LINUX_EXCEPTION_CHILD_H

#include <windows.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "child.h"
#include "gtest_c.h"
#include "kinds.h"

/* Runs body(arg) on a thread of this kind, in a process of its own. */
struct job {
    void (*body)(void *);
    enum kind kind;
};

static inline int run_job(void *arg)
{
    struct job *job = arg;
    struct rlimit none = {0, 0};
    struct kind_thread thread = {0};

    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own; this process has made no call yet */
    signal(SIGFPE, SIG_DFL);
    if (kind_start(&thread, job->kind, job->body, NULL))
        kind_join(&thread);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

static inline struct child_result in_child(void (*body)(void *), enum kind kind)
{
    struct job job = {body, kind};

    return child_run(run_job, &job, 10000);
}

static inline void ends_well(void (*body)(void *))
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct child_result result = in_child(body, kind);

        EXPECT_CHILD_OK(result);
    }
}

static inline void ends_by(void (*body)(void *), int number)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct child_result result = in_child(body, kind);

        EXPECT_CHILD_SIGNAL(result, number);
        EXPECT_EQ(strstr(result.output, "never") == NULL, 1);
    }
}

#endif
