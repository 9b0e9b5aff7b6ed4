/* SPDX-License-Identifier: MIT
 *
 * event.c - completion lists' events: a word that is set and used up in user mode, and an alert or
 * an event of the system's for a thread that has to sleep.
 *
 * Each arrival on an empty list sets the event, and most schedulers look at their list before they
 * wait: so the system is told only when somebody sleeps, or when the program has a handle of its
 * event (plat_event_handle) and may wait on that at any time. From then on the system's event is
 * all there is.
 *
 * The word, from its low end: "set"; "shared", there is a handle of the program's; "released"; how
 * many sleep; how many are about to set the system's event (callers); the event's life, which goes
 * up with each release. A thread that sets the word and finds it unset with sleepers wakes one. A
 * sleeper has counted himself before he looks for the last time, so one of the two sees the other.
 * Each sleeper tries to use up the bit whatever has woken him, and sleeps again if there is none.
 *
 * The thread that sets an event may hold no reference to its list any more: the event may be
 * released meanwhile, and be another list's. One exchange finds the life that was meant, and sets
 * the bit, or counts a caller. A released event becomes free once it has no callers, and so the
 * system's event is never set for a life that is over. Its last caller may be on the way from a
 * block to the entry point, where nothing is freed: he leaves it to the next thread that makes or
 * releases an event.
 *
 * One sleeper, mostly the only one, waits for his thread's alert, which costs less than an event:
 * no handle is looked up, and under Wine its server is not asked. `alerted` names him from before
 * his last look until he is up. Others wait for the event, and so does everybody who finds the
 * event shared. The thread that sets the word wakes in each of these ways that may have a sleeper;
 * an alert that comes late is a wake-up without reason, which every wait by alert expects.
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

/* Stays an event for good. A line of its own, for each arrival may write it. */
struct plat_event {
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint32_t alerted; /* the thread that sleeps by alert, 0: none */
    HANDLE handle;
    struct plat_event *next; /* while it is free, or done with */
};

static struct plat_lock lock;
static struct growing events = {.size = sizeof(struct plat_event), .most = MOST, .chunk = CHUNK};
static struct plat_event *free_events;
static uint32_t used;
static _Atomic(struct plat_event *) done_with; /* released; their last callers are gone */

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
    /* The program's handles are of an event that nobody sets any more. */
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

/* The system's event of one that was free: a thread that gave up its wait may have left it set. */
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

/* Nobody sleeps: each sleeper has a reference to the list. */
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

/* False: nobody sleeps so. */
static bool wake_alerted(struct plat_event *event)
{
    uint32_t id = atomic_load(&event->alerted);
    if (id)
        alert_raw_wake(id);
    return id != 0;
}

/* The caller has counted itself among the event's callers. `word` was read before that: more
 * threads than the one that is alerted may have to look. */
static __attribute__((noinline)) void wake(struct plat_event *event, uint64_t word)
{
    if (word & SHARED || !wake_alerted(event) || SLEEPERS(word) > 1)
        SetEvent(event->handle);
    caller_done(event);
}

void plat_event_set(struct plat_event *event, uint64_t life)
{
    /* The caller has made a locked instruction before this load. So a thread that uses the bit up
     * later sees what the caller has done before. The bit is often set already: a scheduler that
     * finds contexts on its list does not wait, and leaves the bit as it is. */
    uint64_t word = atomic_load(&event->word), next;
    if (word & SET)
        return;
    plat_written(&event->word);
    do {
        if (word & SET || word / LIFE != life)
            return;
        /* The caller wakes if the program has a handle, for then the system's event replaces the
         * bit, or if a thread may sleep. */
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

/* Until the system's event is set, or time is over: then false. */
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
        /* The system's timer may be a little ahead of the clock. */
        if (result != WAIT_TIMEOUT || milliseconds == 0)
            return false;
    }
}

/* A worker's alert is not its thread's, and its waits are the engine's affair. */
static bool may_sleep_by_alert(struct plat_event *event)
{
    const struct plat_context *self = plat_current();
    uint32_t none = 0;
    return engine_in_place && (!self || self->is_scheduler) &&
           atomic_compare_exchange_strong(&event->alerted, &none, GetCurrentThreadId());
}

/* As plat_event_wait; *goes_on: it did not wait to the end, the rest is the system's event's. */
static bool wait_by_alert(struct plat_event *event, uint64_t deadline, bool *goes_on)
{
    struct plat_context *self = plat_current();
    bool done, slept = false;
    while (!(done = use_up(event)) && !(*goes_on = shared(event))) {
        uint64_t now = deadline == PLAT_FOREVER ? 0 : plat_now();
        if (now >= deadline)
            break;
        if (self && !slept) /* a scheduler; hooks see the other waits */
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
        wake_alerted(event); /* he goes over to the system's event */
    return 0;
}
