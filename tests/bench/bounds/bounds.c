/* SPDX-License-Identifier: MIT
 *
 * bounds.c - how late answers come, over hours if need be: ums_bounds SECONDS.
 *
 * The main thread, a plain one, asks: it writes to a pipe, sets an event, suspends, sends a signal. Workers and plain
 * threads of the same process answer in turn, the same code for both, so that whatever else the machine does makes both
 * late alike. At the end there is a line for each kind of answer: the longest time of the half that was quickest, of 99 in
 * 100 and so on, and the longest of all. The last column has the longest without the time for which threads of this process
 * were able to run and had no processor (waited.h). All times are in microseconds.
 *
 *   pipe      a write, until the one that waits in read goes on
 *   upcall    a call to read that waits, until the scheduler's entry point; workers only
 *   event     SetEvent, until the one that waits for the event goes on
 *   sleep     Sleep(3), from its due time until its caller goes on
 *   dequeue   a time-out of 3 ms, from its due time: DequeueUmsCompletionListItems and sem_timedwait
 *   stand     SuspendThread, until one that computes stands
 *   suspend   SuspendThread, until it returns
 *   resume    ResumeThread, until the one that stood goes on
 *   signal    pthread_kill, until the handler runs in one that computes
 */
#define _GNU_SOURCE
#include "../bench.h"
#include "../rig.h"
#include "spread.h"
#include "waited.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP_MS = 3, LIMIT_SECONDS = 60, MOST_REST_US = 1500, RENEWED = 16 };

enum kind { PIPE, UPCALL, EVENT, SLEEP, DEQUEUE, STAND, SUSPEND, RESUME, SIGNAL, KINDS };

static const char *const names[KINDS] = {"pipe",  "upcall",  "event",  "sleep", "dequeue",
                                         "stand", "suspend", "resume", "signal"};

/* Those who answer: workers, or plain threads. */
struct crew {
    int pipe[2];
    HANDLE event, sleep, compute; /* auto-reset: set once for each answer */
    PUMS_COMPLETION_LIST list;    /* empty; of the workers' */
    sem_t done, never, ready;
    _Atomic uint64_t ended;    /* when the last answer came */
    _Atomic uint64_t blocking; /* when the reader was about to wait */
    _Atomic uint64_t stepped;  /* the last step of the one that computes */
    _Atomic uint64_t resumed;  /* when it is resumed; 0 once it has gone on */
    atomic_bool enough, over;
    HANDLE computer;
    pthread_t computer_thread;
    struct rig waits, computes; /* of the workers' */
    struct spread all[KINDS], own[KINDS];
};

static struct crew workers, threads, *signalled;

/* ---- Those who answer -------------------------------------------------------------------------------- */

static void answer(struct crew *crew, uint64_t late)
{
    atomic_store(&crew->ended, late);
    sem_post(&crew->done);
}

static void reads(struct crew *crew)
{
    char byte;

    for (;;) {
        atomic_store(&crew->blocking, bench_now_ns());
        if (read(crew->pipe[0], &byte, 1) != 1)
            bench_fail("read", errno);
        if (atomic_load(&crew->over))
            return;
        answer(crew, bench_now_ns());
    }
}

static void waits(struct crew *crew)
{
    while (WaitForSingleObject(crew->event, INFINITE) == WAIT_OBJECT_0 && !atomic_load(&crew->over))
        answer(crew, bench_now_ns());
}

static void sleeps(struct crew *crew)
{
    while (WaitForSingleObject(crew->sleep, INFINITE) == WAIT_OBJECT_0 &&
           !atomic_load(&crew->over)) {
        uint64_t due = bench_now_ns() + SLEEP_MS * UINT64_C(1000000);

        Sleep(SLEEP_MS);
        answer(crew, bench_now_ns() - due);
    }
}

static void computes(struct crew *crew)
{
    crew->computer_thread = pthread_self();
    if (!DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                         &crew->computer, 0, FALSE, DUPLICATE_SAME_ACCESS))
        bench_fail("DuplicateHandle", 0);
    sem_post(&crew->ready);
    while (WaitForSingleObject(crew->compute, INFINITE) == WAIT_OBJECT_0 &&
           !atomic_load(&crew->over)) {
        while (!atomic_load(&crew->enough)) {
            uint64_t now = bench_now_ns(), resumed = atomic_load(&crew->resumed);

            if (resumed && now > resumed) {
                atomic_store(&crew->resumed, 0);
                answer(crew, now);
            }
            atomic_store(&crew->stepped, now);
        }
        sem_post(&crew->done);
    }
}

