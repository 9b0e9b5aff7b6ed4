/* SPDX-License-Identifier: MIT
 *
 * in_fiber.h - runs a piece of a test in a fiber. Meanwhile the calling thread is a fiber, too.
 */
#ifndef UMSSHIM_TESTS_LINUX_IN_FIBER_H
#define UMSSHIM_TESTS_LINUX_IN_FIBER_H

#include <windows.h>

#include "gtest_c.h"

enum { FIBER_STACK = 256 * 1024 };

static void *base; /* the thread itself, as a fiber */
static void (*fiber_body)(void);

static inline VOID CALLBACK run_body(LPVOID param)
{
    fiber_body();
    SwitchToFiber(base);
}

static inline void in_fiber(void (*body)(void))
{
    void *fiber = CreateFiber(FIBER_STACK, run_body, NULL);

    fiber_body = body;
    base = ConvertThreadToFiber(NULL);
    ASSERT_OK(base && fiber);
    SwitchToFiber(fiber);
    DeleteFiber(fiber);
    EXPECT_OK(ConvertFiberToThread());
}

#endif
