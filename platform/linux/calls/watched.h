/* SPDX-License-Identifier: MIT
 *
 * watched.h - calls that wait until a pipe, a socket or their like is ready: one epoll set per lane
 * (watched.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_WATCHED_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_WATCHED_H

#include <stdbool.h>

struct call;
struct lane;

/* From then on the call may be over at any moment; false: it cannot be watched. */
bool watched_add(struct lane *lane, struct call *call);
void watched_after_write(struct lane *lane); /* one of a worker's in the lane */
void watched_before_sleep(struct lane *lane);
void watched_after_sleep(struct lane *lane);
/* The duplicate of this number gets another one. False: the lane has none there. */
bool watched_move(struct lane *lane, int number);
bool lanes_move_duplicate(int number); /* of whatever lane */
void *poller_main(void *lane);         /* a thread of the lane's */
void poller_forget(struct lane *lane);

#endif
