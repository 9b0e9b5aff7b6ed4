/* SPDX-License-Identifier: MIT
 *
 * direct_waiters.c - see direct_waiters.h.
 */
#include "platform/windows/waits/direct_waiters.h"

#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/user_wait.h"

static LARGE_INTEGER no_time;

bool direct_add(struct plat_context *worker)
{
    struct handle_info *info = worker->wait.info;
    worker->wait.next = NULL;
    if (info->last)
        info->last->wait.next = worker;
    else
        info->first = worker;
    info->last = worker;
    atomic_store_explicit(&worker->wait.how, WAIT_DIRECT, memory_order_relaxed);
    atomic_fetch_add(&info->direct, 1);
    if (handle_kind(info) == worker->wait.kind &&
        (atomic_load(&info->word) ^ worker->wait.seen) < INFO_SIGNAL)
        return true;
    direct_remove(worker);
    return false;
}

void direct_remove(struct plat_context *worker)
{
    struct handle_info *info = worker->wait.info;
    struct plat_context **link = &info->first, *before = NULL;
    while (*link != worker) {
        before = *link;
        link = &before->wait.next;
    }
    *link = worker->wait.next;
    if (info->last == worker)
        info->last = before;
    worker->wait.next = NULL;
    /* A thread that sees the lower number late misses no waiter, so no locked instruction is
     * needed. */
    uint32_t left = atomic_load_explicit(&info->direct, memory_order_relaxed) - 1;
    atomic_store_explicit(&info->direct, left, memory_order_relaxed);
}

static struct plat_context *take_first(struct handle_info *info)
{
    struct plat_context *worker = info->first;
    if (worker) {
        direct_remove(worker);
        user_wait_take(worker, WAIT_STATUS_SUCCESS);
    }
    return worker;
}

struct plat_context *direct_take_some(struct handle_info *info, uint32_t count)
{
    struct plat_context *chain = NULL, **end = &chain;
    while (count-- && (*end = take_first(info)) != NULL)
        end = &(*end)->wait.next;
    return chain;
}

NTSTATUS direct_try(HANDLE handle)
{
    return ORIGINAL(NtWaitForSingleObject)(handle, FALSE, &no_time);
}

/* The worker's record, locked, if it waits directly; else NULL. Until we have the lock another
 * thread may complete the worker, and it may wait for another object. */
static struct handle_info *lock_record_of(struct plat_context *worker)
{
    while (atomic_load_explicit(&worker->wait.how, memory_order_acquire) == WAIT_DIRECT) {
        struct handle_info *info = __atomic_load_n(&worker->wait.info, __ATOMIC_RELAXED);
        if (!info)
            continue;
        plat_lock(&info->lock);
        if (atomic_load_explicit(&worker->wait.how, memory_order_relaxed) == WAIT_DIRECT &&
            worker->wait.info == info)
            return info;
        plat_unlock(&info->lock);
    }
    return NULL;
}

bool direct_withdraw(struct plat_context *worker, NTSTATUS (*status)(struct plat_context *worker))
{
    struct handle_info *info = lock_record_of(worker);
    if (!info)
        return false;
    direct_remove(worker);
    user_wait_take(worker, status ? status(worker) : WAIT_STATUS_SUCCESS);
    plat_unlock(&info->lock);
    return true;
}

NTSTATUS direct_last_look(struct plat_context *worker)
{
    return direct_try(worker->wait.handle);
}

bool direct_to_pool(struct plat_context *worker)
{
    direct_remove(worker);
    deadlines_remove(worker);
    worker->wait.handle = handle_duplicate(worker->wait.handle);
    if (worker->wait.kind == HANDLE_MANUAL)
        atomic_fetch_add(&worker->wait.info->armed, 1);
    return agenda_queue(worker);
}

void direct_give_up(struct plat_context *worker, uint32_t tick)
{
    plat_lock(&wait_lock);
    struct handle_info *info = lock_record_of(worker);
    if (info &&
        (int32_t)(tick - atomic_load_explicit(&worker->wait.tick, memory_order_relaxed)) >= 0)
        direct_to_pool(worker); /* no agenda_wake: the caller is the service thread */
    if (info)
        plat_unlock(&info->lock);
    plat_unlock(&wait_lock);
}

void direct_complete(struct plat_context *chain)
{
    for (struct plat_context *worker = chain; worker; worker = worker->wait.next) {
        if (worker->wait.deadline == PLAT_FOREVER)
            continue;
        plat_lock(&wait_lock);
        deadlines_remove(worker);
        plat_unlock(&wait_lock);
    }
    user_wait_complete(chain);
}

struct plat_context *direct_settle(struct handle_info *info, HANDLE handle)
{
    struct plat_context *chain = NULL, **end = &chain;
    while (info->first && direct_try(handle) == WAIT_STATUS_SUCCESS) {
        *end = take_first(info);
        end = &(*end)->wait.next;
    }
    return chain;
}
