/* SPDX-License-Identifier: MIT
 *
 * program_setup.c - threads that are schedulers now and then, contexts, workers and lists of a
 * random program (program.h).
 */
#include "fleet.h"
#include "gtest_c.h"
#include "program_model.h"
#include "tally.h"

static __thread struct manager *mine;

/* ---- Schedulers -------------------------------------------------------------------------------
 * */

static VOID NTAPI entry(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct manager *self = mine;

    self->actor.reason = reason;
    self->actor.payload = payload;
    self->actor.param = param;
    flag_add(&self->actor.activations, 1);
    SetEvent(actor_answers);
    actor_serve(&self->actor);
}

static void call_enter(struct order *order)
{
    order->result = EnterUmsSchedulingMode(&mine->info);
}

static DWORD WINAPI manager_main(LPVOID param)
{
    mine = param;
    actor_serve(&mine->outside);
    return 0;
}

bool model_enter(int which, int list)
{
    struct manager *self = &model.schedulers[which];
    struct patience patience;

    if (self->inside)
        return false;
    flag_set(&self->actor.leaves, 0);
    self->info = (UMS_SCHEDULER_STARTUP_INFO){UMS_VERSION, model.lists[list], entry, &self->seen};
    actor_post(&self->outside, call_enter, 0, NULL);
    patience_begin(&patience, "entering, scheduler", (unsigned)which);
    while (flag_get(&self->actor.activations) == self->seen)
        patience_spend(&patience);
    self->seen++;
    EXPECT_THAT(self->actor.reason == UmsSchedulerStartup && self->actor.payload == 0 &&
                    self->actor.param == &self->seen,
                "step %d: the first activation of scheduler %d", model.at, which);
    tally_add(TALLY_MODES, 1);
    self->inside = true;
    self->list = list;
    self->carries = -1;
    return true;
}

bool model_leave(int which)
{
    struct manager *self = &model.schedulers[which];
    struct patience patience;

    if (!self->inside || self->carries >= 0)
        return false;
    actor_post(&self->actor, call_leave, 0, NULL);
    patience_begin(&patience, "leaving, scheduler", (unsigned)which);
    while (!actor_is_done(&self->outside))
        patience_spend(&patience);
    EXPECT_OK(self->outside.order.result);
    tally_add(TALLY_MODES, 1);
    self->inside = false;
    return true;
}

/* ---- Creation and deletion ---------------------------------------------------------------------
 * */

static DWORD WINAPI live(LPVOID param)
{
    struct subject *self = param;

    actor_serve(&self->actor);
    return CODE_OWN;
}

bool model_create_context(struct subject *worker)
{
    struct subject *before = NULL;

    if (worker->place != NONE)
        return false;
    EXPECT_OK(CreateUmsThreadContext(&worker->context));
    EXPECT_OK(QueryUmsThreadInformation(worker->context, UmsThreadUserContext, &before,
                                        sizeof before, NULL));
    MODEL_CHECK(before == NULL, "a new context knows another's user context");
    EXPECT_OK(
        SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof worker));
    worker->place = EMPTY;
    tally_add(TALLY_CREATIONS, 1);
    tally_add(TALLY_QUERIES, 2);
    return true;
}

static void close_thread(struct subject *worker)
{
    if (worker->thread)
        EXPECT_OK(CloseHandle(worker->thread));
    worker->thread = NULL;
}

