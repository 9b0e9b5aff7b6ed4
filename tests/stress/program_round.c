/* SPDX-License-Identifier: MIT
 *
 * program_round.c - who drives a round, and what comes next (program_round.h).
 *
 * `side` names the side that drives, and is handed over by whoever drives: the worker that the side
 * carries, if any, else the side's own thread. `executing` tells a worker that
 * comes out of a call that it was executed, and by which side. `busy` is a worker that drives: if
 * it is taken off its scheduler in the middle of a step, be it by a lock of the library's, the
 * scheduler brings it back before anything else.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "program_round.h"
#include "tally.h"

static __thread int my_side;

static void hand_over(int side)
{
    flag_set(&model.round->busy, ROUND_NOBODY);
    flag_set(&model.round->side, side);
    SetEvent(model.schedulers[side].outside.mail);
}

/* ---- Whoever drives ----------------------------------------------------------------------------
 * */

static bool is_over(const struct subject *worker)
{
    return worker->place < COMING || worker->place == GONE;
}

static bool all_over(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (!is_over(&model.workers[i]))
            return false;
    return true;
}

static void look_at_the_end(void)
{
    if (!model.round->end_limit)
        model.round->end_limit = GetTickCount64() + MODEL_END_LIMIT_MS;
    else if (GetTickCount64() > model.round->end_limit)
        model_give_up("bringing all to the end, round", model.round->seed);
}

/* Draws the next step, unless the last one is left for the caller. */
static void look_ahead(void)
{
    struct round *round = model.round;

    if (round->pending || round->ending)
        return;
    if (++model.at >= round->steps)
        round->ending = true;
    else
        round_draw(round);
}

static void check(void)
{
    if (tc_failures())
        model_give_up("a failure in round", model.round->seed);
}

/* A worker that drives. False: it is to end by returning. */
static bool drive_worker(struct subject *worker)
{
    struct round *round = model.round;
    const struct step *step = &round->step;
    int side = worker->on, named;

    check();
    look_ahead();
    if (worker->suspended && (round->ending || step->op == op_end || step->op == op_terminate)) {
        round_call(worker, op_yield, step->arg); /* it is stopped, and resumed, before it ends */
        return true;
    }
    if (round->ending) {
        partner_rest(&round->partner);
        round_call(worker, op_end, 0);
        return false;
    }
    named = round_side(round);
    if (step->op == op_terminate && &model.workers[model_worker_for(step)] == worker &&
        model_may_terminate(worker)) {
        round->pending = false;
        round_wait_for_end(worker);
    }
    if (named != side && step->arg % 16 == 0 && !worker->suspended) {
        hand_over(named); /* and goes on running */
        return true;
    }
    if (named != side || !round_is_for_workers(step)) {
        round_call(worker, op_yield, step->arg);
        return true;
    }
    round->pending = false;
    if (step->op == op_end) {
        partner_rest(&round->partner);
        round_call(worker, op_end, step->arg);
        return false;
    }
    round_step(side, worker);
    return true;
}

static DWORD WINAPI live(LPVOID param)
{
    struct subject *self = param;
    struct round *round;
    int slot, side;

    model_mine = self->home;
    round = model.round;
    slot = (int)(self - model.workers);
    do {
        /* It drives where its side does. Read the side first: it may have been taken, and
         * executed on another, since it looked. */
        for (side = flag_get(&round->side);
             flag_get(&round->executing[side]) != slot && side != self->on;
             side = flag_get(&round->side))
            SwitchToThread();
        round_is_here(self);
    } while (drive_worker(self));
    return CODE_OWN;
}

/* ---- A side's own thread ----------------------------------------------------------------------- */

static void wait_for_turn(int side)
{
    while (flag_get(&model.round->side) != side)
        if (WaitForSingleObject(model.schedulers[side].outside.mail, MODEL_END_LIMIT_MS) !=
            WAIT_OBJECT_0)
            model_give_up("waiting for its turn, side", (unsigned)side);
}

static void look_at_activations(int side)
{
    struct round *round = model.round;
    struct manager *self = &model.schedulers[side];
    int slot = flag_get(&round->executing[side]);

    if (slot != ROUND_NOBODY && flag_get(&self->actor.activations) != self->seen) {
        flag_set(&round->executing[side], ROUND_NOBODY);
        model_runs(side, &model.workers[slot], round->suspended);
    }
    for (int i = 0; i < SCHEDULERS; i++)
        model_look(i);
}

/* Nearer to the state in which it can be executed, and then it is. */
static void bring_back(int side, struct subject *worker)
{
    look_at_the_end(); /* the same patience */
    partner_rest(&model.round->partner);
    while (worker->suspended)
        model_resume(worker);
    if (worker->place == COMING || worker->place == BLOCKED)
        round_dequeue(worker->list, 20);
    if (worker->place == HELD)
        round_execute(side, worker);
}

static void drive_to_the_end(int side, struct subject *worker)
{
    partner_rest(&model.round->partner);
    while (model_has_thread(worker) && worker->suspended)
        model_resume(worker);
    if (model_may_release(worker)) {
        partner_rest(&model.round->partner);
        worker->released = true;
        if (worker->place == BLOCKED)
            worker->place = COMING;
        partner_post(&model.round->partner, PARTNER_RELEASE, worker);
    }
    if (worker->place == COMING)
        round_dequeue(worker->list, 20);
    if (worker->place == HELD)
        round_execute(side, worker);
}

