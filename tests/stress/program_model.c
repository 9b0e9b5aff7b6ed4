/* SPDX-License-Identifier: MIT
 *
 * program_model.c - the model of a random program, and the thread that gives the orders
 * (program.h).
 *
 * A worker is in one place of:
 *   NONE       there is no context             EMPTY    a context without a thread
 *   COMING     it is on its list, or will be: its birth, its wait's end, or its own end is under
 *              way. While it is suspended it may arrive, or not; ended, or by an order to end, it
 *   arrives as terminated, or not HELD       dequeued, or it has yielded     RUNNING  on a
 *   scheduler BLOCKED    it waits for its release        GONE     terminated, and on no list
 * What the library may report early is not counted against it: a Blocked too many, followed by an
 * arrival.
 */
#include "program_model.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

static struct model_state program;
__thread struct model_state *model_mine = &program;

/* ---- Waiting for what comes of an order -------------------------------------------------------
 * */

/* An actor that does not answer cannot be had back, so the process ends here. */
_Noreturn void model_give_up(const char *what, unsigned number)
{
    FAIL("step %d: %s %u: nothing came of it in time", model.at, what, number);
    for (int i = 0; i < SLOTS; i++)
        tc_note("worker %d: place %d, list %d, on %d, suspended %u, dying %d, op %d, begun %d, "
                "released %d",
                i, model.workers[i].place, model.workers[i].list, model.workers[i].on,
                (unsigned)model.workers[i].suspended, model.workers[i].dying, model.workers[i].op,
                flag_get(&model.workers[i].actor.begun), model.workers[i].released);
    for (int i = 0; i < SCHEDULERS; i++)
        tc_note(
            "scheduler %d: inside %d, list %d, carries %d, activations %d, reason %d, payload %p",
            i, model.schedulers[i].inside, model.schedulers[i].list, model.schedulers[i].carries,
            flag_get(&model.schedulers[i].actor.activations), (int)model.schedulers[i].actor.reason,
            (void *)model.schedulers[i].actor.payload);
    model_say_program();
    tc_describe_threads();
    tc_end_process();
}

void patience_begin(struct patience *self, const char *what, unsigned number)
{
    *self = (struct patience){GetTickCount64() + MODEL_LIMIT_MS, what, number};
}

void patience_spend(struct patience *self)
{
    if (GetTickCount64() > self->deadline)
        model_give_up(self->what, self->number);
    WaitForSingleObject(actor_answers, 1);
}

void model_order(struct actor *actor, void (*function)(struct order *), DWORD number, void *pointer)
{
    struct patience patience;

    actor_post(actor, function, number, pointer);
    patience_begin(&patience, "an order", number);
    while (!actor_is_done(actor))
        patience_spend(&patience);
}

/* ---- A scheduler was entered again ------------------------------------------------------------
 * */

static void to_list(struct subject *worker, int list)
{
    worker->place = COMING;
    worker->list = is_set("UMSSHIM_STRICT", "1") ? worker->first_list : list;
}

static void after_yield(struct manager *scheduler, struct subject *worker)
{
    MODEL_CHECK(worker->op == op_yield && !worker->yielded, "a yield that nobody ordered");
    MODEL_CHECK(scheduler->actor.payload == (ULONG_PTR)worker->context, "another worker's yield");
    MODEL_CHECK(scheduler->actor.param == worker->yield_param, "another parameter");
    worker->yielded = true;
    worker->place = HELD;
    if (worker->dying)
        model_is_gone(worker);
}

static void after_block(struct manager *scheduler, struct subject *worker)
{
    bool waits =
        worker->op == op_wait && flag_get(&worker->actor.begun) && scheduler->actor.payload & 1;

    MODEL_CHECK(scheduler->actor.param == NULL, "Blocked with a parameter");
    to_list(worker, scheduler->list);
    if (waits && !worker->released && !worker->dying)
        worker->place = BLOCKED;
}

/* Looks at an activation that was not looked at yet. */
bool model_look(int which)
{
    struct manager *scheduler = &model.schedulers[which];
    int seen = flag_get(&scheduler->actor.activations);
    struct subject *worker = &model.workers[scheduler->carries < 0 ? 0 : scheduler->carries];

    if (seen == scheduler->seen)
        return false;
    MODEL_CHECK(seen == scheduler->seen + 1, "two activations");
    scheduler->seen = seen;
    MODEL_CHECK(scheduler->carries >= 0 && worker->place == RUNNING && worker->on == which,
                "an activation, and nobody was executed");
    if (scheduler->actor.reason == UmsSchedulerThreadYield)
        after_yield(scheduler, worker);
    else if (scheduler->actor.reason == UmsSchedulerThreadBlocked)
        after_block(scheduler, worker);
    else
        FAIL("step %d: reason %d", model.at, (int)scheduler->actor.reason);
    scheduler->carries = -1;
    return true;
}

/* ---- What comes of a worker's order, and of an execution --------------------------------------
 * */

/* Looks at what a worker's call gave it. */
void model_call_over(struct subject *worker)
{
    switch (worker->op) {
    case op_wait:
        MODEL_CHECK(worker->released, "a wait was over before its release");
        MODEL_CHECK(worker->actor.order.result, "a wait's result");
        tally_add(waits_are_of_system(worker->kind) ? TALLY_SYSTEM_CALLS : TALLY_WAITS, 1);
        break;
    case op_nap:
    case op_work:
    case op_yield:
        MODEL_CHECK(worker->actor.order.result, "a call's result");
        MODEL_CHECK(worker->op != op_yield || worker->yielded, "a yield without an activation");
        tally_add(worker->op == op_yield                          ? TALLY_YIELDS
                  : worker->op == op_work                         ? TALLY_QUICK
                  : call_is_of_system(worker->actor.order.number) ? TALLY_SYSTEM_CALLS
                                                                  : TALLY_WAITS,
                  1);
        break;
    default:
        break;
    }
    worker->op = OPS;
    worker->yielded = worker->released = false;
}

