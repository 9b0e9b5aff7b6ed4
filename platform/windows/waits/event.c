/* SPDX-License-Identifier: MIT
 *
 * event.c - the events of completion lists. A word is set and used up in user mode. A thread that
 * has to sleep does so by an alert or by an event of the system's.
 *
 * Each arrival on an empty list sets the event, and most schedulers look at their list before they
 * wait. So the system is told only if a thread sleeps, or if the program has a handle of the event
 * (plat_event_handle), on which it may wait at any time. Once it has one, only the system's event
 * counts.
 *
 * The word, from its low end: "set"; "shared" (the program has a handle); "released"; how many
 * threads sleep; how many are about to set the system's event (callers); the event's life, which
 * goes up with each release. A thread that sets the word and finds sleepers wakes one. A sleeper
 * counts itself before it looks for the last time, so one of the two sees the other. Each sleeper
 * that wakes up tries to use up the bit, and sleeps again if it is not set.
 *
 * The thread that sets an event may hold no reference to its list any more. So the event may be
 * released meanwhile, and belong to another list. One exchange compares the life, and sets the bit
 * or counts a caller. A released event becomes free once it has no callers, so the system's event
 * is never set for a life that is over. The last caller may be on the way from a block to the entry
 * point, where it may free nothing. It leaves the event to the next thread that makes or releases
 * one.
 *
 * One sleeper, mostly the only one, waits for its thread's alert. That costs less than an event:
 * the system looks up no handle, and Wine need not ask its server. `alerted` names that thread from
 * before its last look until it is awake. All other sleepers wait for the system's event, as do all
 * that find the event shared. The thread that sets the word wakes in both ways if both may have
 * sleepers. An alert that comes late is a wake-up without reason, which all waits by alert expect.
 */
#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/alert_raw.h"
#include "platform/windows/waits/growing.h"

enum { MOST = 1 << 16, CHUNK = 1 << 10 };

#define SET UINT64_C(1)
#define SHARED UINT64_C(2)
#define RELEASED UINT64_C(4)
#define SLEEPER (UINT64_C(1) << 3) /* 17 bits */
#define CALLER (UINT64_C(1) << 20) /* 17 bits */
#define LIFE (UINT64_C(1) << 37)   /* the rest */
#define SLEEPERS(word) (((word) & (CALLER - 1)) / SLEEPER)
#define CALLERS(word) (((word) & (LIFE - 1)) / CALLER)

/* Its memory stays an event for good. It has a cache line of its own, since each arrival may write
 * it. */
struct plat_event {
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint32_t alerted; /* the thread that sleeps by alert, 0: none */
    HANDLE handle;
    struct plat_event *next; /* while it is free, or done_with */
};

static struct plat_lock lock;
static struct growing events = {.size = sizeof(struct plat_event), .most = MOST, .chunk = CHUNK};
static struct plat_event *free_events;
static uint32_t used;
static _Atomic(struct plat_event *) done_with; /* released events whose last callers are gone */

static struct plat_event *new_event(void)
{
    struct plat_event *event = free_events;
    if (event) {
        free_events = event->next;
        return event;
    }
    return growing_reaches(&events, used) ? (struct plat_event *)events.start + used++ : NULL;
}

/* No thread uses it any more. */
static void free_event(struct plat_event *event)
{
    /* The program keeps handles of the system's event, so this one needs another. */
    if (atomic_load(&event->word) & SHARED) {
        CloseHandle(event->handle);
        event->handle = NULL;
    }
    plat_lock(&lock);
    event->next = free_events;
    free_events = event;
    plat_unlock(&lock);
}

static void free_those_done_with(void)
{
    struct plat_event *event = atomic_exchange(&done_with, NULL);
    while (event) {
        struct plat_event *next = event->next;
        free_event(event);
        event = next;
    }
}

/* Makes sure of the system's event. It may be set still, by a wait that was given up. */
static bool has_event(struct plat_event *event)
{
    if (event->handle)
        return ResetEvent(event->handle);
    event->handle = CreateEventW(NULL, FALSE, FALSE, NULL);
    return event->handle != NULL;
}

