/* SPDX-License-Identifier: MIT
 *
 * notice.c - the notice that a thread should run, while all processors compute.
 *
 * A processor looks at the completion list between two threads, and an idle one waits for it. Where
 * all of them compute for long nobody looks. So a plain thread, the notifier, asks at each tick
 * whether any loop has looked since the last one. If none has it empties the list itself, onto
 * `news`, where the loops find it; and if a thread is there that has unblocked, it stops one of
 * those that compute (preempt.c): that processor's loop goes on with the one that unblocked. A
 * thread that arrives because it was stopped is no news, or two that compute would drive each other
 * out at every tick.
 *
 * A thread that is ready, wherever, and of a higher priority than one that runs, is news at every
 * tick. The notifier stops a processor that runs the lowest priority, and that one's loop goes on
 * with the highest.
 *
 * Between the two steps a processor may have become idle, and have found both places empty. It says
 * that it is idle before it looks; the notifier looks for idle ones after it has filled `news`. So
 * one sees the other.
 *
 * The tick rests while all processors are idle: `resting`, and whoever goes on with something ends
 * that.
 */
#include "package.h"

#include "processor_share.h"

enum { TICK_MS = 2 };

static HANDLE notifier;
static HANDLE wake;
static _Atomic int resting;
static volatile LONG stopping;

static unsigned long looks(void)
{
    unsigned long sum = 0;

    for (int i = 0; i < ft__package.count; i++)
        sum += atomic_load_explicit(&ft__package.processors[i].looks, memory_order_relaxed);
    return sum;
}

static BOOL one_waits_for_arrivals(void)
{
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];

        if (atomic_load(&processor->idle) && atomic_load(&processor->granted))
            return TRUE;
    }
    return FALSE;
}

/* Who runs the lowest priority; of equals each in turn, so that no thread is stopped each time. */
static struct processor *lowest(struct ft_thread **runs)
{
    static unsigned turn;
    struct processor *found = NULL;

    turn++;
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor =
            &ft__package.processors[(turn + (unsigned)i) % (unsigned)ft__package.count];
        struct ft_thread *thread = atomic_load(&processor->current);

        if (!thread || !atomic_load(&processor->granted) ||
            (found && ft__priority(thread) >= ft__priority(*runs)))
            continue;
        found = processor;
        *runs = thread;
    }
    return found;
}

/* Stops one for those that should run instead: nobody is idle, and of those waiting no loop has
 * looked. */
static void stop_one(const struct news *waiting)
{
    struct ft_thread *runs;
    struct processor *processor = lowest(&runs);
    int ready = ft__best_ready(NULL);

    if (!processor)
        return;
    if (waiting->stopped > ready)
        ready = waiting->stopped;
    if (waiting->unblocked > ready)
        ready = waiting->unblocked;
    if (ready > ft__priority(runs))
        atomic_fetch_add(&ft__package.raised, 1);
    else if (waiting->unblocked < ft__priority(runs))
        return;
    ft__stop_thread(processor, runs);
}

static void rest(void)
{
    atomic_store(&resting, 1);
    if (atomic_load(&ft__package.idle) >= ft__package.count && !stopping)
        WaitForSingleObject(wake, INFINITE);
    atomic_store(&resting, 0);
}

static DWORD WINAPI notifier_main(LPVOID param)
{
    static const struct news none = {-1, -1};
    struct news waiting = none; /* in the package's `news` */
    unsigned long seen = 0;

    UNREFERENCED_PARAMETER(param);
    while (!stopping) {
        unsigned long now;

        if (atomic_load(&ft__package.idle) >= ft__package.count)
            rest();
        WaitForSingleObject(wake, TICK_MS);
        now = looks();
        if (!atomic_load(&ft__package.news))
            waiting = none; /* taken: only this thread adds to it */
        if (one_waits_for_arrivals()) {
            seen = now;
            continue;
        }
        if (now == seen)
            ft__package.engine->news(&waiting);
        seen = now;
        if (waiting.unblocked >= 0 || waiting.stopped >= 0)
            ft__wake_one(); /* one that is idle by now, or the allocator hears that one is wanted */
        stop_one(looks() == seen ? &waiting : &none);
    }
    return 0;
}

DWORD ft__notice_open(void)
{
    InterlockedExchange(&stopping, FALSE);
    atomic_store(&resting, 0);
    wake = CreateEventA(NULL, FALSE, FALSE, NULL);
    notifier = wake ? CreateThread(NULL, 0, notifier_main, NULL, 0, NULL) : NULL;
    if (notifier)
        return 0;
    if (wake)
        CloseHandle(wake);
    return GetLastError();
}

void ft__notice_close(void)
{
    if (!notifier)
        return;
    InterlockedExchange(&stopping, TRUE);
    SetEvent(wake);
    WaitForSingleObject(notifier, INFINITE);
    CloseHandle(notifier);
    CloseHandle(wake);
    notifier = NULL;
}

void ft__notice_busy(void)
{
    if (atomic_load(&resting) && atomic_exchange(&resting, 0))
        SetEvent(wake);
}
