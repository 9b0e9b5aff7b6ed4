/* SPDX-License-Identifier: MIT
 *
 * event.c - completion lists' events: a word that is set and used up in user mode, and an event of
 * the system's for a thread that has to sleep.
 *
 * Each arrival on an empty list sets the event, and most schedulers look at their list before they
 * wait: so the system is told only when somebody sleeps, or when the program has a handle of its
 * event (plat_event_handle) and may wait on that at any time. From then on the system's event is
 * all there is.
 *
 * The word: bit 0 is "set", the rest counts sleepers. Who sets it and finds it unset with sleepers
 * wakes one. A sleeper has counted himself before he looks for the last time, so one of the two
 * sees the other. Each sleeper tries to use up the bit whatever has woken him, and sleeps again if
 * there is none.
 */
#include "platform/windows/engine.h"

enum { SET = 1, SLEEPER = 2, MOST = 1 << 16, CHUNK = 1 << 10 };

/* Stays an event for good: one that is set late is at worst another list's, for once. */
struct plat_event {
    _Atomic uint32_t word;
    _Atomic bool shared; /* there is a handle of the program's */
    HANDLE handle;
    struct plat_event *next; /* while it is free */
};

static struct plat_lock lock;
static struct plat_event *events, *free_events;
static uint32_t used, usable;

static struct plat_event *new_event(void)
{
    struct plat_event *event = free_events;
    if (event) {
        free_events = event->next;
        return event;
    }
    if (used == usable) {
        if (!events)
            events = plat_reserve(MOST * sizeof *events);
        if (!events || usable == MOST || !plat_commit(events + usable, CHUNK * sizeof *events))
            return NULL;
        usable += CHUNK;
    }
    return &events[used++];
}

static void free_event(struct plat_event *event)
{
    plat_lock(&lock);
    event->next = free_events;
    free_events = event;
    plat_unlock(&lock);
}

int plat_event_create(struct plat_event **result)
{
    plat_lock(&lock);
    struct plat_event *event = new_event();
    plat_unlock(&lock);
    *result = event;
    if (!event)
        return ERROR_NOT_ENOUGH_MEMORY;
    if (!event->handle)
        event->handle = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (!event->handle) {
        free_event(event);
        *result = NULL;
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    atomic_store(&event->word, 0);
    return 0;
}

void plat_event_release(struct plat_event *event)
{
    /* The program's handles are of an event that nobody sets any more. */
    if (atomic_load(&event->shared)) {
        HANDLE handle = event->handle;
        event->handle = NULL;
        atomic_store(&event->shared, false);
        CloseHandle(handle);
    }
    free_event(event);
}

/* The bit goes to the system's event. */
static void pass_on(struct plat_event *event)
{
    if (atomic_fetch_and(&event->word, ~(uint32_t)SET) & SET)
        SetEvent(event->handle);
}

void plat_event_set(struct plat_event *event)
{
    uint32_t was = atomic_fetch_or(&event->word, SET);
    if (UMS_UNLIKELY(atomic_load(&event->shared)))
        pass_on(event);
    else if (UMS_UNLIKELY(was >= SLEEPER && !(was & SET)))
        SetEvent(event->handle);
}

static bool use_up(struct plat_event *event)
{
    return atomic_load_explicit(&event->word, memory_order_relaxed) & SET &&
           atomic_fetch_and(&event->word, ~(uint32_t)SET) & SET;
}

/* Until the system's event is set, or time is over: then false. */
static bool sleep(struct plat_event *event, uint64_t deadline)
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

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    if (use_up(event))
        return true;
    bool woken = true, done = false;
    atomic_fetch_add(&event->word, SLEEPER);
    while (!(done = use_up(event)) && woken) {
        woken = sleep(event, deadline);
        if (woken && atomic_load(&event->shared)) {
            done = true;
            break;
        }
    }
    atomic_fetch_sub(&event->word, SLEEPER);
    return done;
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    HANDLE process = GetCurrentProcess();
    if (!DuplicateHandle(process, event->handle, process, handle, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return (int)GetLastError();
    if (!atomic_exchange(&event->shared, true))
        pass_on(event);
    return 0;
}
