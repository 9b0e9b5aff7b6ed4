/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - the scheduler: a ready queue, a completion list, and a memory of whom it executed.
 *
 * Nothing in here takes a lock that a worker may hold: no heap, no stdio. Nothing is kept in local
 * variables either, for an activation's stack is gone once a worker runs.
 */
#include "tour.h"

/* First in, first out. A worker is in it once at most. */
static struct worker *ready[MAX_WORKERS];
static unsigned first_ready;
static unsigned end_ready;

static int alive;

/* A Blocked activation does not tell which worker blocked: it can only be the one executed last. */
static int executed = -1;

static void push_ready(struct worker *worker)
{
    ready[end_ready++ % MAX_WORKERS] = worker;
}

static struct worker *worker_of(PUMS_CONTEXT context)
{
    struct worker *worker = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
    return worker;
}

/* The whole chain is drained before anybody is executed: the links live in the contexts. */
static void drain(PUMS_CONTEXT context)
{
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        struct worker *worker = worker_of(context);
        BOOLEAN terminated = FALSE;

        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                  NULL);
        if (terminated) {
            journal_add(EVENT_ENDED, worker->index, 0, 0, NULL);
            alive--;
        } else {
            journal_add(worker->new_one ? EVENT_NEW : EVENT_UNBLOCKED, worker->index, 0, 0, NULL);
            worker->new_one = false;
            push_ready(worker);
        }
        context = next;
    }
}

static VOID WINAPI entry_point(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    journal_add(EVENT_ENTER, executed, reason, payload, param);
    executed = -1;
    if (reason == UmsSchedulerThreadYield)
        push_ready(worker_of((PUMS_CONTEXT)payload));

    while (alive > 0) {
        PUMS_CONTEXT chain = NULL;
        struct worker *next;

        if (first_ready == end_ready)
            journal_add(EVENT_WAIT, -1, 0, 0, NULL);
        if (!DequeueUmsCompletionListItems(tour.list, first_ready == end_ready ? INFINITE : 0,
                                           &chain) &&
            GetLastError() != ERROR_TIMEOUT) {
            journal_add(EVENT_FAILED, -1, 0, GetLastError(), NULL);
            break;
        }
        drain(chain);
        if (first_ready == end_ready)
            continue;
        next = ready[first_ready++ % MAX_WORKERS];
        executed = next->index;
        journal_add(EVENT_EXECUTE, executed, 0, 0, NULL);
        ExecuteUmsThread(next->context); /* comes back only when it failed */
        executed = -1;
        if (GetLastError() != ERROR_RETRY) {
            journal_add(EVENT_FAILED, next->index, 0, GetLastError(), NULL);
            break;
        }
        push_ready(next);
    }
    journal_add(EVENT_LEAVE, -1, 0, 0, NULL);
}

DWORD WINAPI scheduler_main(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info = {.UmsVersion = UMS_VERSION,
                                       .CompletionList = tour.list,
                                       .SchedulerProc = entry_point,
                                       .SchedulerParam = param};

    alive = tour.worker_count;
    name_thread(GetCurrentThread(), "scheduler");
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}
