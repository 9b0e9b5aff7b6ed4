/* SPDX-License-Identifier: MIT
 *
 * program_steps.c - the steps of a round: how they are drawn, and how the driver does each where it
 * is (program_round.h).
 */
#include "fleet.h"
#include "gtest_c.h"
#include "native.h"
#include "program_round.h"
#include "tally.h"

/* One of so many: what has to wait for another thread to run is rare, or it is all that is done. */
enum { CHANGES_SIDE = 200, MEETS_PARTNER = 32, STOPS_ITSELF = 4, FORKS = 60 };

/* How often each is drawn. */
static const unsigned char weights[OPS] = {
    [op_create_context] = 3, [op_create_thread] = 4, [op_delete_context] = 2, [op_enter] = 6,
    [op_leave] = 1,          [op_dequeue] = 30,      [op_execute] = 60,       [op_yield] = 24,
    [op_wait] = 32,          [op_nap] = 2,           [op_work] = 24,          [op_end] = 1,
    [op_release] = 50,       [op_suspend] = 8,       [op_resume] = 16,        [op_terminate] = 1,
    [op_query] = 12,         [op_bad_call] = 12,     [op_list_event] = 3,     [op_fork] = 1,
    [op_new_list] = 2,
};

static unsigned draw(struct round *self, unsigned limit)
{
    self->state = self->state * 1103515245u + 12345u;
    return (self->state >> 12) % limit;
}

void round_draw(struct round *self)
{
    unsigned sum = 0, left, op = 0;

    for (int i = 0; i < OPS; i++)
        sum += weights[i];
    for (left = draw(self, sum); left >= weights[op]; op++)
        left -= weights[op];
    if (draw(self, CHANGES_SIDE) == 0)
        self->favourite = !self->favourite;
    self->step = (struct step){.op = (unsigned char)op,
                               .who = (unsigned char)self->favourite,
                               .what = (unsigned char)draw(self, 60),
                               .arg = (unsigned char)draw(self, 240),
                               .together = (unsigned char)(draw(self, MEETS_PARTNER) == 0)};
    self->pending = true;
}

int round_side(const struct round *self)
{
    int named = self->step.who;

    switch (self->step.op) {
    case op_execute:
        return model.schedulers[named].inside ? named : !named;
    case op_yield:
    case op_wait:
    case op_nap:
    case op_work:
    case op_end:
        return model.schedulers[named].carries >= 0 ? named : !named;
    case op_enter:
    case op_leave:
        return named;
    default:
        return self->side;
    }
}

/* The others change what a worker may not change: it may lose its scheduler in the middle. */
bool round_is_for_workers(const struct step *step)
{
    switch (step->op) {
    case op_create_thread:
    case op_delete_context:
    case op_enter:
    case op_leave:
    case op_execute:
    case op_terminate:
    case op_fork:
    case op_new_list:
        return false;
    default:
        return true;
    }
}

/* ---- A worker's own calls ----------------------------------------------------------------------
 * */

static bool was_executed(const struct round *round, int slot)
{
    return flag_get(&round->executing[flag_get(&round->side)]) == slot;
}

static bool is_carried(const struct subject *worker, int side)
{
    return worker->place == RUNNING && worker->on == side &&
           model.schedulers[side].carries == worker - model.workers;
}

/* Its own suspension may take it here, too, between any two of these looks; then it has been
 * executed once more. */
void round_is_here(struct subject *worker)
{
    struct round *round = model.round;
    int slot = (int)(worker - model.workers);

    flag_set(&round->busy, slot);
    while (was_executed(round, slot) || !is_carried(worker, flag_get(&round->side))) {
        int side = flag_get(&round->side);

        if (!was_executed(round, slot)) {
            MODEL_CHECK(is_carried(worker, side), "a worker runs that nobody executed");
            return;
        }
        flag_set(&round->executing[side], ROUND_NOBODY);
        model_runs(side, worker, round->suspended);
    }
}

static void prepare(struct subject *worker)
{
    struct partner *partner = &model.round->partner;

    partner_rest(partner);
    if (waits_have_owner(worker->kind)) {
        partner_post(partner, PARTNER_PREPARE, worker);
        partner_rest(partner);
    } else {
        waits_prepare(worker->waits, worker->kind);
    }
    if (!model.round->ending && model.round->step.together) {
        worker->released = true;
        partner_post(partner, PARTNER_RELEASE, worker);
    }
}

void round_call(struct subject *worker, int op, int arg)
{
    struct order order = model_call(worker, op, arg);
    bool waited = op == op_wait;

    if (waited)
        prepare(worker);
    worker->actor.order = order;
    flag_set(&model.round->busy, ROUND_NOBODY);
    order.function(&worker->actor.order);
    if (op == op_end)
        return;
    round_is_here(worker);
    flag_set(&worker->actor.begun, 0);
    model_call_over(worker);
    if (waited && !waits_are_of_system(worker->kind)) {
        partner_rest(&model.round->partner);
        MODEL_CHECK(waits_are_over(worker->waits), "a release is left");
        tally_add(TALLY_QUICK, 1);
    }
}

static bool call(struct subject *worker, const struct step *step)
{
    int arg = step->arg;

    if (step->op == op_wait && waits_have_owner((unsigned)arg % waits_kinds()) && !step->together)
        arg++; /* the partner has to prepare it */
    round_call(worker, step->op, arg);
    return true;
}

