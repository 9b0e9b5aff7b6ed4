/* SPDX-License-Identifier: MIT
 *
 * set_sleep.h - a scheduler that has nothing to do sleeps in its lane's epoll set (set_sleep.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SET_SLEEP_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SET_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lane;

/* A scheduler of the lane calls it, with nothing held. Sleeps until the word (enum wait_go) is GO,
 * or for less long, and serves what comes. `hosted`: carriers run the scheduler. False: the
 * scheduler is to sleep elsewhere. */
bool set_sleep(struct lane *lane, bool hosted, _Atomic uint32_t *go);
void set_sleep_init(struct lane *lane); /* when the set is there */
void set_sleep_forget(struct lane *lane);

#endif
