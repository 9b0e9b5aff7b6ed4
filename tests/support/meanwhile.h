/* SPDX-License-Identifier: MIT
 *
 * meanwhile.h - a call that waits, made in a worker, a scheduler and a plain thread.
 *
 * In a worker it has to leave its scheduler: the release is made by another worker of the same one.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_MEANWHILE_H
#define UMSSHIM_TESTS_SUPPORT_MEANWHILE_H

#include <windows.h>

enum { MEANWHILE_MS = 10000 }; /* how long a test waits for what must come */

typedef void (*meanwhile_step)(void *arg);

/* wait(arg) must not return before release(arg) was called. */
void wait_in_worker(meanwhile_step wait, meanwhile_step release, void *arg);
void wait_in_scheduler(meanwhile_step wait, meanwhile_step release, void *arg);
void wait_in_thread(meanwhile_step wait, meanwhile_step release, void *arg);

/* Waits for an event for at most MEANWHILE_MS; a failure says which. */
void expect_signalled(const char *file, int line, HANDLE event);
#define EXPECT_SIGNALLED(event) expect_signalled(__FILE__, __LINE__, (event))

/* Unnamed events, not signalled. */
HANDLE new_manual_event(void);
HANDLE new_auto_event(void);

#endif
