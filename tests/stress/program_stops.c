/* SPDX-License-Identifier: MIT
 *
 * program_stops.c - what is done to a worker, or to a list, from outside, against the model of a
 * random program (program_model.h).
 */
#include "gtest_c.h"
#include "program_model.h"
#include "tally.h"

bool model_may_release(const struct subject *worker)
{
    return worker->op == op_wait && !worker->released && !worker->dying &&
           (worker->place == RUNNING || worker->place == BLOCKED || worker->place == HELD ||
            worker->place == COMING);
}

bool model_release(struct subject *worker)
{
    if (!model_may_release(worker))
        return false;
    worker->released = true;
    waits_release(worker->waits, worker->kind);
    tally_add(TALLY_SIGNALS, 1);
    if (worker->place == BLOCKED)
        worker->place = COMING;
    return true;
}

static void follow_if_running(struct subject *worker, bool followed)
{
    if (worker->place == RUNNING && followed)
        model_follow(worker);
}

bool model_suspend(struct subject *worker, bool followed)
{
    if (!model_has_thread(worker) || worker->suspended > 2)
        return false;
    EXPECT_EQ(SuspendThread(worker->thread), worker->suspended);
    tally_add(TALLY_STOPS, 1);
    worker->suspended++;
    follow_if_running(worker, followed);
    return true;
}

bool model_resume(struct subject *worker)
{
    if (!model_has_thread(worker))
        return false;
    EXPECT_EQ(ResumeThread(worker->thread), worker->suspended);
    tally_add(TALLY_STOPS, 1);
    worker->suspended -= worker->suspended > 0;
    worker->unborn = worker->unborn && worker->suspended > 0;
    return true;
}

bool model_may_terminate(const struct subject *worker)
{
    return model_has_thread(worker) &&
           !call_bars_termination(worker->op, worker->actor.order.number, worker->kind);
}

bool model_terminate(struct subject *worker, bool followed)
{
    if (!model_may_terminate(worker))
        return false;
    EXPECT_OK(TerminateThread(worker->thread, CODE_ENDED));
    worker->dying = true;
    follow_if_running(worker, followed);
    if (worker->place == BLOCKED)
        worker->place = COMING;
    if (followed && (worker->place == HELD || (worker->place == COMING && worker->unborn)))
        model_is_gone(worker);
    return true;
}

bool model_list_event(int list, DWORD limit)
{
    HANDLE event = NULL, again = NULL;
    DWORD result;

    EXPECT_OK(GetUmsCompletionListEvent(model.lists[list], &event));
    EXPECT_OK(GetUmsCompletionListEvent(model.lists[list], &again));
    EXPECT_NE(event, again);
    EXPECT_OK(CloseHandle(again));
    result = WaitForSingleObject(event, limit);
    EXPECT_THAT(result == WAIT_OBJECT_0 || result == WAIT_TIMEOUT, "%u", (unsigned)result);
    EXPECT_OK(CloseHandle(event));
    tally_add(TALLY_LISTS, 5);
    return true;
}

void model_dequeued(const struct order *order, DWORD limit)
{
    EXPECT_OK(order->result);
    EXPECT_THAT(order->length > 0 || order->error == ERROR_TIMEOUT,
                "step %d: an empty dequeue, last error %u", model.at, (unsigned)order->error);
    EXPECT_THAT(order->length > 0 || limit != INFINITE, "step %d: NULL, and no time-out", model.at);
    tally_add(TALLY_LISTS, 1 + 2 * order->length); /* each item's successor is asked for twice */
}