static void (*const bodies[])(struct crew *crew) = {reads, waits, sleeps, computes};
enum { BODIES = sizeof(bodies) / sizeof(bodies[0]), COMPUTES = BODIES - 1 };

/* The one that computes has a scheduler of its own: the rest wait for no processor that it keeps. */
static void body(struct rig_worker *self)
{
    struct crew *crew = self->arg;

    bodies[self->rig == &crew->computes ? COMPUTES : self->index](crew);
}

static void *schedules(void *rig)
{
    rig_run(rig);
    return NULL;
}

static DWORD WINAPI plain(void *number)
{
    bodies[(size_t)number](&threads);
    return 0;
}

static void on_signal(int number)
{
    answer(signalled, bench_now_ns());
}

/* ---- Who asks ------------------------------------------------------------------------------------------ */

static uint64_t seed = 88172645463325252;

static void rest(void)
{
    usleep((useconds_t)(bench_random(&seed) % MOST_REST_US) + 1);
}

static void await(sem_t *semaphore, const char *what)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LIMIT_SECONDS;
    while (sem_timedwait(semaphore, &limit) != 0)
        if (errno != EINTR)
            bench_fail(what, errno);
}

static void note(struct crew *crew, enum kind kind, uint64_t ns, uint64_t waited)
{
    spread_add(&crew->all[kind], ns);
    spread_add(&crew->own[kind], ns > waited ? ns - waited : 0);
}

static void asks_reader(struct crew *crew)
{
    uint64_t waited = waited_ns(false), began = bench_now_ns(), blocking;

    if (write(crew->pipe[1], "x", 1) != 1)
        bench_fail("write", errno);
    await(&crew->done, "the answer of the one that reads");
    note(crew, PIPE, atomic_load(&crew->ended) - began, waited_ns(false) - waited);
    if (crew == &threads)
        return;
    waited = waited_ns(false);
    do
        rest();
    while ((blocking = atomic_load(&crew->blocking)) < began ||
           atomic_load(&crew->waits.last_blocked_ns) < blocking);
    note(crew, UPCALL, atomic_load(&crew->waits.last_blocked_ns) - blocking,
         waited_ns(false) - waited);
}

static void asks_waiter(struct crew *crew)
{
    uint64_t waited = waited_ns(false), began = bench_now_ns();

    SetEvent(crew->event);
    await(&crew->done, "the answer of the one that waits for an event");
    note(crew, EVENT, atomic_load(&crew->ended) - began, waited_ns(false) - waited);
}

static void asks_sleeper(struct crew *crew)
{
    uint64_t waited = waited_ns(false);

    SetEvent(crew->sleep);
    await(&crew->done, "the answer of the one that sleeps");
    note(crew, SLEEP, atomic_load(&crew->ended), waited_ns(false) - waited);
}

static void waits_itself(struct crew *crew)
{
    uint64_t waited = waited_ns(true), due = bench_now_ns() + SLEEP_MS * UINT64_C(1000000);
    PUMS_CONTEXT none = NULL;
    struct timespec limit;

    if (crew == &workers) {
        DequeueUmsCompletionListItems(crew->list, SLEEP_MS, &none);
        if (none)
            bench_fail("an empty list had something", 0);
    } else {
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_nsec += SLEEP_MS * 1000000;
        limit.tv_sec += limit.tv_nsec / 1000000000;
        limit.tv_nsec %= 1000000000;
        if (sem_timedwait(&crew->never, &limit) == 0)
            bench_fail("a semaphore that nobody raises was raised", 0);
    }
    note(crew, DEQUEUE, bench_now_ns() - due, waited_ns(true) - waited);
}

