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

/* Arms the call in the lane's set. From then on it may be over at any moment. False: it cannot be
 * watched. */
bool watched_add(struct lane *lane, struct call *call);
void watched_after_write(struct lane *lane); /* a worker of the lane has written */
void watched_before_sleep(struct lane *lane);
void watched_sleeps_elsewhere(struct lane *lane); /* not in the set */
void watched_after_sleep(struct lane *lane);
/* Moves the duplicate with this number to another number. False: the lane has none there. */
bool watched_move(struct lane *lane, int number);
bool lanes_move_duplicate(int number); /* the same in all lanes */

/* Names in the set that are no call's: of the descriptor that tells of cancelled calls, and of the
 * one that wakes a scheduler that sleeps there. */
enum { SET_EVENTS = 16, NAME_OF_CANCELS = 0, NAME_OF_KICK = 2 };
struct epoll_event;
/* Fetches events, and waits for so long. Returns how many, or -errno. */
long watched_take(struct lane *lane, struct epoll_event *events, int milliseconds);
/* Serves what was fetched, with the lock `serving`. True: a kick is among it (watched_kick_on). */
bool watched_serve(struct lane *lane, const struct epoll_event *events, long n);
/* Writes the kick that this thread has fetched once more, for a scheduler that sleeps in the set.
 * False: none sleeps there. */
bool watched_kick_on(struct lane *lane);
/* The kernel tells of events no more: hands the calls to helpers. */
void watched_stop(struct lane *lane);

void *poller_main(void *lane); /* a thread of the lane's */
void poller_forget(struct lane *lane);

#endif
