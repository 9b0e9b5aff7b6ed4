/* SPDX-License-Identifier: MIT
 *
 * file_sleep.h - a scheduler that has nothing to do sleeps on the files that its deferred calls
 * wait for (file_sleep.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FILE_SLEEP_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FILE_SLEEP_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>

#include "platform/linux/switch/lane_parts.h"

struct lane;

/* What poll looks at: the bell, the lane's set (a negative number if no call is armed there), and
 * the calls' files. */
enum { FILE_OF_BELL, FILE_OF_SET, FILES_OF_CALLS, MOST_FILES = FILES_OF_CALLS + MAX_DEFERRED };

/* For all three: the caller is the scheduler that sleeps for its lane, and has blocked signals.
 * Returns how many files to poll. 0: the scheduler is to sleep in the set, and no call is
 * deferred. */
unsigned file_sleep_begin(struct lane *lane, struct pollfd *files);
/* Sleeps, with `open` as the thread's signal mask, or with the mask as it is (NULL). Returns as
 * poll does: negative where a signal interrupted it. */
long file_sleep(struct lane *lane, struct pollfd *files, unsigned count, const sigset_t *open);
/* With the lock `serving` held. Serves what has come: afterwards each call is over, armed, deferred
 * again or a helper's. */
void file_sleep_over(struct lane *lane, struct pollfd *files);
/* By a scheduler that has nothing to do either. True: another one sleeps on files, or has just; it
 * looks at the files of all deferred calls, so the caller leaves them to it; or no call is
 * deferred. */
bool file_sleep_join(struct lane *lane);

#endif
