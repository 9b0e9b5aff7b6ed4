/* SPDX-License-Identifier: MIT
 *
 * events.h - objects that a test waits for, as events: whether they are signalled in time.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_EVENTS_H
#define UMSSHIM_TESTS_SUPPORT_EVENTS_H

#include "checks.h"

#include <windows.h>

enum { MEANWHILE_MS = 10000 }; /* how long a test waits for a signal that must come */

/* Waits for MEANWHILE_MS at most. A failure names the place of the call. */
void expect_signalled(struct check_place place, HANDLE event);
#define EXPECT_SIGNALLED(event) expect_signalled(HERE, (event))

/* The wait fails with this last error. */
#define EXPECT_WAIT_FAILS(call, code)                                                              \
    do {                                                                                           \
        SetLastError(SENTINEL);                                                                    \
        EXPECT_EQ((call), WAIT_FAILED);                                                            \
        EXPECT_EQ(GetLastError(), (code));                                                         \
    } while (0)

/* Unnamed events, not signalled. */
HANDLE new_manual_event(void);
HANDLE new_auto_event(void);

#endif
