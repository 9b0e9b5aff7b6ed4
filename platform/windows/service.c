/* SPDX-License-Identifier: MIT
 *
 * service.c - see service.h.
 */
#include "platform/windows/service.h"

#include "platform/windows/alert.h"
#include "platform/windows/armed.h"
#include "platform/windows/carry.h"
#include "platform/windows/deadlines.h"
#include "platform/windows/handoff.h"

enum { TICK_NS = 1000000, YOUNG_TICKS = 2, STACK_BYTES = 64 << 10 };

static HANDLE kicked;
static struct plat_context *queue, **queue_end = &queue;
static uint64_t planned; /* when it will look by itself; 0: it is awake, or was kicked */
static uint64_t next_tick;
static uint32_t ticks;
static bool ticking;

void service_kick(void)
{
    ORIGINAL_OF(NtSetEvent)(kicked, NULL);
}

bool service_is_late_for(uint64_t deadline)
{
    if (planned <= deadline)
        return false;
    planned = 0;
    return true;
}

bool service_queue(struct plat_context *worker)
{
    atomic_store_explicit(&worker->carry.how, CARRY_QUEUED, memory_order_relaxed);
    worker->carry.next = NULL;
    *queue_end = worker;
    queue_end = &worker->carry.next;
    return service_is_late_for(0);
}

void service_unqueue(struct plat_context *worker)
{
    struct plat_context **link = &queue;
    while (*link != worker)
        link = &(*link)->carry.next;
    *link = worker->carry.next;
    if (!*link)
        queue_end = link;
    ORIGINAL_OF(NtClose)(worker->carry.handle);
}

bool service_tick(struct plat_context *worker)
{
    worker->carry.tick = ticks;
    if (ticking)
        return false;
    ticking = true;
    return service_is_late_for(0);
}

/* ---- The thread
 * ------------------------------------------------------------------------------------ */

/* What its wait has come to when time is over: a signal that nobody of us has seen comes first. */
static bool time_is_over(struct plat_context *worker)
{
    switch (atomic_load_explicit(&worker->carry.how, memory_order_relaxed)) {
    case CARRY_DELAY:
        carry_take(worker, CARRY_STATUS_SUCCESS);
        return true;
    case CARRY_YOUNG:
        carry_take(worker, handoff_last_look(worker));
        return true;
    default: /* its alert may have come meanwhile: then that completes it */
        if (!alert_withdraw(worker))
            return false;
        carry_take(worker, CALL_STATUS_TIMEOUT);
        return true;
    }
}

/* Under the lock: a chain of those whose deadline has come. */
static struct plat_context *take_expired(void)
{
    struct plat_context *chain = NULL, *worker;
    uint64_t now = 0;
    while ((worker = deadlines_first()) != NULL) {
        if (worker->carry.deadline > now && worker->carry.deadline > (now = plat_now()))
            break;
        deadlines_remove(worker);
        if (!carry_expired(&worker->carry, now)) {
            deadlines_add(worker); /* there was room for it a moment ago */
            continue;
        }
        if (time_is_over(worker)) {
            worker->carry.next = chain;
            chain = worker;
        }
    }
    return chain;
}

static struct plat_context *take_queued(void)
{
    struct plat_context *chain = queue;
    for (struct plat_context *worker = chain; worker; worker = worker->carry.next)
        atomic_store_explicit(&worker->carry.how, CARRY_TAKEN, memory_order_relaxed);
    queue = NULL;
    queue_end = &queue;
    return chain;
}

/* Private objects are signalled by us; should somebody else do it he is noticed after a tick or
 * two. */
static void age_young(void)
{
    uint64_t now = ticking ? plat_now() : 0;
    if (!ticking || now < next_tick)
        return;
    next_tick = now + TICK_NS;
    ticks++;
    while (handoff_age_one(ticks - YOUNG_TICKS)) {
        plat_unlock(&carry_lock); /* each takes a system call: others want the lock, too */
        plat_lock(&carry_lock);
    }
    ticking = handoff_any();
}

static void sleep_until_wanted(void)
{
    LARGE_INTEGER rest;
    uint64_t until = PLAT_FOREVER, now = plat_now();
    plat_lock(&carry_lock);
    struct plat_context *first = deadlines_first();
    if (first)
        until = first->carry.deadline;
    if (ticking && next_tick < until)
        until = next_tick;
    until = armed_retire(until);
    if (queue || until <= now)
        until = 0;
    planned = until;
    plat_unlock(&carry_lock);
    if (!until)
        return;
    rest.QuadPart = until == PLAT_FOREVER ? INT64_MIN : -(LONGLONG)((until - now + 99) / 100);
    ORIGINAL(NtWaitForSingleObject)(kicked, FALSE, until == PLAT_FOREVER ? NULL : &rest);
}

static DWORD WINAPI serve(LPVOID unused)
{
    (void)unused;
    for (;;) {
        plat_lock(&carry_lock);
        planned = 0;
        struct plat_context *expired = take_expired();
        age_young();
        struct plat_context *to_arm = take_queued();
        plat_unlock(&carry_lock);
        carry_complete(expired);
        while (to_arm) {
            struct plat_context *worker = to_arm;
            to_arm = worker->carry.next;
            armed_arm(worker);
        }
        armed_disarm_cancelled();
        sleep_until_wanted();
    }
    return 0;
}

static bool start(void)
{
    if (!kicked)
        kicked = CreateEventW(NULL, FALSE, FALSE, NULL);
    HANDLE thread = kicked ? CreateThread(NULL, STACK_BYTES, serve, NULL,
                                          STACK_SIZE_PARAM_IS_A_RESERVATION, NULL)
                           : NULL;
    if (!thread)
        return false;
    SetThreadPriority(thread, THREAD_PRIORITY_ABOVE_NORMAL);
    CloseHandle(thread);
    return true;
}

bool service_start(void)
{
    static struct plat_lock lock;
    static _Atomic bool started;
    if (UMS_LIKELY(atomic_load_explicit(&started, memory_order_acquire)))
        return true;
    plat_lock(&lock);
    if (!started)
        atomic_store_explicit(&started, start(), memory_order_release);
    plat_unlock(&lock);
    return started;
}
