/* SPDX-License-Identifier: MIT
 *
 * crowd.c - a thousand that wait at once, in Sleep or each for an event of its own: what they cost
 * while they wait, what it takes to let them go and have them wait again, and how long it takes
 * until all have run.
 */
#include "windows/probes.h"

#include "rig.h"
#include "windows/watch.h"

#include <stdlib.h>

/* What the last one gets to fall asleep, after it said so; what is longer than any probe; and how
 * much too early a Sleep may end, which is a tick of the system's clock by its documentation. */
enum { SETTLE_MS = 100, FOR_EVER_MS = 3600000, TICK_MS = 16 };

static struct {
    unsigned count;
    unsigned window_ms;
    HANDLE *events; /* NULL: they sleep */
    HANDLE all_wait;
    HANDLE all_back;
    uint64_t length_ms;       /* of the sleep, from the first one's lying down */
    _Atomic uint64_t due_ns;  /* when the sleep is over */
    _Atomic uint64_t free_ns; /* when they were let go */
    _Atomic uint64_t last_ns;
    atomic_uint gathered;
    atomic_uint waiting;
    atomic_uint back;
} crowd;

static void sleep_until_due(void)
{
    uint64_t now = bench_now_ns(), none = 0, due;

    atomic_compare_exchange_strong(&crowd.due_ns, &none, now + crowd.length_ms * 1000000);
    due = atomic_load(&crowd.due_ns);
    if (now >= due)
        bench_no_time("the first was due before the last slept");
    if (atomic_fetch_add(&crowd.waiting, 1) + 1 == crowd.count)
        SetEvent(crowd.all_wait);
    Sleep((DWORD)((due - now) / 1000000) + 1);
    if (bench_now_ns() + TICK_MS * UINT64_C(1000000) < due)
        bench_fail("one woke before its time", 0);
}

static void wait_for_event(unsigned index)
{
    if (atomic_fetch_add(&crowd.waiting, 1) + 1 == crowd.count)
        SetEvent(crowd.all_wait);
    if (WaitForSingleObject(crowd.events[index], INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for an event", 0);
    if (!atomic_load(&crowd.free_ns))
        bench_fail("one woke before its event was set", 0);
}

static void wait_once(struct rig_worker *self)
{
    atomic_fetch_add(&crowd.gathered, 1);
    while (atomic_load(&crowd.gathered) < crowd.count)
        rig_give_way(self);
    if (crowd.events)
        wait_for_event(self->index);
    else
        sleep_until_due();
    if (atomic_fetch_add(&crowd.back, 1) + 1 == crowd.count) {
        atomic_store(&crowd.last_ns, bench_now_ns());
        SetEvent(crowd.all_back);
    }
    /* Nobody ends: what a thread that is gone has used is in no sum. */
    if (crowd.events)
        WaitForSingleObject(crowd.events[self->index], INFINITE);
    else
        Sleep(FOR_EVER_MS);
    bench_fail("one woke that nobody let go", 0);
}

static void await(HANDLE event)
{
    if (WaitForSingleObject(event, INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for the crowd", 0);
    Sleep(SETTLE_MS);
}

/* Also ends the probe: the crowd goes on waiting. */
static DWORD WINAPI observe(LPVOID unused)
{
    await(crowd.all_wait);
    watch_waiting(crowd.window_ms);
    if (atomic_load(&crowd.back) > 0 && crowd.events)
        bench_fail("one was back before it was let go", 0);
    if (atomic_load(&crowd.back) > 0)
        bench_no_time("one was back before all that is to be measured was");
    atomic_store(&crowd.free_ns, crowd.events ? bench_now_ns() : atomic_load(&crowd.due_ns));
    for (unsigned i = 0; crowd.events && i < crowd.count; i++)
        if (!SetEvent(crowd.events[i]))
            bench_fail("SetEvent", 0);
    await(crowd.all_back);
    bench_emit("back", crowd.last_ns > crowd.free_ns ? (double)(crowd.last_ns - crowd.free_ns) / 1e6
                                                     : 1e-6); /* all of them were a little early */
    watch_released(crowd.count);
    bench_end(0);
}

static void init(const struct bench_scale *scale, bool by_event)
{
    crowd.count = scale->crowd;
    crowd.window_ms = scale->window_ms;
    /* sleep_ms is for all of them to lie down. */
    crowd.length_ms =
        scale->sleep_ms * bench_patience + SETTLE_MS + watch_length_ms(crowd.window_ms) + SETTLE_MS;
    crowd.all_wait = CreateEventA(NULL, TRUE, FALSE, NULL);
    if (by_event) {
        crowd.events = calloc(crowd.count, sizeof(*crowd.events));
        if (!crowd.events)
            bench_fail("no memory for the crowd", 0);
    }
    for (unsigned i = 0; by_event && i < crowd.count; i++) {
        crowd.events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        if (!crowd.events[i])
            bench_fail("CreateEvent", 0);
    }
    crowd.all_back = CreateEventA(NULL, TRUE, FALSE, NULL);
    if (!crowd.all_wait || !crowd.all_back || !CreateThread(NULL, 0, observe, NULL, 0, NULL))
        bench_fail("no observer of the crowd", 0);
}

static void run(const struct bench_scale *scale, bool by_event)
{
    static struct rig rig;

    init(scale, by_event);
    rig_init(&rig, crowd.count);
    for (unsigned i = 0; i < crowd.count; i++)
        rig_add(&rig, wait_once, NULL);
    rig_run(&rig);
    bench_fail("the crowd left its scheduler", 0);
}

static void run_threads(const struct bench_scale *scale, bool by_event)
{
    init(scale, by_event);
    rig_run_threads(crowd.count, wait_once, NULL);
    bench_fail("the crowd ended", 0);
}

void probe_crowd_sleep(const struct bench_scale *scale)
{
    run(scale, false);
}

void probe_crowd_event(const struct bench_scale *scale)
{
    run(scale, true);
}

void probe_crowd_sleep_threads(const struct bench_scale *scale)
{
    run_threads(scale, false);
}

void probe_crowd_event_threads(const struct bench_scale *scale)
{
    run_threads(scale, true);
}
