/* SPDX-License-Identifier: MIT
 *
 * program_run.c - does the steps of a random program, each against the model (program.h), and
 * brings all to its end.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "native.h"
#include "program_model.h"
#include "tally.h"

#include <string.h>

/* What is still under way while the next step is done. */
static struct under_way {
    struct subject *worker;
    int executes_on; /* or -1: an order of the worker's own */
    DWORD suspended;
    struct order dequeued;
    int list; /* of `dequeued`, or -1 */
} under_way;

/* ---- Steps -------------------------------------------------------------------------------------
 * */

/* An actor of this number that has nothing to do. NULL: the test's own thread. */
static bool actor_free(int who, struct actor **actor)
{
    struct manager *scheduler = &model.schedulers[who & 1];

    *actor = NULL;
    if (who < 2)
        return true;
    if (!scheduler->inside || under_way.worker)
        return false;
    *actor = who < 4 ? &scheduler->actor
                     : &model.workers[scheduler->carries < 0 ? 0 : scheduler->carries].actor;
    return (who < 4) == (scheduler->carries < 0);
}

static void order(struct actor *actor, void (*function)(struct order *), DWORD number,
                  void *pointer)
{
    if (actor) {
        model_order(actor, function, number, pointer);
        return;
    }
    model.outside.order =
        (struct order){.function = function, .number = number, .pointer = pointer};
    function(&model.outside.order);
}

static bool dequeue(int who, int list, int arg)
{
    static const DWORD limits[] = {0, 0, 1, 3};
    DWORD limit = arg >= 4 && !under_way.worker && model_awaits(list) ? INFINITE : limits[arg % 4];
    struct actor *actor;

    if (!actor_free(who % 4, &actor))
        return false;
    order(actor, call_dequeue, limit, model.lists[list]);
    if (!actor)
        actor = &model.outside;
    model_dequeued(&actor->order, limit);
    if (under_way.worker) {
        under_way.dequeued = actor->order;
        under_way.list = list;
    } else {
        model_arrived(&actor->order, list);
    }
    return true;
}

static bool execute(int which, struct subject *worker, bool begin_only)
{
    struct manager *scheduler = &model.schedulers[which];

    if (worker->place == NONE || !scheduler->inside || scheduler->carries >= 0)
        return false;
    if (worker->place == COMING && (worker->dying || worker->op == op_end || begin_only))
        return false;
    begin_only = begin_only && worker->place == HELD;
    under_way.suspended = worker->suspended;
    model_execute_begin(which, worker);
    if (!begin_only) {
        model_execute_end(which, worker, worker->suspended);
        return true;
    }
    under_way.worker = worker;
    under_way.executes_on = which;
    return true;
}

/* An order to the worker that runs on this scheduler. */
static bool let_work(int op, int which, int arg, bool begin_only)
{
    int slot = model.schedulers[which].carries;
    struct subject *worker = &model.workers[slot < 0 ? 0 : slot];
    struct order order;

    if (!model.schedulers[which].inside || slot < 0)
        return false;
    order = model_call(worker, op, arg);
    if (op == op_wait)
        waits_prepare(worker->waits, worker->kind);
    actor_post(&worker->actor, order.function, order.number, order.pointer);
    if (!begin_only) {
        model_follow(worker);
        return true;
    }
    under_way.worker = worker;
    under_way.executes_on = -1;
    return true;
}

static bool bad_call(int who, int list, int arg)
{
    PUMS_CONTEXT context = NULL;
    void *both[2];
    struct actor *actor;

    if (!actor_free(who, &actor))
        return false;
    EXPECT_OK(CreateUmsThreadContext(&context));
    both[0] = model.lists[list];
    both[1] = context;
    order(actor, call_bad, (DWORD)arg % BAD_CALLS, both);
    EXPECT_OK(DeleteUmsThreadContext(context));
    tally_add(TALLY_BAD, 1);
    tally_add(TALLY_CREATIONS, 1);
    tally_add(TALLY_DELETIONS, 1);
    return true;
}

static bool fork_once(int who)
{
    struct actor *actor;

    if (!actor_free(who % 4, &actor))
        return false;
    order(actor, call_fork, 0, NULL);
    EXPECT_OK((actor ? actor : &model.outside)->order.result);
    tally_add(TALLY_FORKS, 1);
    return true;
}

/* ---- One step after the other ------------------------------------------------------------------
 * */

