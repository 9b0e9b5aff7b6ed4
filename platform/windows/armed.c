/* SPDX-License-Identifier: MIT
 *
 * armed.c - see armed.h.
 *
 * Records are never given back to the system, so a late callback finds one. The pool may have begun
 * to wait with the old handle when it is told to stop; so the handle of a cancelled wait is closed
 * a while later, and a callback that comes for such a one gives the signal back where that is
 * possible.
 */
#include "platform/windows/armed.h"

#include "platform/windows/agenda.h"
#include "platform/windows/carry.h"
#include "platform/windows/direct_waiters.h"

enum { MOST = 1 << 18, CHUNK = 2 << 10, RETIRE_NS = 100000000 };

struct arm {
    PTP_WAIT wait;
    HANDLE handle;
    struct plat_context *worker; /* NULL: it was let go */
    uint8_t kind;                /* enum handle_kind */
    struct arm *next;            /* free, cancelled or retired */
    uint64_t retired;            /* when */
};

static struct arm *records, *free_records, *cancelled, *retired, **retired_end = &retired;
static uint32_t used, usable;

static struct arm *new_record(void)
{
    struct arm *arm = free_records;
    if (arm) {
        free_records = arm->next;
        return arm;
    }
    if (used == usable) {
        if (!records)
            records = plat_reserve(MOST * sizeof *records);
        if (!records || usable == MOST || !plat_commit(records + usable, CHUNK * sizeof *records))
            return NULL;
        usable += CHUNK;
    }
    return &records[used++];
}

static void let_go(struct arm *arm, NTSTATUS status)
{
    direct_over(arm->worker);
    carry_take(arm->worker, status);
    arm->worker->carry.next = NULL;
    arm->worker = NULL;
}

/* For a wait that was over: as if it had not been made. */
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
    plat_lock(&carry_lock);
    struct plat_context *worker = arm->wait == wait ? arm->worker : NULL;
    if (!worker) {
        plat_unlock(&carry_lock);
        if (result == WAIT_OBJECT_0)
            give_back(arm);
        return;
    }
    HANDLE handle = arm->handle;
    bool early = result == WAIT_TIMEOUT && !carry_expired(&worker->carry, plat_now());
    bool kick = false;
    arm->worker = NULL;
    if (!is_cancelled(arm)) {
        arm->next = free_records;
        free_records = arm;
    } else {
        early = false;
        handle = NULL; /* the service thread closes it */
    }
    if (early) {
        worker->carry.handle = handle;
        kick = agenda_queue(worker);
    } else {
        direct_over(worker);
        carry_take(worker, (NTSTATUS)result);
        worker->carry.next = NULL;
    }
    plat_unlock(&carry_lock);
    if (kick)
        agenda_kick();
    if (early)
        return;
    if (handle)
        ORIGINAL_OF(NtClose)(handle);
    carry_complete(worker);
}

void armed_arm(struct plat_context *worker)
{
    LARGE_INTEGER rest;
    plat_lock(&carry_lock);
    struct arm *arm = worker->carry.handle ? new_record() : NULL;
    plat_unlock(&carry_lock);
    if (arm && !arm->wait)
        arm->wait = CreateThreadpoolWait(satisfied, arm, NULL);
    LARGE_INTEGER *timeout = carry_rest(&worker->carry, &rest);
    plat_lock(&carry_lock);
    if (arm && arm->wait) {
        arm->handle = worker->carry.handle;
        arm->kind = worker->carry.kind;
        arm->worker = worker;
        worker->carry.arm = arm;
        atomic_store_explicit(&worker->carry.how, CARRY_ARMED, memory_order_relaxed);
        plat_unlock(&carry_lock);
        SetThreadpoolWait(arm->wait, arm->handle, (FILETIME *)(void *)timeout);
        return;
    }
    if (arm) {
        arm->next = free_records;
        free_records = arm;
    }
    plat_unlock(&carry_lock);
    /* No memory: the wait fails, which its caller may survive. */
    direct_over(worker);
    if (worker->carry.handle)
        ORIGINAL_OF(NtClose)(worker->carry.handle);
    worker->carry.status = CARRY_STATUS_NO_MEMORY;
    worker->carry.next = NULL;
    carry_complete(worker);
}

bool armed_cancel(struct plat_context *worker)
{
    struct arm *arm = worker->carry.arm;
    if (is_cancelled(arm))
        return false;
    arm->next = cancelled;
    cancelled = arm;
    return agenda_is_late_for(0);
}

void armed_disarm_cancelled(void)
{
    for (;;) {
        plat_lock(&carry_lock);
        struct arm *arm = cancelled;
        plat_unlock(&carry_lock);
        if (!arm)
            return;
        SetThreadpoolWait(arm->wait, NULL, NULL);
        WaitForThreadpoolWaitCallbacks(arm->wait, TRUE);
        plat_lock(&carry_lock);
        struct arm **link = &cancelled;
        while (*link != arm)
            link = &(*link)->next;
        *link = arm->next;
        struct plat_context *worker = arm->worker;
        PTP_WAIT wait = arm->wait;
        if (worker)
            let_go(arm, CARRY_STATUS_SUCCESS);
        arm->wait = NULL;
        arm->next = NULL;
        arm->retired = plat_now();
        *retired_end = arm;
        retired_end = &arm->next;
        plat_unlock(&carry_lock);
        CloseThreadpoolWait(wait);
        if (worker)
            carry_complete(worker);
    }
}

uint64_t armed_retire(uint64_t until)
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
