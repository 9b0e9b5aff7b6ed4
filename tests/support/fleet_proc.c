/* SPDX-License-Identifier: MIT
 *
 * fleet_proc.c - the scheduler entry point of a fleet. No heap, no streams, no lock that a worker
 * could own.
 */
#include "fleet_private.h"

__thread struct scheduler *fleet_scheduler;

static void lock(struct ready_queue *queue)
{
    while (__atomic_test_and_set(&queue->lock, __ATOMIC_ACQUIRE))
        SwitchToThread();
}

static void unlock(struct ready_queue *queue)
{
    __atomic_clear(&queue->lock, __ATOMIC_RELEASE);
}

static void push(struct ready_queue *queue, struct worker *worker)
{
    lock(queue);
    if (queue->tail - queue->head > queue->mask)
        FAIL("ready queue overflow: some worker is in it twice");
    else
        queue->slots[queue->tail++ & queue->mask] = worker;
    unlock(queue);
}

static unsigned draw(struct scheduler *scheduler)
{
    scheduler->random = scheduler->random * 1664525u + 1013904223u;
    return scheduler->random >> 8;
}

/* The first worker that may be executed here. It comes after workers that want another scheduler,
 * if there is such a worker. */
static struct worker *take_first(struct scheduler *scheduler, struct ready_queue *queue)
{
    unsigned at = queue->head;
    struct worker *worker;

    while (at != queue->tail && queue->slots[at & queue->mask]->moves &&
           queue->slots[at & queue->mask]->ran_on == scheduler)
        at++;
    if (at == queue->tail)
        at = queue->head;
    worker = queue->slots[at & queue->mask];
    for (; at != queue->head; at--)
        queue->slots[at & queue->mask] = queue->slots[(at - 1) & queue->mask];
    return worker;
}

static struct worker *pop(struct scheduler *scheduler)
{
    struct ready_queue *queue = scheduler->ready;
    struct worker *worker = NULL;
    unsigned length;

    lock(queue);
    length = queue->tail - queue->head;
    if (length > 0) {
        struct worker **first = &queue->slots[queue->head & queue->mask];

        if (scheduler->fleet->flags & FLEET_RANDOM) {
            struct worker **chosen =
                &queue->slots[(queue->head + draw(scheduler) % length) & queue->mask];

            worker = *chosen;
            *chosen = *first;
        } else {
            worker = take_first(scheduler, queue);
        }
        queue->head++;
    }
    unlock(queue);
    return worker;
}

static struct worker *worker_of(PUMS_CONTEXT context)
{
    PVOID user = NULL;
    ULONG length = 0;

    if (!QueryUmsThreadInformation(context, UmsThreadUserContext, &user, sizeof user, &length) ||
        length != sizeof user) {
        FAIL("no user context of %p: last error %u", context, (unsigned)GetLastError());
        return NULL;
    }
    return user;
}

static bool is_terminated(PUMS_CONTEXT context)
{
    BOOLEAN terminated = 0;

    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                        sizeof terminated, NULL));
    return terminated;
}

/* Walks the whole chain before any worker of it may run again and reuse its link (DQ-13). */
static void drain(struct scheduler *scheduler, DWORD timeout)
{
    struct fleet *fleet = scheduler->fleet;
    PUMS_CONTEXT context = NULL;
    struct worker *oldest_first = NULL;

    if (!DequeueUmsCompletionListItems(scheduler->list, timeout, &context) &&
        GetLastError() != ERROR_TIMEOUT) {
        FAIL("dequeue failed, last error %u", (unsigned)GetLastError());
        return;
    }
    while (context) {
        struct worker *worker = worker_of(context);

        if (!worker)
            return;
        context = GetNextUmsListItem(context);
        worker->next_in_chain = oldest_first;
        oldest_first = worker;
    }
    while (oldest_first) {
        struct worker *worker = oldest_first;

        oldest_first = worker->next_in_chain;
        count(&worker->arrivals, 1);
        count(&fleet->totals.arrivals, 1);
        if (is_terminated(worker->context)) {
            count(&fleet->totals.ended, 1);
            count(&fleet->live, -1);
        } else {
            push(scheduler->ready, worker);
        }
    }
}

/* A test's workers start in the order of their creation, whatever order the list had. */
static void sort_ready(struct ready_queue *queue)
{
    for (unsigned i = queue->head + 1; i < queue->tail; i++) {
        struct worker *worker = queue->slots[i & queue->mask];
        unsigned j = i;

        while (j > queue->head && queue->slots[(j - 1) & queue->mask]->index > worker->index) {
            queue->slots[j & queue->mask] = queue->slots[(j - 1) & queue->mask];
            j--;
        }
        queue->slots[j & queue->mask] = worker;
    }
}

static bool out_of_time(struct fleet *fleet)
{
    if (GetTickCount64() > fleet->deadline)
        flag_set(&fleet->expired, 1);
    return flag_get(&fleet->expired);
}

