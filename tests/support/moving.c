/* SPDX-License-Identifier: MIT
 *
 * moving.c - see moving.h.
 *
 * Two schedulers that take the first worker of one queue in turn may meet the same workers again
 * and again: then a move by chance takes a hundred thousand yields. So a worker that is to move
 * sets `moves`, and its last scheduler passes it over. Besides, there is one worker more than
 * schedulers that only yields, so every scheduler has another worker to execute.
 */
#include "moving.h"

#include "gtest_c.h"

enum { LIMIT_MS = 10000, ENOUGH_MS = 8000 };

/* The state of the run; there is one at a time. Entry points write `place`: the scheduler that ran
 * the worker last. */
static struct {
    int schedulers;
    int left; /* workers whose body has not ended */
    ULONGLONG begun;
    worker_body body;
    fleet_hook hook;
    int place[2 * MOVING_WORKERS];
} run;

static void note_place(const struct activation *activation, void *arg)
{
    if (activation->who)
        flag_set(&run.place[activation->who->index], (int)activation->thread_id);
    if (run.hook)
        run.hook(activation, arg);
}

static void run_body(struct worker *self)
{
    run.body(self);
    flag_add(&run.left, -1);
}

static void keep_them_moving(struct worker *self)
{
    while (flag_get(&run.left))
        UmsThreadYield(NULL);
}

bool run_moving_on(SIZE_T stack, int schedulers, int count, worker_body body, void *arg,
                   fleet_hook hook)
{
    struct fleet *fleet = fleet_create(schedulers, count + schedulers + 1, FLEET_SHARED_READY);
    bool ended;

    if (!fleet || count > MOVING_WORKERS)
        return false;
    run.schedulers = schedulers;
    run.left = count;
    run.begun = GetTickCount64();
    run.body = body;
    run.hook = hook;
    fleet_set_stack(fleet, stack);
    fleet_set_hook(fleet, note_place, arg);
    for (int i = 0; i < count; i++)
        fleet_add(fleet, run_body, arg);
    for (int i = 0; i < schedulers + 1; i++)
        fleet_add(fleet, keep_them_moving, NULL);
    ended = EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    return ended;
}

bool run_moving(int schedulers, int count, worker_body body, void *arg, fleet_hook hook)
{
    return run_moving_on(256 * 1024, schedulers, count, body, arg, hook);
}

void move_on(struct worker *self)
{
    int *place = &run.place[self->index];
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;
    int before;

    UmsThreadYield(NULL);
    before = flag_get(place);
    self->moves = run.schedulers > 1;
    do {
        UmsThreadYield(NULL);
        if (GetTickCount64() > deadline) {
            FAIL("worker %d stays on scheduler %d", self->index, before);
            break;
        }
    } while (self->moves && flag_get(place) == before);
    self->moves = false;
}

void step_aside(struct worker *self, int step)
{
    switch (GetTickCount64() - run.begun < ENOUGH_MS ? step % 3 : 0) {
    case 0:
        UmsThreadYield(NULL);
        break;
    case 1:
        Sleep(1);
        break;
    default:
        move_on(self);
        break;
    }
}
