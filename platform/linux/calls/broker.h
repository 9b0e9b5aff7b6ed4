/* SPDX-License-Identifier: MIT
 *
 * broker.h - the threads that create threads for those inside the filter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_H

#include <stdbool.h>
#include <stdint.h>

struct baton;
struct lane;

int broker_start(void);
/* On the broker thread of the caller's lane, or the program's; waits. */
void broker_run(void (*fn)(void *), void *arg);
/* The same, but fn hands the work on: it is over when a thread, the broker or another, posts the
 * baton. */
void broker_ask(void (*fn)(void *, struct baton *done), void *arg);
/* Runs fn on the program's broker thread, soon; again while it says false. Neither blocks nor
 * allocates. */
enum post { POST_POOL, POST_HANDLERS, POST_PROGRAM_END, POST_SITES, POSTS };
void broker_post(enum post who, bool (*fn)(void));
/* Runs fn on the lane's broker thread, soon, if it has one; and at the time that fn returns
 * (PLAT_FOREVER: not). A lane has one function. Neither blocks nor allocates. */
void broker_post_lane(struct lane *lane, uint64_t (*fn)(struct lane *lane));

#endif
