/* SPDX-License-Identifier: MIT
 *
 * pool_wait.c - see pool_wait.h.
 *
 * Records stay for good, so a late callback finds one. The pool may have begun to wait with a
 * handle when it is told to stop. So the handle of a cancelled wait is closed a while later. A
 * callback that comes for a cancelled wait gives the signal back, if that is possible.
 */
#include "platform/windows/waits/pool_wait.h"

#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/direct_waiters.h"
#include "platform/windows/waits/growing.h"
#include "platform/windows/waits/user_wait.h"

enum { MOST = 1 << 18, CHUNK = 2 << 10, RETIRE_NS = 100000000 };

struct arm {
    PTP_WAIT wait;
    HANDLE handle;
    struct plat_context *worker; /* NULL: it was completed */
    uint8_t kind;                /* enum handle_kind */
    struct arm *next;            /* in the list of those free, cancelled or retired */
    uint64_t retired;            /* when */
};

static struct growing records = {.size = sizeof(struct arm), .most = MOST, .chunk = CHUNK};
static struct arm *free_records, *cancelled, *retired, **retired_end = &retired;
static uint32_t used;

/* A pool of our own. The program's callbacks may keep all threads of its pool busy, or the program
 * may have limited them. NULL: uses the program's pool. */
static TP_CALLBACK_ENVIRON environment;
static PTP_CALLBACK_ENVIRON own_pool;

/* The pool has called back: its threads are there. */
static _Atomic bool begun;

static void CALLBACK begin(PTP_CALLBACK_INSTANCE instance, PVOID event, PTP_WAIT wait,
                           TP_WAIT_RESULT result)
{
    (void)instance;
    (void)wait;
    (void)result;
    atomic_store_explicit(&begun, true, memory_order_release);
    SetEvent(event);
}

/* Makes a first wait, which stays. Wine has one thread for the waits of all pools: it comes with
 * the first wait object and goes with the last. */
void pool_wait_start(HANDLE first, HANDLE event)
{
    PTP_POOL pool = CreateThreadpool(NULL);
    if (pool && SetThreadpoolThreadMinimum(pool, 1)) {
        InitializeThreadpoolEnvironment(&environment);
        SetThreadpoolCallbackPool(&environment, pool);
        own_pool = &environment;
    } else if (pool) {
        CloseThreadpool(pool);
    }
    PTP_WAIT wait = CreateThreadpoolWait(begin, event, own_pool);
    if (wait)
        SetThreadpoolWait(wait, first, NULL);
}

bool pool_wait_has_begun(void)
{
    return atomic_load_explicit(&begun, memory_order_relaxed);
}

static struct arm *new_record(void)
{
    struct arm *arm = free_records;
    if (arm) {
        free_records = arm->next;
        return arm;
    }
    return growing_reaches(&records, used) ? (struct arm *)records.start + used++ : NULL;
}

static void let_go(struct arm *arm, NTSTATUS status)
{
    direct_over(arm->worker);
    user_wait_take(arm->worker, status);
    arm->worker->wait.next = NULL;
    arm->worker = NULL;
}

/* The wait was over already, so its signal goes back to the object. */
static void give_back(struct arm *arm)
{
    if (arm->kind == HANDLE_AUTO)
        ORIGINAL_OF(NtSetEvent)(arm->handle, NULL);
    else if (arm->kind == HANDLE_SEMAPHORE)
        ORIGINAL_OF(NtReleaseSemaphore)(arm->handle, 1, NULL);
}

static bool is_cancelled(const struct arm *arm)
{
    const struct arm *other = cancelled;
    while (other && other != arm)
        other = other->next;
    return other;
}

