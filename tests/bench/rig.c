/* SPDX-License-Identifier: MIT
 *
 * rig.c - the documented scheduler that the UMS probes run their workers on.
 */
#define _GNU_SOURCE
#include "rig.h"

#include "bench.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>

enum { STACK_BYTES = 65536 };

/* SchedulerParam arrives with Startup only; the entry point runs with the scheduler's own TLS. A
 * worker that yields brings its rig along: there a look-up of the compiler's would be measured. */
static _Thread_local struct rig *current_rig;

static void fail_call(const char *call)
{
    char text[128];

    snprintf(text, sizeof(text), "%s failed, last error %lu", call, (unsigned long)GetLastError());
    bench_fail(text, 0);
}

void rig_init(struct rig *rig, unsigned capacity)
{
    *rig = (struct rig){.capacity = capacity};
    rig->last = &rig->first;
    rig->workers = _aligned_malloc(capacity * sizeof(struct rig_worker), 64);
    if (!rig->workers)
        bench_fail("no memory for the workers", ENOMEM);
    if (!CreateUmsCompletionList(&rig->list))
        fail_call("CreateUmsCompletionList");
}

static DWORD WINAPI worker_main(LPVOID param)
{
    struct rig_worker *self = param;

    self->body(self);
    return 0;
}

static struct rig_worker *create(struct rig_worker *worker)
{
    worker->rig->alive++;
    worker->thread = ums_worker(worker->rig->list, &worker->context, worker, STACK_BYTES,
                                worker_main, worker, 0, NULL);
    if (!worker->thread)
        fail_call("the creation of a worker");
    return worker;
}

struct rig_worker *rig_add(struct rig *rig, void (*body)(struct rig_worker *self), void *arg)
{
    struct rig_worker *worker;

    if (rig->added == rig->capacity)
        bench_fail("more workers than the rig has room for", 0);
    worker = &rig->workers[rig->added];
    *worker = (struct rig_worker){.rig = rig, .body = body, .arg = arg, .index = rig->added};
    rig->added++;
    return create(worker);
}

struct rig_worker *rig_again(struct rig_worker *worker)
{
    return create(worker);
}

static inline void push_ready(struct rig *rig, struct rig_worker *worker)
{
    worker->next = NULL;
    *rig->last = worker;
    rig->last = &worker->next;
}

static inline struct rig_worker *pop_ready(struct rig *rig)
{
    struct rig_worker *worker = rig->first;

    if (worker) {
        rig->first = worker->next;
        if (!rig->first)
            rig->last = &rig->first;
    }
    return worker;
}

static inline void count(atomic_ulong *counter)
{
    /* One writer: no locked instruction needed. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Drains the whole chain before anything is executed: executing reuses the links. */
static bool drain(struct rig *rig, PUMS_CONTEXT context)
{
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        struct rig_worker *worker = NULL;
        BOOLEAN terminated = FALSE;

        if (!QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker),
                                       NULL) ||
            !QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                       sizeof(terminated), NULL)) {
            rig->failure = "QueryUmsThreadInformation";
            return false;
        }
        if (terminated)
            rig->alive--;
        else
            push_ready(rig, worker);
        context = next;
    }
    return true;
}

/* No heap, no stdio in here: workers may own their locks. */
static VOID WINAPI rig_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct rig *rig =
        reason == UmsSchedulerThreadYield ? ((struct rig_worker *)param)->rig : current_rig;
    DWORD patience = 0;

    count(&rig->activations[reason]);
    if (reason == UmsSchedulerThreadYield)
        push_ready(rig, param);
    else if (reason == UmsSchedulerThreadBlocked && rig->stamp_blocked)
        atomic_store_explicit(&rig->last_blocked_ns, bench_now_ns(), memory_order_relaxed);

    while (!rig->leave) {
        PUMS_CONTEXT chain = NULL;
        struct rig_worker *worker;

        if (!DequeueUmsCompletionListItems(rig->list, patience, &chain)) {
            rig->failure = "DequeueUmsCompletionListItems";
            break;
        }
        if (!drain(rig, chain))
            break;
        worker = pop_ready(rig);
        if (worker) {
            ExecuteUmsThread(worker->context);
            if (GetLastError() != ERROR_RETRY) {
                rig->failure = "ExecuteUmsThread";
                break;
            }
            push_ready(rig, worker);
        } else if (rig->alive == 0) {
            return;
        }
        patience = rig->first ? 0 : INFINITE;
    }
    rig->failure_error = GetLastError();
}

void rig_run(struct rig *rig)
{
    current_rig = rig;
    if (!ums_enter(rig->list, rig_proc, rig))
        fail_call("EnterUmsSchedulingMode");
    if (rig->failure) {
        SetLastError(rig->failure_error);
        fail_call(rig->failure);
    }
}
