/* SPDX-License-Identifier: MIT
 *
 * agenda.c - see agenda.h.
 */
#include "platform/windows/waits/agenda.h"

#include "platform/windows/waits/user_wait.h"

enum { TICK_NS = 1000000 };

static HANDLE wake_event;
/* A timer of high resolution: a time-out ends with the system's tick, which may be 15.6 ms away.
 * NULL: the system has no such timer (before Windows 10 1803). Only the service thread uses it. */
static HANDLE timer;
static uint64_t timer_due; /* the timer is set for this time; 0: it is not set, or has ended a
                            * sleep */
static struct plat_context *queue, **queue_end = &queue;
static uint64_t planned; /* when the service thread will look by itself; 0: it is awake, or was
                          * woken */
static uint64_t next_tick;
static _Atomic uint32_t ticks; /* each direct wait reads it; the service thread writes it once a
                                * millisecond */
static bool ticking;

bool agenda_open(void)
{
    enum { HIGH_RESOLUTION = 2 };
    if (!timer)
        timer =
            CreateWaitableTimerExW(NULL, NULL, HIGH_RESOLUTION, SYNCHRONIZE | TIMER_MODIFY_STATE);
    if (!wake_event)
        wake_event = CreateEventW(NULL, FALSE, FALSE, NULL);
    return wake_event != NULL;
}

void agenda_wake(void)
{
    ORIGINAL_OF(NtSetEvent)(wake_event, NULL);
}

bool agenda_is_late_for(uint64_t deadline)
{
    if (planned <= deadline)
        return false;
    planned = 0;
    return true;
}

bool agenda_queue(struct plat_context *worker)
{
    atomic_store_explicit(&worker->wait.how, WAIT_QUEUED, memory_order_relaxed);
    worker->wait.next = NULL;
    *queue_end = worker;
    queue_end = &worker->wait.next;
    return agenda_is_late_for(0);
}

void agenda_unqueue(struct plat_context *worker)
{
    struct plat_context **link = &queue;
    while (*link != worker)
        link = &(*link)->wait.next;
    *link = worker->wait.next;
    if (!*link)
        queue_end = link;
    ORIGINAL_OF(NtClose)(worker->wait.handle);
}

bool agenda_tick(void)
{
    bool ran = ticking;
    ticking = true;
    return !ran && agenda_is_late_for(0);
}

uint32_t agenda_ticks(void)
{
    return atomic_load_explicit(&ticks, memory_order_relaxed);
}

/* ---- The service thread ---------------------------------------------------------------------- */

void agenda_look(void)
{
    planned = 0;
}

struct plat_context *agenda_take_queued(void)
{
    struct plat_context *chain = queue;
    for (struct plat_context *worker = chain; worker; worker = worker->wait.next)
        atomic_store_explicit(&worker->wait.how, WAIT_TAKEN, memory_order_relaxed);
    queue = NULL;
    queue_end = &queue;
    return chain;
}

bool agenda_tick_is_over(uint32_t *tick)
{
    uint64_t now = ticking ? plat_now() : 0;
    if (!ticking || now < next_tick)
        return false;
    next_tick = now + TICK_NS;
    *tick = agenda_ticks() + 1;
    atomic_store_explicit(&ticks, *tick, memory_order_relaxed);
    return true;
}

void agenda_go_on_ticking(bool wanted)
{
    ticking = wanted;
}

uint64_t agenda_plan(uint64_t until, uint64_t now)
{
    if (ticking && next_tick < until)
        until = next_tick;
    if (queue || until <= now)
        until = 0;
    planned = until;
    return until;
}

static bool set_timer(uint64_t until, const LARGE_INTEGER *rest)
{
    if (!timer || (timer_due != until && !SetWaitableTimer(timer, rest, 0, NULL, NULL, FALSE)))
        return false;
    timer_due = until;
    return true;
}

void agenda_sleep(uint64_t until, uint64_t now)
{
    LARGE_INTEGER rest = {.QuadPart = -(LONGLONG)((until - now + 99) / 100)};
    HANDLE both[] = {wake_event, timer};
    if (until == PLAT_FOREVER)
        ORIGINAL(NtWaitForSingleObject)(wake_event, FALSE, NULL);
    else if (!set_timer(until, &rest))
        ORIGINAL(NtWaitForSingleObject)(wake_event, FALSE, &rest);
    else if (WaitForMultipleObjects(2, both, FALSE, INFINITE) != WAIT_OBJECT_0)
        timer_due = 0;
}