void round_wait_for_end(struct subject *worker)
{
    struct round *round = model.round;
    ULONGLONG limit = GetTickCount64() + MODEL_LIMIT_MS;

    partner_rest(&round->partner);
    worker->dying = true;
    flag_set(&round->busy, ROUND_NOBODY);
    partner_post(&round->partner, PARTNER_TERMINATE, worker);
    while (GetTickCount64() < limit)
        SwitchToThread();
    model_give_up("to be ended, worker", (unsigned)(worker - model.workers));
}

/* ---- On a scheduler ----------------------------------------------------------------------------
 * */

void round_execute(int side, struct subject *worker)
{
    struct round *round = model.round;
    bool runs_elsewhere = worker->place == RUNNING;
    DWORD error;

    if (worker->suspended)
        partner_rest(&round->partner); /* by now it is */
    round->suspended = worker->suspended;
    worker->refusable = worker->suspended > 0;
    if (!runs_elsewhere)
        flag_set(&round->executing[side], (int)(worker - model.workers));
    error = bare_execute(worker->context);
    flag_set(&round->executing[side], ROUND_NOBODY);
    EXPECT_THAT(model_refused(worker, error),
                "step %d: worker in place %d, suspended %u, was refused with %u", model.at,
                (int)worker->place, (unsigned)worker->suspended, (unsigned)error);
    tally_add(TALLY_EXECUTIONS, 1);
    if (worker->place == HELD && worker->dying)
        model_is_gone(worker);
}

static bool execute(int side, struct subject *worker)
{
    if (worker->place == NONE || !model.schedulers[side].inside)
        return false;
    if (worker->place == COMING && (worker->dying || worker->op == op_end))
        return false;
    round_execute(side, worker);
    return true;
}

/* ---- Steps of anybody ----------------------------------------------------------------------------
 * */

void round_dequeue(int list, DWORD limit)
{
    struct order order = {.number = limit, .pointer = model.lists[list]};

    call_dequeue(&order);
    model_dequeued(&order, limit);
    model_arrived(&order, list);
}

static bool dequeue(int list, const struct step *step, bool may_wait)
{
    DWORD limit = step->arg % 64 == 1 ? 1 : 0;

    if (may_wait && step->arg % 8 == 0 && model_awaits(list))
        limit = INFINITE;
    round_dequeue(list, limit);
    return true;
}

static bool release(struct subject *worker, bool by_partner)
{
    if (!model_may_release(worker))
        return false;
    partner_rest(&model.round->partner);
    if (!by_partner && !waits_have_owner(worker->kind))
        return model_release(worker);
    worker->released = true;
    if (worker->place == BLOCKED)
        worker->place = COMING;
    partner_post(&model.round->partner, PARTNER_RELEASE, worker);
    return true;
}

static bool suspend(struct subject *driver, struct subject *worker)
{
    partner_rest(&model.round->partner);
    if (worker != driver)
        return model_suspend(worker, true);
    if (worker->suspended > 2 || model.round->step.arg % STOPS_ITSELF)
        return false;
    /* It goes on, and is met wherever it is then. */
    partner_rest(&model.round->partner);
    model.round->partner.suspended = worker->suspended++;
    partner_post(&model.round->partner, PARTNER_SUSPEND, worker);
    return true;
}

static bool bad_call(int list, int number)
{
    PUMS_CONTEXT context = NULL;
    void *both[2];
    struct order order = {.number = (DWORD)number % BAD_CALLS, .pointer = both};

    EXPECT_OK(CreateUmsThreadContext(&context));
    both[0] = model.lists[list];
    both[1] = context;
    call_bad(&order);
    EXPECT_OK(DeleteUmsThreadContext(context));
    tally_add(TALLY_BAD, 1);
    tally_add(TALLY_CREATIONS, 1);
    tally_add(TALLY_DELETIONS, 1);
    return true;
}

static bool fork_seldom(const struct step *step)
{
    if (step->arg % FORKS)
        return false;
    EXPECT_OK(native_fork_works());
    tally_add(TALLY_FORKS, 1);
    return true;
}

/* False where it makes no sense now. */
bool round_step(int side, struct subject *driver)
{
    const struct step *step = &model.round->step;
    struct subject *worker = &model.workers[model_worker_for(step)];
    int list = model_list_for(step);

    if (!round_is_for_workers(step))
        partner_rest(&model.round->partner);
    switch (step->op) {
    case op_create_context:
        return model_create_context(worker);
    case op_create_thread:
        if (worker->place == EMPTY || worker->place == GONE)
            partner_let_go(&model.round->partner, worker);
        return model_create_thread(worker, step->arg % LISTS, step->what % 4 == 0);
    case op_delete_context:
        return model_delete_context(worker);
    case op_dequeue:
        return dequeue(list, step, !driver);
    case op_execute:
        return execute(side, worker);
    case op_yield:
    case op_wait:
    case op_nap:
    case op_work:
        return driver && call(driver, step);
    case op_release:
        return release(worker, step->together);
    case op_suspend:
        return suspend(driver, worker);
    case op_resume:
        partner_rest(&model.round->partner);
        return model_resume(worker);
    case op_terminate:
        return model_terminate(worker, true);
    case op_query:
        return model_query(worker);
    case op_bad_call:
        return bad_call(list, step->arg);
    case op_list_event:
        return model_list_event(list, step->arg % 32 == 0 && !driver);
    case op_fork:
        return fork_seldom(step);
    case op_new_list:
        return model_new_list(list);
    default: /* whoever drives has seen to it */
        return false;
    }
}