int plat_event_create(struct plat_event **result, uint64_t *life)
{
    free_those_done_with();
    plat_lock(&lock);
    struct plat_event *event = new_event();
    plat_unlock(&lock);
    *result = NULL;
    if (!event)
        return ERROR_NOT_ENOUGH_MEMORY;
    uint64_t word = atomic_load(&event->word) / LIFE * LIFE;
    atomic_store(&event->word, word);
    if (!has_event(event)) {
        free_event(event);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    *result = event;
    *life = word / LIFE;
    return 0;
}

/* No thread sleeps on it: each sleeper has a reference to the list. */
void plat_event_release(struct plat_event *event)
{
    uint64_t word = atomic_load(&event->word);
    while (!atomic_compare_exchange_weak(&event->word, &word, ((word & ~SET) | RELEASED) + LIFE))
        continue;
    if (!CALLERS(word))
        free_event(event);
    free_those_done_with();
}

static void caller_done(struct plat_event *event)
{
    uint64_t was = atomic_fetch_sub(&event->word, CALLER);
    if (!(was & RELEASED) || CALLERS(was) > 1)
        return;
    event->next = atomic_load(&done_with);
    while (!atomic_compare_exchange_weak(&done_with, &event->next, event))
        continue;
}

/* False: no thread sleeps by alert. */
static bool wake_alerted(struct plat_event *event)
{
    uint32_t id = atomic_load(&event->alerted);
    if (id)
        alert_raw_wake(id);
    return id != 0;
}

/* The caller has counted itself among the event's callers. `word` was read before that. If it has
 * several sleepers, the system's event is set, too. */
static __attribute__((noinline)) void wake(struct plat_event *event, uint64_t word)
{
    if (word & SHARED || !wake_alerted(event) || SLEEPERS(word) > 1)
        SetEvent(event->handle);
    caller_done(event);
}

void plat_event_set(struct plat_event *event, uint64_t life)
{
    /* The caller has executed a locked instruction before this load. So a thread that uses the bit
     * up later sees what the caller has done before. The bit is often set already: a scheduler that
     * finds contexts on its list does not wait, and leaves the bit as it is. */
    uint64_t word = atomic_load(&event->word), next;
    if (word & SET)
        return;
    plat_written(&event->word);
    do {
        if (word & SET || word / LIFE != life)
            return;
        /* Counts as a caller if a thread may sleep, or if the program has a handle: then the
         * system's event replaces the bit. */
        next = (word & SHARED ? word : word | SET) + (word & SHARED || SLEEPERS(word) ? CALLER : 0);
    } while (!atomic_compare_exchange_weak(&event->word, &word, next));
    if (UMS_UNLIKELY(CALLERS(next) != CALLERS(word)))
        wake(event, word);
}

static bool use_up(struct plat_event *event)
{
    plat_written(&event->word);
    return atomic_load_explicit(&event->word, memory_order_relaxed) & SET &&
           atomic_fetch_and(&event->word, ~SET) & SET;
}

static bool shared(struct plat_event *event)
{
    return atomic_load(&event->word) & SHARED;
}

/* Sleeps until the system's event is set. False: time is over. */
static bool sleep_by_event(struct plat_event *event, uint64_t deadline)
{
    for (;;) {
        DWORD milliseconds = INFINITE;
        uint64_t now = 0;
        if (deadline != PLAT_FOREVER) {
            now = plat_now();
            uint64_t left = now < deadline ? (deadline - now + 999999) / 1000000 : 0;
            milliseconds = left < INFINITE - 1 ? (DWORD)left : INFINITE - 1;
        }
        DWORD result = WaitForSingleObject(event->handle, milliseconds);
        if (result == WAIT_OBJECT_0)
            return true;
        /* A time-out may come a little before the deadline: the loop waits for the rest. */
        if (result != WAIT_TIMEOUT || milliseconds == 0)
            return false;
    }
}

/* A worker may not: it does not use its thread's alert, and its waits go through the hooks. */
static bool may_sleep_by_alert(struct plat_event *event)
{
    const struct plat_context *self = plat_current();
    uint32_t none = 0;
    return engine_in_place && (!self || self->is_scheduler) &&
           atomic_compare_exchange_strong(&event->alerted, &none, GetCurrentThreadId());
}

/* As plat_event_wait; *goes_on: the event became shared, so the caller waits on by the system's
 * event. */
static bool wait_by_alert(struct plat_event *event, uint64_t deadline, bool *goes_on)
{
    struct plat_context *self = plat_current();
    bool done, slept = false;
    while (!(done = use_up(event)) && !(*goes_on = shared(event))) {
        uint64_t now = deadline == PLAT_FOREVER ? 0 : plat_now();
        if (now >= deadline)
            break;
        if (self && !slept) /* a scheduler; the hooks record its other waits */
            trace(self, TRACE_SLEEP, self, 0, 0, 0);
        slept = true;
        alert_raw_wait(deadline == PLAT_FOREVER ? 0 : (deadline - now + 99) / 100);
    }
    atomic_store(&event->alerted, 0);
    if (self && slept)
        trace(self, TRACE_WAKE, self, 0, 0, 0);
    return done;
}

static bool wait_by_event(struct plat_event *event, uint64_t deadline)
{
    bool woken = true, done = false;
    while (!(done = use_up(event)) && woken) {
        woken = sleep_by_event(event, deadline);
        if (woken && shared(event))
            return true;
    }
    return done;
}

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    if (use_up(event))
        return true;
    bool done = false, goes_on = true;
    atomic_fetch_add(&event->word, SLEEPER);
    if (may_sleep_by_alert(event)) {
        goes_on = false;
        done = wait_by_alert(event, deadline, &goes_on);
    }
    if (!done && goes_on)
        done = wait_by_event(event, deadline);
    atomic_fetch_sub(&event->word, SLEEPER);
    return done;
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    HANDLE process = GetCurrentProcess();
    if (!DuplicateHandle(process, event->handle, process, handle, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return (int)GetLastError();
    uint64_t word = atomic_load(&event->word);
    while (!atomic_compare_exchange_weak(&event->word, &word, (word | SHARED) & ~SET))
        continue;
    if (word & SET)
        SetEvent(event->handle);
    if (!(word & SHARED))
        wake_alerted(event); /* that thread waits on by the system's event */
    return 0;
}
