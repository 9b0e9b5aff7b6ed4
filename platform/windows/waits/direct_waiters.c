/* SPDX-License-Identifier: MIT
 *
 * direct_waiters.c - see direct_waiters.h.
 */
#include "platform/windows/waits/direct_waiters.h"

#include "platform/windows/waits/agenda.h"
#include "platform/windows/waits/deadlines.h"
#include "platform/windows/waits/user_wait.h"

static struct plat_context *oldest, *youngest; /* of all direct waiters */
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
    worker->wait.older = youngest;
    worker->wait.younger = NULL;
    if (youngest)
        youngest->wait.younger = worker;
    else
        oldest = worker;
    youngest = worker;
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
    *(worker->wait.older ? &worker->wait.older->wait.younger : &oldest) = worker->wait.younger;
    *(worker->wait.younger ? &worker->wait.younger->wait.older : &youngest) = worker->wait.older;
    worker->wait.next = NULL;
    atomic_fetch_sub(&info->direct, 1);
}

static struct plat_context *take_first(struct handle_info *info)
{
    struct plat_context *worker = info->first;
    if (worker) {
        direct_remove(worker);
        deadlines_remove(worker);
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

NTSTATUS direct_last_look(struct plat_context *worker)
{
    direct_remove(worker);
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

bool direct_age_one(uint32_t tick)
{
    if (!oldest || (int32_t)(tick - oldest->wait.tick) < 0)
        return false;
    direct_to_pool(oldest); /* no wake-up: the caller is the service thread */
    return true;
}

bool direct_any(void)
{
    return oldest != NULL;
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