static void gather(struct scheduler *scheduler)
{
    struct fleet *fleet = scheduler->fleet;

    while (counted(&fleet->totals.arrivals) < flag_get(&fleet->added) && !out_of_time(fleet))
        drain(scheduler, FLEET_IDLE_MS);
    if (fleet->scheduler_count == 1)
        sort_ready(scheduler->ready);
}

static void note(struct scheduler *scheduler, UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                 PVOID param)
{
    struct fleet *fleet = scheduler->fleet;
    struct activation activation = {reason, payload, param, scheduler->current,
                                    GetCurrentThreadId()};

    if (scheduler->log_count < FLEET_LOG)
        scheduler->log[scheduler->log_count++] = activation;
    if (fleet->hook)
        fleet->hook(&activation, fleet->hook_arg);
}

static void note_frame(struct scheduler *scheduler, volatile char *here)
{
    if (!scheduler->frame) {
        scheduler->frame = here;
    } else if (scheduler->frame != here && scheduler->moved_frames++ == 0) {
        FAIL("SP-6: a local of the entry point is at %p, was at %p", (void *)here,
             (void *)scheduler->frame);
    }
}

static void account(struct scheduler *scheduler, UMS_SCHEDULER_REASON reason, ULONG_PTR payload,
                    PVOID param)
{
    struct fleet *fleet = scheduler->fleet;
    struct worker *worker;

    switch (reason) {
    case UmsSchedulerStartup:
        scheduler->startups++;
        count(&fleet->totals.startups, 1);
        EXPECT_EQ(param, scheduler);
        break;
    case UmsSchedulerThreadBlocked:
        EXPECT_EQ(param, NULL);
        if (!scheduler->current) {
            FAIL("Blocked on a scheduler that runs nobody");
            break;
        }
        count(&scheduler->current->blocked, 1);
        count(&fleet->totals.blocked, 1);
        if ((payload & 1) == 0)
            count(&fleet->totals.traps, 1);
        break;
    case UmsSchedulerThreadYield:
        worker = worker_of((PUMS_CONTEXT)payload);
        EXPECT_EQ(worker, scheduler->current);
        if (worker) {
            count(&worker->yields, 1);
            count(&fleet->totals.yields, 1);
            push(scheduler->ready, worker);
        }
        break;
    default:
        FAIL("activation with reason %d", (int)reason);
        break;
    }
    scheduler->current = NULL;
}

/* Returns only after a failure. */
static void execute(struct scheduler *scheduler, struct worker *worker)
{
    struct fleet *fleet = scheduler->fleet;
    BOOLEAN suspended = 0;
    DWORD error = 0;

    scheduler->current = worker;
    worker->ran_on = scheduler;
    /* Counted before the call, because a successful call does not return. */
    count(&worker->executes, 1);
    count(&fleet->totals.executes, 1);
    for (int i = 0; i < FLEET_RETRIES; i++) {
        ExecuteUmsThread(worker->context);
        error = GetLastError();
        if (error != ERROR_RETRY)
            break;
        count(&fleet->totals.retries, 1);
        YieldProcessor();
    }
    count(&worker->executes, -1);
    count(&fleet->totals.executes, -1);
    scheduler->current = NULL;
    QueryUmsThreadInformation(worker->context, UmsThreadIsSuspended, &suspended, sizeof suspended,
                              NULL);
    /* A suspended worker will not arrive on the list (EX-11). It may have been resumed since
     * ExecuteUmsThread refused it. */
    if (suspended || (error == ERROR_INVALID_PARAMETER && !is_terminated(worker->context) &&
                      counted(&fleet->totals.retries) < FLEET_RETRIES)) {
        count(&fleet->totals.retries, !suspended);
        push(scheduler->ready, worker);
        return;
    }
    FAIL("worker %d could not be executed: last error %u, terminated %d", worker->index,
         (unsigned)error, is_terminated(worker->context));
    flag_add(&fleet->dropped, 1);
    count(&fleet->live, -1);
}

VOID NTAPI fleet_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct scheduler *scheduler = fleet_scheduler;
    struct fleet *fleet = scheduler->fleet;
    volatile char here = 0;

    note(scheduler, reason, payload, param);
    if (reason != UmsSchedulerStartup)
        note_frame(scheduler, &here);
    account(scheduler, reason, payload, param);
    if (reason == UmsSchedulerStartup && !(fleet->flags & FLEET_NO_GATHER))
        gather(scheduler);
    for (;;) {
        struct worker *worker;

        drain(scheduler, 0);
        worker = pop(scheduler);
        if (worker) {
            execute(scheduler, worker);
            continue;
        }
        if (counted(&fleet->live) <= 0 || out_of_time(fleet))
            break;
        drain(scheduler, fleet->flags & FLEET_WAITS ? INFINITE : FLEET_IDLE_MS);
    }
    flag_set(&scheduler->left, 1);
}
