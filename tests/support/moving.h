/* SPDX-License-Identifier: MIT
 *
 * moving.h - workers that do not stay where they are: executed by one scheduler and then by
 * another, between others that do the same. For what must stay with a worker wherever it runs.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_MOVING_H
#define UMSSHIM_TESTS_SUPPORT_MOVING_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOVING_WORKERS = 16 };

/* Runs `count` workers with this body, which may call the functions below, on so many schedulers;
 * workers that only yield run beside them until the last has ended. The hook may be NULL; it is
 * called in every activation. True if all ended; a failure is recorded. */
bool run_moving(int schedulers, int count, worker_body body, void *arg, fleet_hook hook);
/* The same with stacks of another size than 256 KiB. */
bool run_moving_on(SIZE_T stack, int schedulers, int count, worker_body body, void *arg,
                   fleet_hook hook);

/* Yields until another scheduler executes the caller (10 s at most); with one scheduler, a few
 * times. */
void move_on(struct worker *self);

/* One of: a yield, a wait that blocks, a move. `step` chooses: a loop over it has them all. From
 * eight seconds after the beginning of the run on it is a yield: on a busy machine a move takes as
 * long as others have work, and the loop has to end. */
void step_aside(struct worker *self, int step);

#ifdef __cplusplus
}
#endif
#endif