static bool do_step(const struct step *step, bool begin_only)
{
    struct subject *worker = &model.workers[model_worker_for(step)];
    int scheduler = model_scheduler_for(step), list = model_list_for(step);

    if (under_way.worker && step->op != op_release && step->op != op_suspend &&
        step->op != op_resume && step->op != op_terminate && step->op != op_dequeue &&
        step->op != op_query)
        return false;
    switch (step->op) {
    case op_create_context:
        return model_create_context(worker);
    case op_create_thread:
        return model_create_thread(worker, step->arg % LISTS, step->who % 4 == 0);
    case op_delete_context:
        return model_delete_context(worker);
    case op_enter:
        return model_enter(scheduler, list);
    case op_leave:
        return model_leave(scheduler);
    case op_dequeue:
        return dequeue(step->who, list, step->arg % 8);
    case op_execute:
        return execute(scheduler, worker, begin_only);
    case op_yield:
    case op_wait:
    case op_nap:
    case op_work:
    case op_end:
        return let_work(step->op, scheduler, step->arg, begin_only);
    case op_release:
        return model_release(worker);
    case op_suspend:
        return model_suspend(worker, worker != under_way.worker);
    case op_resume:
        return model_resume(worker);
    case op_terminate:
        return model_terminate(worker, worker != under_way.worker);
    case op_query:
        return worker != under_way.worker && model_query(worker);
    case op_bad_call:
        return bad_call(step->who % 6, list, step->arg);
    case op_list_event:
        return model_list_event(list, step->arg % 4 == 0);
    case op_fork:
        return fork_once(step->who);
    default:
        return model_new_list(list);
    }
}

static void end_what_is_under_way(void)
{
    struct under_way was = under_way;

    under_way.worker = NULL;
    if (!was.worker)
        return;
    if (was.executes_on >= 0)
        model_execute_end(was.executes_on, was.worker,
                          was.worker->suspended < was.suspended ? was.worker->suspended
                                                                : was.suspended);
    else
        model_follow(was.worker);
    if (was.list >= 0)
        model_arrived(&was.dequeued, was.list);
}

/* A worker comes nearer to its end. */
static void drive(struct subject *worker)
{
    int free = model.schedulers[0].carries < 0 && model.schedulers[0].inside ? 0 : 1;

    while (model_has_thread(worker) && worker->suspended)
        model_resume(worker);
    switch (worker->place) {
    case BLOCKED:
        model_release(worker);
        break;
    case COMING:
        model_release(worker);
        order(NULL, call_dequeue, 20, model.lists[worker->list]);
        model_arrived(&model.outside.order, worker->list);
        break;
    case HELD:
        model_release(worker);
        execute(free, worker, false);
        break;
    case RUNNING:
        let_work(op_end, worker->on, 0, false);
        break;
    default:
        break;
    }
}

static void bring_to_the_end(void)
{
    struct patience patience;
    bool all;

    patience_begin(&patience, "bringing all to the end, program", 0);
    patience.deadline += MODEL_END_LIMIT_MS - MODEL_LIMIT_MS;
    model_enter(0, 0);
    do {
        for (int i = 0; i < SCHEDULERS; i++)
            if (model.schedulers[i].inside && model.schedulers[i].carries >= 0)
                drive(&model.workers[model.schedulers[i].carries]);
        all = true;
        for (int i = 0; i < SLOTS && !tc_failures(); i++) {
            drive(&model.workers[i]);
            all = all && (model.workers[i].place < COMING || model.workers[i].place == GONE);
        }
        if (!all)
            patience_spend(&patience);
    } while (!all && !tc_failures());
}

bool program_run(const struct step *steps, int count, int *at)
{
    model_begin(steps, count);
    under_way = (struct under_way){.list = -1};
    for (; model.at < count && !tc_failures(); model.at++) {
        const struct step *step = &steps[model.at];
        bool second = under_way.worker != NULL,
             also = !second && step->together && model.at + 1 < count;

        do_step(step, also);
        if (second || !also || !under_way.worker)
            end_what_is_under_way();
        for (int i = 0; i < SCHEDULERS; i++)
            if (!under_way.worker)
                model_look(i);
        if (!under_way.worker)
            under_way.list = -1;
    }
    end_what_is_under_way();
    *at = model.at;
    if (!tc_failures())
        bring_to_the_end();
    if (!tc_failures())
        model_end();
    return !tc_failures();
}
