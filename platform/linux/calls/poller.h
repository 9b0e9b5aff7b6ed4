/* SPDX-License-Identifier: MIT
 *
 * poller.h - blocked reads and writes of pipes, sockets and their like.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_POLLER_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_POLLER_H

#include <stdbool.h>

struct call;
struct lane;
/* Takes a call that waits for readiness. False: it waits for something else. The worker is marked
 * blocked, or waits at its baton: the call may be over at any moment. */
bool poller_watch(struct lane *lane, struct call *call);
/* A scheduler is about to sleep, and not on files: arms the deferred calls, which no worker asks
 * meanwhile. */
void poller_arm_all(struct lane *lane);
/* True: the call was deferred and is the caller's now. *sleeper_does: a scheduler sleeps on its
 * file, and will end it. */
bool poller_cancel(struct lane *lane, struct call *call, bool *sleeper_does);
/* These descriptors are about to be closed or replaced. Each call that waits by such a number keeps
 * the file from here on. Any thread. */
void poller_hold(struct lane *lane, unsigned first, unsigned last);
void lanes_hold(unsigned first, unsigned last); /* the same in all lanes */
void poller_init(struct lane *lane);

/* For file_sleep.c, with the deferral's lock held. Whether a scheduler sleeps on the files of some
 * calls. */
bool some_are_slept_on(const struct lane *lane);
/* For file_sleep.c, with the lock `arming` held. Arms a call that is not among the deferred any
 * more. */
void poller_arm(struct lane *lane, struct call *call);
/* Defers a call again. Where there is no room for it, arms the oldest. */
void poller_defer_arming(struct lane *lane, struct call *call);

#endif