static void CALLBACK satisfied(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WAIT wait,
                               TP_WAIT_RESULT result)
{
    struct arm *arm = context;
    (void)instance;
    plat_lock(&wait_lock);
    struct plat_context *worker = arm->wait == wait ? arm->worker : NULL;
    if (!worker) {
        plat_unlock(&wait_lock);
        if (result == WAIT_OBJECT_0)
            give_back(arm);
        return;
    }
    HANDLE handle = arm->handle;
    bool early = result == WAIT_TIMEOUT && !user_wait_expired(&worker->wait, plat_now());
    bool wake = false;
    arm->worker = NULL;
    if (!is_cancelled(arm)) {
        arm->next = free_records;
        free_records = arm;
    } else {
        early = false;
        handle = NULL; /* the service thread closes it */
    }
    if (early) {
        worker->wait.handle = handle;
        wake = agenda_queue(worker);
    } else {
        direct_over(worker);
        user_wait_take(worker, (NTSTATUS)result);
        worker->wait.next = NULL;
    }
    plat_unlock(&wait_lock);
    if (wake)
        agenda_wake();
    if (early)
        return;
    if (handle)
        ORIGINAL_OF(NtClose)(handle);
    user_wait_complete(worker);
}

void pool_wait_arm(struct plat_context *worker)
{
    LARGE_INTEGER rest;
    plat_lock(&wait_lock);
    struct arm *arm = worker->wait.handle ? new_record() : NULL;
    plat_unlock(&wait_lock);
    if (arm && !arm->wait)
        arm->wait = CreateThreadpoolWait(satisfied, arm, own_pool);
    LARGE_INTEGER *timeout = user_wait_rest(&worker->wait, &rest);
    plat_lock(&wait_lock);
    if (arm && arm->wait) {
        arm->handle = worker->wait.handle;
        arm->kind = worker->wait.kind;
        arm->worker = worker;
        worker->wait.arm = arm;
        atomic_store_explicit(&worker->wait.how, WAIT_ARMED, memory_order_relaxed);
        plat_unlock(&wait_lock);
        SetThreadpoolWait(arm->wait, arm->handle, (FILETIME *)(void *)timeout);
        return;
    }
    if (arm) {
        arm->next = free_records;
        free_records = arm;
    }
    plat_unlock(&wait_lock);
    /* No memory: the wait fails, and the program may survive that. */
    direct_over(worker);
    if (worker->wait.handle)
        ORIGINAL_OF(NtClose)(worker->wait.handle);
    worker->wait.status = WAIT_STATUS_NO_MEMORY;
    worker->wait.next = NULL;
    user_wait_complete(worker);
}

bool pool_wait_cancel(struct plat_context *worker)
{
    struct arm *arm = worker->wait.arm;
    if (is_cancelled(arm))
        return false;
    arm->next = cancelled;
    cancelled = arm;
    return agenda_is_late_for(0);
}

void pool_wait_disarm_cancelled(void)
{
    for (;;) {
        plat_lock(&wait_lock);
        struct arm *arm = cancelled;
        plat_unlock(&wait_lock);
        if (!arm)
            return;
        SetThreadpoolWait(arm->wait, NULL, NULL);
        WaitForThreadpoolWaitCallbacks(arm->wait, TRUE);
        plat_lock(&wait_lock);
        struct arm **link = &cancelled;
        while (*link != arm)
            link = &(*link)->next;
        *link = arm->next;
        struct plat_context *worker = arm->worker;
        PTP_WAIT wait = arm->wait;
        if (worker)
            let_go(arm, WAIT_STATUS_SUCCESS);
        arm->wait = NULL;
        arm->next = NULL;
        arm->retired = plat_now();
        *retired_end = arm;
        retired_end = &arm->next;
        plat_unlock(&wait_lock);
        CloseThreadpoolWait(wait);
        if (worker)
            user_wait_complete(worker);
    }
}

uint64_t pool_wait_retire(uint64_t until)
{
    uint64_t now = retired ? plat_now() : 0;
    while (retired && retired->retired + RETIRE_NS <= now) {
        struct arm *arm = retired;
        retired = arm->next;
        if (!retired)
            retired_end = &retired;
        ORIGINAL_OF(NtClose)(arm->handle);
        arm->next = free_records;
        free_records = arm;
    }
    if (retired && retired->retired + RETIRE_NS < until)
        return retired->retired + RETIRE_NS;
    return until;
}
