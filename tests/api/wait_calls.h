/* SPDX-License-Identifier: MIT
 *
 * wait_calls.h - callbacks of waits, counted, which wait for a gate if there is one.
 */
#ifndef UMSSHIM_TESTS_API_WAIT_CALLS_H
#define UMSSHIM_TESTS_API_WAIT_CALLS_H

#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"

enum { SOON_MS = 20 };

struct calls {
    HANDLE object; /* what is waited for */
    HANDLE begun;  /* auto: set by each callback */
    HANDLE gate;   /* manual, or NULL: what callbacks wait for */
    HANDLE wait;   /* the wait handle */
    int signalled, timed_out;
    PTP_WAIT again; /* set to wait again by its callback */
};

static inline void calls_init(struct calls *calls)
{
    *calls = (struct calls){.object = new_auto_event(), .begun = new_auto_event()};
}

static inline void calls_clear(struct calls *calls)
{
    EXPECT_OK(CloseHandle(calls->object));
    EXPECT_OK(CloseHandle(calls->begun));
    if (calls->gate)
        EXPECT_OK(CloseHandle(calls->gate));
}

static inline void called(struct calls *calls, BOOL timed_out)
{
    HANDLE gate = calls->gate; /* without one, the test may be over once `begun` is set */

    flag_add(timed_out ? &calls->timed_out : &calls->signalled, 1);
    EXPECT_OK(SetEvent(calls->begun));
    if (gate)
        EXPECT_SIGNALLED(gate);
}

static inline void open_calls(void *arg)
{
    EXPECT_OK(SetEvent(((struct calls *)arg)->gate));
}

#endif
