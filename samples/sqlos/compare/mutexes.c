/* SPDX-License-Identifier: MIT
 *
 * mutexes.c - sqlos_mutexes: what the unfair mutex pair and the fair mutex let through.
 *
 * The same tasks contend for the one and for the other in turn, more of them with each line. Each
 * holds the mutex for about a microsecond, works two without it, and asks for a yield as it should.
 * Prints a table for mutexes.gp, and a verdict on what is no matter of speed: who held it was
 * alone, and everything is counted.
 */
#include "sqlos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 32, LIMIT_MS = 20000, HOLD_NS = 1000, WORK_NS = 2000 };
enum { FAIR, UNFAIR, KINDS };

typedef struct RUN {
    double perSecond, longestMs;
} RUN;

typedef struct CONTENDER {
    LONGLONG taken, longest;
} CONTENDER;

static SOS_FAIR_MUTEX s_fair;
static SOS_UNFAIR_MUTEX_PAIR s_pair;
static CONTENDER s_contenders[MOST_TASKS];
static volatile LONG s_over, s_inside, s_broken;
static int s_kind;
static LONGLONG s_total; /* plain: the mutex is its guard */
static LONGLONG s_loopsPerMs;

static LONGLONG Ticks(VOID)
{
    LARGE_INTEGER now;

    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

static LONGLONG TicksPerSecond(VOID)
{
    LARGE_INTEGER frequency;

    QueryPerformanceFrequency(&frequency);
    return frequency.QuadPart;
}

static VOID Loop(LONGLONG rounds)
{
    volatile LONGLONG left = rounds;

    while (left > 0)
        left--;
}

/* Work is counted in loops, not in time: a task that is switched away has not worked meanwhile. */
static VOID Calibrate(VOID)
{
    enum { ROUNDS = 200000, TRIES = 20 };
    LONGLONG best = 0;
    int i;

    for (i = 0; i < TRIES; i++) {
        LONGLONG begin = Ticks(), took;

        Loop(ROUNDS);
        took = Ticks() - begin;
        if (took > 0 && (!best || took < best))
            best = took;
    }
    s_loopsPerMs = best ? ROUNDS * TicksPerSecond() / 1000 / best : ROUNDS;
}

static VOID Work(int nanoseconds)
{
    Loop(s_loopsPerMs * nanoseconds / 1000000);
}

static DWORD Contend(PVOID argument)
{
    CONTENDER *self = (CONTENDER *)argument;

    /* Once at least: on a busy machine the time may be over before a task runs. */
    do {
        LONGLONG begin = Ticks(), waited;

        if (s_kind == FAIR)
            SosFairAcquire(&s_fair);
        else
            SosPairAcquire(&s_pair, SOS_PAIR_BOTH);
        waited = Ticks() - begin;
        if (waited > self->longest)
            self->longest = waited;
        if (InterlockedIncrement(&s_inside) != 1)
            InterlockedIncrement(&s_broken);
        s_total++;
        self->taken++;
        Work(HOLD_NS);
        InterlockedDecrement(&s_inside);
        if (s_kind == FAIR)
            SosFairRelease(&s_fair);
        else
            SosPairRelease(&s_pair, SOS_PAIR_BOTH);
        Work(WORK_NS);
    } while (!s_over && SosYieldCheck() == SOS_OK);
    return 0;
}

/* FALSE: something that must hold did not. */
static BOOL Measure(int kind, int tasks, DWORD milliseconds, RUN *run)
{
    SOS_TASK *submitted[MOST_TASKS] = {NULL};
    LONGLONG begin, taken = 0, longest = 0;
    BOOL good = TRUE;
    int i;

    s_kind = kind;
    s_over = s_inside = s_broken = 0;
    s_total = 0;
    SosFairInit(&s_fair);
    SosPairInit(&s_pair);
    begin = Ticks();
    for (i = 0; i < tasks; i++) {
        ZeroMemory(&s_contenders[i], sizeof(s_contenders[i]));
        submitted[i] = SosSubmit(i % SosSchedulerCount(), Contend, &s_contenders[i]);
    }
    Sleep(milliseconds);
    s_over = TRUE;
    for (i = 0; i < tasks; i++) {
        if (!submitted[i] || SosTaskWait(submitted[i], LIMIT_MS, NULL) != SOS_OK)
            return FALSE;
        SosTaskRelease(submitted[i]);
        taken += s_contenders[i].taken;
        if (s_contenders[i].longest > longest)
            longest = s_contenders[i].longest;
    }
    run->perSecond = (double)taken * (double)TicksPerSecond() / (double)(Ticks() - begin);
    run->longestMs = (double)longest * 1000.0 / (double)TicksPerSecond();
    good = good && taken == s_total && taken > 0 && !s_broken;
    return kind == FAIR ? good && s_fair.acquisitions == taken && !s_fair.owner
                        : good && s_pair.word == 0;
}

static int ByThroughput(const void *a, const void *b)
{
    double left = ((const RUN *)a)->perSecond, right = ((const RUN *)b)->perSecond;

    return (left > right) - (left < right);
}

/* One number of tasks: fair and unfair in turn, so that both meet the same machine. */
static BOOL Line(int tasks, int rounds, DWORD milliseconds)
{
    RUN runs[KINDS][9];
    int kind, round;

    for (round = 0; round < rounds; round++)
        for (kind = 0; kind < KINDS; kind++)
            if (!Measure(kind, tasks, milliseconds, &runs[kind][round]))
                return FALSE;
    printf("%5d", tasks);
    for (kind = 0; kind < KINDS; kind++) {
        const RUN *median = &runs[kind][rounds / 2];

        qsort(runs[kind], (size_t)rounds, sizeof(RUN), ByThroughput);
        printf("  %11.0f %11.0f %11.0f %10.2f", median->perSecond, runs[kind][0].perSecond,
               runs[kind][rounds - 1].perSecond, median->longestMs);
    }
    printf("\n");
    fflush(stdout);
    return TRUE;
}

static int Refuse(const char *what)
{
    fprintf(stderr, "sqlos_mutexes: no such option: %s; try: sqlos_mutexes [--quick]\n", what);
    return 2;
}

int main(int argc, char **argv)
{
    SYSTEM_INFO info;
    SOS_CONFIG config = {0};
    DWORD milliseconds = 200;
    BOOL good = TRUE;
    int rounds = 5, tasks;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--quick") != 0))
        return Refuse(argv[argc - 1]);
    if (argc == 2) {
        milliseconds = 20;
        rounds = 1;
    }
    GetSystemInfo(&info);
    config.schedulers = info.dwNumberOfProcessors < 2   ? 2
                        : info.dwNumberOfProcessors > 8 ? 8
                                                        : (int)info.dwNumberOfProcessors;
    if (!SosStart(&config)) {
        fprintf(stderr, "sqlos_mutexes: no start, last error %lu\n", (unsigned long)GetLastError());
        return 1;
    }
    Calibrate();
    printf("# %d schedulers; a mutex is held for %d ns, then %d ns without it\n", config.schedulers,
           HOLD_NS, WORK_NS);
    printf("# tasks; of the fair mutex, then of the unfair pair: acquisitions for each second "
           "(median, least, most), longest wait in ms\n");
    for (tasks = 1; tasks <= MOST_TASKS && good; tasks *= 2)
        good = Line(tasks, rounds, milliseconds);
    good = SosStop(LIMIT_MS) && good;
    printf("# verdict: %s\n", good ? "OK" : "FAILED, a mutex had two owners or lost count");
    return good ? 0 : 1;
}