/* The worker runs. Until its order is over, or it leaves its scheduler; until it leaves, if it was
 * stopped or ended. */
void model_follow(struct subject *worker)
{
    struct patience patience;

    patience_begin(&patience, "a running worker", (unsigned)(worker - model.workers));
    for (;;) {
        bool over = worker->op != OPS && worker->op != op_end && actor_is_done(&worker->actor);

        /* In a round the caller may be a worker that left its scheduler meanwhile, which looked. */
        if (model_look(worker->on) || worker->place != RUNNING)
            return;
        if (over) {
            bool waited = worker->op == op_wait;

            model_call_over(worker);
            if (waited)
                waits_reset(worker->waits);
        }
        if (worker->op == OPS && !worker->suspended && !worker->dying)
            return;
        patience_spend(&patience);
    }
}

bool model_refused(const struct subject *worker, DWORD error)
{
    if (error == ERROR_INVALID_PARAMETER)
        return worker->place == EMPTY || worker->place == GONE || worker->place == COMING ||
               worker->suspended || worker->dying || worker->refusable;
    return error == ERROR_INTERNAL_ERROR && (worker->place == COMING || worker->place == RUNNING ||
                                             worker->place == BLOCKED || worker->dying);
}

static bool may_run(const struct subject *worker, DWORD suspended)
{
    return (worker->place == HELD || worker->place == COMING || worker->place == BLOCKED) &&
           !suspended && !worker->unborn;
}

void model_execute_begin(int which, struct subject *worker)
{
    worker->beat = flag_get(&worker->actor.beat);
    worker->refusable = worker->suspended > 0;
    actor_post(&model.schedulers[which].actor, call_execute, 0, worker->context);
}

void model_runs(int which, struct subject *worker, DWORD suspended)
{
    MODEL_CHECK(may_run(worker, suspended), "a worker runs that must not");
    tally_add(TALLY_EXECUTIONS, 1);
    worker->place = RUNNING;
    worker->on = which;
    model.schedulers[which].carries = (int)(worker - model.workers);
}

/* `suspended`: how often the worker was, at the least, while it was executed. */
void model_execute_end(int which, struct subject *worker, DWORD suspended)
{
    struct manager *scheduler = &model.schedulers[which];
    struct patience patience;
    bool activated;

    patience_begin(&patience, "an execution of worker", (unsigned)(worker - model.workers));
    for (;;) {
        activated = flag_get(&scheduler->actor.activations) != scheduler->seen;
        if (activated ||
            (worker->place != RUNNING && flag_get(&worker->actor.beat) != worker->beat))
            break;
        if (actor_is_done(&scheduler->actor)) {
            EXPECT_THAT(model_refused(worker, scheduler->actor.order.error),
                        "step %d: worker in place %d, suspended %u, was refused with %u", model.at,
                        (int)worker->place, (unsigned)worker->suspended,
                        (unsigned)scheduler->actor.order.error);
            tally_add(TALLY_EXECUTIONS, 1);
            if (worker->place == HELD && worker->dying)
                model_is_gone(worker);
            return;
        }
        patience_spend(&patience);
    }
    model_runs(which, worker, suspended);
    model_follow(worker);
}

/* ---- Arrivals ----------------------------------------------------------------------------------
 * */

static struct subject *worker_of(PUMS_CONTEXT context)
{
    for (int i = 0; i < SLOTS; i++)
        if (model.workers[i].place != NONE && model.workers[i].context == context)
            return &model.workers[i];
    return NULL;
}

void model_arrived(const struct order *order, int list)
{
    for (int i = 0; i < order->length; i++) {
        struct subject *worker = worker_of(order->chain[i]);

        if (!worker) {
            FAIL("step %d: a context arrived that is none of ours", model.at);
            continue;
        }
        EXPECT_THAT((worker->place == COMING || worker->place == BLOCKED) && worker->list == list,
                    "step %d: worker %d arrived on list %d from place %d, list %d", model.at,
                    (int)(worker - model.workers), list, (int)worker->place, worker->list);
        MODEL_CHECK(!worker->unborn, "a worker arrived that was not resumed yet");
        worker->place = HELD;
        if (worker->dying || is_terminated(worker->context)) {
            MODEL_CHECK(worker->dying || worker->op == op_end, "a worker arrived as terminated");
            model_is_gone(worker);
        }
    }
}

/* It reads terminated soon, and its thread's handle says so, too. */
void model_is_gone(struct subject *worker)
{
    struct patience patience;
    DWORD code = 0;

    patience_begin(&patience, "the end of worker", (unsigned)(worker - model.workers));
    while (!is_terminated(worker->context))
        patience_spend(&patience);
    while (WaitForSingleObject(worker->thread, 100) != WAIT_OBJECT_0)
        patience_spend(&patience);
    EXPECT_OK(GetExitCodeThread(worker->thread, &code));
    EXPECT_THAT((worker->dying && code == CODE_ENDED) || (worker->op == op_end && code == CODE_OWN),
                "step %d: the exit code is %u", model.at, (unsigned)code);
    worker->place = GONE;
    tally_add(TALLY_ENDS, 1);
}

/* Somebody will arrive on the list, whatever else happens. */
bool model_awaits(int list)
{
    for (int i = 0; i < SLOTS; i++) {
        const struct subject *worker = &model.workers[i];

        if (worker->place == COMING && worker->list == list && !worker->unborn &&
            (!worker->suspended || worker->dying))
            return true;
    }
    return false;
}
