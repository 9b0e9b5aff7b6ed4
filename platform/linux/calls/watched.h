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
void watched_after_write(struct lane *lane); /* a worker of the lane has written */
void watched_before_sleep(struct lane *lane);
void watched_sleeps_elsewhere(struct lane *lane); /* after that: not in the set */
void watched_after_sleep(struct lane *lane);
/* The duplicate of this number gets another one. False: the lane has none there. */
bool watched_move(struct lane *lane, int number);
bool lanes_move_duplicate(int number); /* of whatever lane */

/* Names in the set that are no call's: of the descriptor that tells of cancelled calls, and of the
 * one that wakes a scheduler that sleeps there. */
enum { SET_EVENTS = 16, NAME_OF_CANCELS = 0, NAME_OF_KICK = 2 };
struct epoll_event;
/* Fetches events, for so long. How many, or -errno. */
long watched_take(struct lane *lane, struct epoll_event *events, int milliseconds);
/* Serves what was fetched, with the lock `serving`. True: a kick is among it (watched_kick_on). */
bool watched_serve(struct lane *lane, const struct epoll_event *events, long n);
/* Tells one who sleeps in the set once more of a kick that another thread has fetched. False:
 * nobody sleeps there. */
bool watched_kick_on(struct lane *lane);
/* Nothing tells of events any more. */
void watched_stop(struct lane *lane);

void *poller_main(void *lane); /* a thread of the lane's */
void poller_forget(struct lane *lane);

#endif