/* True: the side has left, or ended. */
static bool side_ends(int side)
{
    struct round *round = model.round;
    bool inside = model.schedulers[side].inside;

    look_at_the_end();
    if (side == 0 && !round->gone[1]) {
        hand_over(1);
        return false;
    }
    if (inside && side == 0)
        for (int i = 0; i < SLOTS; i++)
            if (!is_over(&model.workers[i])) {
                drive_to_the_end(side, &model.workers[i]);
                return false;
            }
    if (!inside)
        round->gone[side] = true;
    return true;
}

static bool enter(int side, int list);

static void do_here(int side)
{
    struct round *round = model.round;
    int named = round_side(round);

    if (named != side) {
        hand_over(named);
        return;
    }
    round->pending = false;
    if (round->step.op == op_enter && !model.schedulers[side].inside)
        enter(side, round->step.what % LISTS);
    else
        round_step(side, NULL);
}

/* Until the scheduler leaves; outside, until the side is gone. */
static void drive_side(int side)
{
    struct round *round = model.round;
    struct manager *self = &model.schedulers[side];

    for (;;) {
        wait_for_turn(side);
        check();
        look_at_activations(side);
        if (self->carries >= 0)
            model_give_up("a scheduler that drives and carries", (unsigned)side);
        if (flag_get(&round->busy) != ROUND_NOBODY) {
            bring_back(side, &model.workers[round->busy]);
            continue;
        }
        if (!round->ending)
            round->end_limit = 0;
        look_ahead();
        if (round->ending) {
            if (!self->inside && side == 0 && round->gone[1] && !all_over())
                enter(side, 0);
            else if (side_ends(side))
                break;
            continue;
        }
        if (self->inside && round->step.op == op_leave && round->step.who == side) {
            round->pending = false;
            break;
        }
        do_here(side);
    }
}

static VOID NTAPI entry(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct manager *self = &model.schedulers[my_side];

    self->actor.reason = reason;
    self->actor.payload = payload;
    self->actor.param = param;
    flag_add(&self->actor.activations, 1);
    if (reason == UmsSchedulerStartup) {
        EXPECT_THAT(payload == 0 && param == &self->seen, "the first activation of scheduler %d",
                    my_side);
        self->seen++;
        self->inside = true;
        tally_add(TALLY_MODES, 1);
    }
    if (flag_get(&model.round->side) != my_side) /* whose driver may wait for it */
        SetEvent(actor_answers);
    drive_side(my_side);
}

static bool enter(int side, int list)
{
    struct manager *self = &model.schedulers[side];

    self->info = (UMS_SCHEDULER_STARTUP_INFO){UMS_VERSION, model.lists[list], entry, &self->seen};
    self->list = list;
    self->carries = -1;
    EXPECT_OK(EnterUmsSchedulingMode(&self->info));
    self->inside = false;
    tally_add(TALLY_MODES, 1);
    return true;
}

static DWORD WINAPI side_main(LPVOID param)
{
    struct subject *first = param;

    model_mine = first->home;
    my_side = first == &model.workers[1];
    drive_side(my_side);
    if (my_side == 1)
        hand_over(0);
    return 0;
}

/* ---- All of it ----------------------------------------------------------------------------------- */

static void begin(struct model_state *all, struct round *round, unsigned seed, int steps)
{
    *round = (struct round){.seed = seed,
                            .state = seed,
                            .steps = steps,
                            .executing = {ROUND_NOBODY, ROUND_NOBODY},
                            .busy = ROUND_NOBODY};
    *all = (struct model_state){.live = live, .round = round};
    model_mine = all;
    for (int i = 0; i < LISTS; i++)
        EXPECT_OK(CreateUmsCompletionList(&all->lists[i]));
    for (int i = 0; i < SLOTS; i++) {
        all->workers[i].waits = waits_create();
        all->workers[i].op = OPS;
        all->workers[i].home = all;
    }
    partner_begin(&round->partner);
    for (int i = 0; i < SCHEDULERS; i++) {
        all->schedulers[i].carries = -1;
        all->schedulers[i].outside.mail = CreateEventA(NULL, FALSE, FALSE, NULL);
    }
    for (int i = 0; i < SCHEDULERS; i++) {
        all->schedulers[i].thread = CreateThread(NULL, 0, side_main, &all->workers[i], 0, NULL);
        EXPECT_OK(all->schedulers[i].thread != NULL);
    }
}

static void end(struct model_state *all, struct round *round)
{
    for (int i = 0; i < SCHEDULERS; i++) {
        EXPECT_EQ(WaitForSingleObject(all->schedulers[i].thread, INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(all->schedulers[i].thread));
        EXPECT_OK(CloseHandle(all->schedulers[i].outside.mail));
    }
    for (int i = 0; i < SLOTS; i++) {
        partner_let_go(&round->partner, &all->workers[i]);
        model_delete_context(&all->workers[i]);
        waits_destroy(all->workers[i].waits);
    }
    partner_end(&round->partner);
    for (int i = 0; i < LISTS; i++)
        EXPECT_OK(DeleteUmsCompletionList(all->lists[i]));
}

void round_walk(unsigned seed, int steps)
{
    struct model_state all;
    struct round round;

    begin(&all, &round, seed, steps);
    end(&all, &round);
    model_mine = NULL;
}
