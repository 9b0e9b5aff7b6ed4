/* SPDX-License-Identifier: MIT
 *
 * moving.h - workers that do not stay where they are: executed by one scheduler and then by
 * another, between others that do the same. For tests of states that must stay with a worker
 * wherever it runs.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_MOVING_H
#define UMSSHIM_TESTS_SUPPORT_MOVING_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOVING_WORKERS = 16 };

/* Runs `count` workers with this body on `schedulers` schedulers. The body may call the functions
 * below. Workers that only yield run beside them until the last has ended. Every activation calls
 * the hook, unless it is NULL. True if all ended; else a failure is recorded. */
bool run_moving(int schedulers, int count, worker_body body, void *arg, fleet_hook hook);
/* The same with stacks of another size than 256 KiB. */
bool run_moving_on(SIZE_T stack, int schedulers, int count, worker_body body, void *arg,
                   fleet_hook hook);

/* Yields until another scheduler executes the caller, for 10 s at most. With one scheduler it
 * yields a few times. */
void move_on(struct worker *self);

/* Yields, blocks in a wait, or moves. `step` chooses, so a loop over it has all three. From eight
 * seconds after the beginning of the run on it only yields: on a busy machine a move may take very
 * long, and the loop has to end. */
void step_aside(struct worker *self, int step);

#ifdef __cplusplus
}
#endif
#endif