static void asks_computer(struct crew *crew)
{
    uint64_t waited, began, returned;

    atomic_store(&crew->enough, false);
    began = bench_now_ns();
    SetEvent(crew->compute);
    do
        rest();
    while (atomic_load(&crew->stepped) < began);

    waited = waited_ns(true);
    began = bench_now_ns();
    if (SuspendThread(crew->computer) != 0)
        bench_fail("SuspendThread", 0);
    returned = bench_now_ns();
    note(crew, SUSPEND, returned - began, waited_ns(true) - waited);
    do {
        returned = atomic_load(&crew->stepped);
        rest();
    } while (atomic_load(&crew->stepped) != returned);
    note(crew, STAND, returned > began ? returned - began : 0, waited_ns(true) - waited);

    waited = waited_ns(true);
    began = bench_now_ns();
    atomic_store(&crew->resumed, began);
    if (ResumeThread(crew->computer) != 1)
        bench_fail("ResumeThread", 0);
    await(&crew->done, "the one that was resumed");
    note(crew, RESUME, atomic_load(&crew->ended) - began, waited_ns(true) - waited);

    rest();
    signalled = crew;
    waited = waited_ns(true);
    began = bench_now_ns();
    if (pthread_kill(crew->computer_thread, SIGUSR1) != 0)
        bench_fail("pthread_kill", 0);
    await(&crew->done, "the handler");
    note(crew, SIGNAL, atomic_load(&crew->ended) - began, waited_ns(true) - waited);

    atomic_store(&crew->enough, true);
    await(&crew->done, "the end of what computes");
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void make(struct crew *crew)
{
    if (pipe(crew->pipe) != 0 || sem_init(&crew->done, 0, 0) != 0 ||
        sem_init(&crew->never, 0, 0) != 0 || sem_init(&crew->ready, 0, 0) != 0)
        bench_fail("a pipe and semaphores", errno);
    crew->event = CreateEventA(NULL, FALSE, FALSE, NULL);
    crew->sleep = CreateEventA(NULL, FALSE, FALSE, NULL);
    crew->compute = CreateEventA(NULL, FALSE, FALSE, NULL);
    if (!crew->event || !crew->sleep || !crew->compute)
        bench_fail("CreateEvent", 0);
}

static void dismiss(struct crew *crew)
{
    atomic_store(&crew->over, true);
    if (write(crew->pipe[1], "x", 1) != 1)
        bench_fail("write", errno);
    SetEvent(crew->event);
    SetEvent(crew->sleep);
    SetEvent(crew->compute);
}

static void tell(const struct crew *crew, const char *who)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const struct spread *all = &crew->all[kind];

        if (all->count)
            printf("%-8s %-8s %9lu %9.1f %9.1f %9.1f %9.1f %10.1f %10.1f\n", who, names[kind],
                   (unsigned long)all->count, (double)spread_at(all, 0.5) / 1e3,
                   (double)spread_at(all, 0.99) / 1e3, (double)spread_at(all, 0.999) / 1e3,
                   (double)spread_at(all, 0.9999) / 1e3, (double)all->most / 1e3,
                   (double)crew->own[kind].most / 1e3);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc == 2 ? strtod(argv[1], NULL) : 0;
    struct crew *crews[] = {&workers, &threads};
    pthread_t schedulers[2];
    HANDLE plains[BODIES];
    uint64_t end;

    if (!(seconds > 0)) {
        fprintf(stderr, "usage: %s SECONDS\n", argv[0]);
        return 2;
    }
    signal(SIGUSR1, on_signal);
    make(&workers);
    make(&threads);
    if (!CreateUmsCompletionList(&workers.list))
        bench_fail("CreateUmsCompletionList", 0);
    rig_init(&workers.waits, COMPUTES);
    rig_init(&workers.computes, 1);
    workers.waits.stamp_blocked = true;
    for (unsigned i = 0; i < COMPUTES; i++)
        rig_add(&workers.waits, body, &workers);
    rig_add(&workers.computes, body, &workers);
    if (pthread_create(&schedulers[0], NULL, schedules, &workers.waits) != 0 ||
        pthread_create(&schedulers[1], NULL, schedules, &workers.computes) != 0)
        bench_fail("pthread_create", 0);
    for (size_t i = 0; i < BODIES; i++)
        if (!(plains[i] = CreateThread(NULL, 0, plain, (void *)i, 0, NULL)))
            bench_fail("CreateThread", 0);
    await(&workers.ready, "the worker that computes");
    await(&threads.ready, "the thread that computes");

    end = bench_now_ns() + (uint64_t)(seconds * 1e9);
    for (uint64_t round = 0; round < 2 || bench_now_ns() < end; round++) {
        struct crew *crew = crews[round % 2];

        if (round % RENEWED == 0)
            waited_open(); /* the engine may have begun another thread */
        asks_reader(crew);
        rest();
        asks_waiter(crew);
        rest();
        asks_sleeper(crew);
        waits_itself(crew);
        asks_computer(crew);
    }
    dismiss(&workers);
    dismiss(&threads);
    pthread_join(schedulers[0], NULL);
    pthread_join(schedulers[1], NULL);
    for (size_t i = 0; i < BODIES; i++)
        if (WaitForSingleObject(plains[i], LIMIT_SECONDS * 1000) != WAIT_OBJECT_0)
            bench_fail("the end of a thread", 0);
    printf("%-8s %-8s %9s %9s %9s %9s %9s %10s %10s\n", "", "us", "answers", "half", "99 %",
           "99.9 %", "99.99 %", "all", "own time");
    tell(&workers, "worker");
    tell(&threads, "thread");
    return 0;
}
