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

/* What poll looks at: the bell, the lane's set, and the calls' files. */
enum { FILE_OF_BELL, FILE_OF_SET, FILES_OF_CALLS, MOST_FILES = FILES_OF_CALLS + MAX_DEFERRED };

/* By the scheduler that has the set to sleep in, with signals blocked, all three. How many files
 * there are; 0: it sleeps in the set, and all deferred calls are armed. */
unsigned file_sleep_begin(struct lane *lane, struct pollfd *files);
/* With `open` as the thread's signals. As poll: negative where it was interrupted. */
long file_sleep(struct lane *lane, struct pollfd *files, unsigned count, const sigset_t *open);
/* With the lock `serving`: serves what has come. Each call is over, armed or deferred again. */
void file_sleep_over(struct lane *lane, const struct pollfd *files);

#endif
