/* SPDX-License-Identifier: MIT
 *
 * program_choice.c - whom a drawn step is about: it names somebody by number, and another stands
 * in where it would make no sense for that one (program.h).
 */
#include "program_model.h"

struct order model_call(struct subject *worker, int op, int arg)
{
    static void (*const calls[OPS])(struct order *) = {[op_yield] = call_yield,
                                                       [op_wait] = call_wait,
                                                       [op_nap] = call_nap,
                                                       [op_work] = call_work,
                                                       [op_end] = call_end};

    worker->op = op;
    worker->yield_param = (void *)(uintptr_t)(arg * 16);
    worker->kind = (unsigned)arg % waits_kinds();
    worker->call = (struct wait_call){worker->waits, worker->kind};
    return (struct order){.function = calls[op],
                          .number = (DWORD)(op == op_nap    ? arg % NAPS
                                            : op == op_work ? arg % WORKS
                                                            : arg % 2),
                          .pointer = op == op_yield  ? worker->yield_param
                                     : op == op_wait ? (void *)&worker->call
                                     : op == op_end  ? (void *)CODE_OWN
                                                     : (void *)worker->waits};
}

static bool is_likely(int op, const struct subject *worker)
{
    switch (op) {
    case op_create_context:
        return worker->place == NONE;
    case op_create_thread:
        return worker->place == EMPTY || worker->place == GONE;
    case op_execute:
        return worker->place == HELD && !worker->suspended;
    case op_release:
        return worker->op == op_wait && !worker->released;
    case op_resume:
        return worker->suspended > 0;
    default:
        return worker->place != NONE;
    }
}

/* Three times of four the step goes to somebody for whom it makes sense, if there is one. */
int model_worker_for(const struct step *step)
{
    for (int i = 0; i < SLOTS && step->arg % 4; i++)
        if (is_likely(step->op, &model.workers[(step->what + i) % SLOTS]))
            return (step->what + i) % SLOTS;
    return step->what % SLOTS;
}

int model_list_for(const struct step *step)
{
    for (int i = 0; i < LISTS && step->op == op_dequeue && step->arg % 4; i++)
        if (model_awaits((step->what + i) % LISTS))
            return (step->what + i) % LISTS;
    return step->what % LISTS;
}

/* The one that the step names, unless only the other one can do it. */
int model_scheduler_for(const struct step *step)
{
    int named = step->who % SCHEDULERS, other = (step->who + 1) % SCHEDULERS;
    bool works = step->op == op_yield || step->op == op_wait || step->op == op_nap ||
                 step->op == op_work || step->op == op_end;

    if (works && model.schedulers[named].carries < 0)
        return other;
    if (step->op == op_execute &&
        (!model.schedulers[named].inside || model.schedulers[named].carries >= 0))
        return other;
    return named;
}
