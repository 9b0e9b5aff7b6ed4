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
/* Runs fn on the broker thread of the caller's lane, or else of the program, and waits for its
 * end. */
void broker_run(void (*fn)(void *), void *arg);
/* The same, but fn may hand its work on to another thread. The wait ends when some thread posts the
 * baton. */
void broker_ask(void (*fn)(void *, struct baton *done), void *arg);
/* Runs fn on the program's broker thread, soon, and again until it returns true. The caller neither
 * blocks nor allocates. */
enum post { POST_POOL, POST_HANDLERS, POST_PROGRAM_END, POST_SITES, POSTS };
void broker_post(enum post who, bool (*fn)(void));
/* If the lane has a broker, runs fn on it, soon, and again by the time that fn returns
 * (PLAT_FOREVER: no more). A lane has one such function. The caller neither blocks nor
 * allocates. */
void broker_post_lane(struct lane *lane, uint64_t (*fn)(struct lane *lane));

#endif