bool model_create_thread(struct subject *worker, int list, bool suspended)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, worker->context, model.lists[list]};

    if (worker->place == NONE)
        return false;
    if (worker->place != EMPTY && worker->place != GONE) {
        if (worker->place == COMING && (worker->dying || worker->op == op_end))
            return false;
        EXPECT_EQ(ums_thread(&ums, live, worker, 0, NULL), NULL);
        EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
        tally_add(TALLY_BAD, 1);
        return true;
    }
    close_thread(worker);
    waits_reset(worker->waits);
    worker->actor = (struct actor){.beat = worker->actor.beat};
    worker->op = OPS;
    worker->released = worker->yielded = worker->dying = false;
    worker->unborn = suspended;
    worker->suspended = suspended;
    worker->first_list = worker->list = list;
    worker->thread = ums_thread(&ums, model.live ? model.live : live, worker,
                                suspended ? CREATE_SUSPENDED : 0, &worker->id);
    EXPECT_OK(worker->thread != NULL);
    tally_add(TALLY_CREATIONS, 1);
    worker->place = COMING;
    return true;
}

bool model_delete_context(struct subject *worker)
{
    bool ended = worker->place == EMPTY || worker->place == GONE;
    bool may_end = worker->place == COMING && (worker->dying || worker->op == op_end);

    if (worker->place == NONE)
        return false;
    SetLastError(0);
    if (DeleteUmsThreadContext(worker->context)) {
        MODEL_CHECK(ended || may_end, "a live worker's context was deleted");
        close_thread(worker);
        worker->place = NONE;
        worker->dying = false;
        worker->suspended = 0;
    } else {
        MODEL_CHECK(!ended && GetLastError() == ERROR_INVALID_PARAMETER, "a context stays");
    }
    tally_add(TALLY_DELETIONS, 1);
    return true;
}

bool model_new_list(int list)
{
    for (int i = 0; i < SLOTS; i++)
        if (model.workers[i].place > EMPTY && model.workers[i].place < GONE &&
            (model.workers[i].list == list || model.workers[i].first_list == list))
            return false;
    for (int i = 0; i < SCHEDULERS; i++)
        if (model.schedulers[i].inside && model.schedulers[i].list == list)
            return false;
    EXPECT_OK(DeleteUmsCompletionList(model.lists[list]));
    EXPECT_OK(CreateUmsCompletionList(&model.lists[list]));
    tally_add(TALLY_DELETIONS, 1);
    tally_add(TALLY_CREATIONS, 1);
    return true;
}

/* ---- All of it, and none of it
 * ------------------------------------------------------------------ */

void model_begin(const struct step *steps, int count)
{
    model = (struct model_state){.steps = steps, .count = count};
    actor_answers = CreateEventA(NULL, FALSE, FALSE, NULL);
    for (int i = 0; i < LISTS; i++)
        EXPECT_OK(CreateUmsCompletionList(&model.lists[i]));
    for (int i = 0; i < SLOTS; i++) {
        model.workers[i].waits = waits_create();
        model.workers[i].op = OPS;
    }
    for (int i = 0; i < SCHEDULERS; i++) {
        model.schedulers[i].carries = -1;
        model.schedulers[i].actor.mail = CreateEventA(NULL, FALSE, FALSE, NULL);
        model.schedulers[i].outside.mail = CreateEventA(NULL, FALSE, FALSE, NULL);
        model.schedulers[i].thread =
            CreateThread(NULL, 0, manager_main, &model.schedulers[i], 0, NULL);
        EXPECT_OK(model.schedulers[i].thread != NULL);
    }
}

void model_end(void)
{
    for (int i = 0; i < SCHEDULERS; i++) {
        struct manager *scheduler = &model.schedulers[i];

        model_leave(i);
        model_order(&scheduler->outside, call_leave, 0, NULL);
        EXPECT_EQ(WaitForSingleObject(scheduler->thread, MODEL_LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(scheduler->thread));
        EXPECT_OK(CloseHandle(scheduler->actor.mail));
        EXPECT_OK(CloseHandle(scheduler->outside.mail));
    }
    for (int i = 0; i < SLOTS; i++) {
        model_delete_context(&model.workers[i]);
        waits_destroy(model.workers[i].waits);
    }
    for (int i = 0; i < LISTS; i++)
        EXPECT_OK(DeleteUmsCompletionList(model.lists[i]));
    EXPECT_OK(CloseHandle(actor_answers));
}
