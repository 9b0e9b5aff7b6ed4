/* SPDX-License-Identifier: MIT
 *
 * modes.c - sqlos_modes: the same layer on UMS, on kernel threads and on fibers.
 *
 * One scheduler in each mode, started anew for each measurement, the modes in turn. Prints how many
 * operations of a kind there are in a second, and the ratios to UMS; and a verdict on what is no
 * matter of speed: each operation was made once, and one at a time.
 */
#include "sqlos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 60000, SLEEPERS = 8, ROUNDS = 5, KINDS = SOS_MODES - 1 };

typedef struct WORKLOAD {
    const char *name, *what;
    int tasks;
    LONG each, eachQuick; /* operations of a task */
    SOS_ROUTINE routine;
} WORKLOAD;

static LONG s_each;
static volatile LONG s_done, s_broken;
static SOS_EVENT s_turn[2];

static LONGLONG Ticks(VOID)
{
    LARGE_INTEGER now;

    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

/* Counted without a lock, here and below: a scheduler's tasks run one at a time, or the count is
 * wrong. */
static DWORD Yields(PVOID argument)
{
    LONG i;

    UNREFERENCED_PARAMETER(argument);
    for (i = 0; i < s_each; i++) {
        s_done++;
        SosYield();
    }
    return 0;
}

static DWORD Events(PVOID argument)
{
    LONG number = (LONG)(ULONG_PTR)argument, i;

    for (i = 0; i < s_each; i++) {
        if (SosEventWait(&s_turn[number], LIMIT_MS, SOS_WAIT_EVENT) != SOS_OK ||
            s_done % 2 != number)
            s_broken++;
        s_done++;
        SosEventSignal(&s_turn[!number]);
    }
    return 0;
}

static DWORD Small(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    s_done++;
    return 1;
}

static DWORD Tasks(PVOID argument)
{
    LONG i;

    UNREFERENCED_PARAMETER(argument);
    for (i = 0; i < s_each; i++) {
        SOS_TASK *task = SosSubmit(0, Small, NULL);
        DWORD result = 0;

        if (!task || SosTaskWait(task, LIMIT_MS, &result) != SOS_OK || result != 1)
            s_broken++;
        if (task)
            SosTaskRelease(task);
    }
    return 0;
}

static DWORD Sleeps(PVOID argument)
{
    LONG i;

    UNREFERENCED_PARAMETER(argument);
    for (i = 0; i < s_each; i++) {
        Sleep(1);
        InterlockedIncrement(&s_done);
    }
    return 0;
}

static DWORD SleepsOutside(PVOID argument)
{
    LONG i;

    UNREFERENCED_PARAMETER(argument);
    for (i = 0; i < s_each; i++) {
        SosLeaveScheduler();
        Sleep(1);
        SosReturnToScheduler();
        s_done++; /* on the scheduler again: one at a time */
    }
    return 0;
}

static const WORKLOAD s_workloads[] = {
    {"yields", "two tasks yield to each other", 2, 100000, 2000, Yields},
    {"events", "two tasks signal each other", 2, 50000, 1000, Events},
    {"tasks", "a task submits small ones and waits for each", 1, 50000, 1000, Tasks},
    {"sleeps", "eight tasks sleep for 1 ms in the system", SLEEPERS, 50, 5, Sleeps},
    {"left", "the same, outside of the scheduler", SLEEPERS, 50, 5, SleepsOutside},
};

enum { WORKLOADS = sizeof(s_workloads) / sizeof(s_workloads[0]) };

/* Operations in a second; 0: something that must hold did not. */
static double Measure(SOS_MODE mode, const WORKLOAD *workload, BOOL quick)
{
    SOS_CONFIG config = {.mode = mode, .schedulers = 1};
    SOS_TASK *tasks[SLEEPERS] = {NULL};
    LARGE_INTEGER frequency;
    LONGLONG begin, took;
    BOOL good = TRUE;
    int i;

    s_each = quick ? workload->eachQuick : workload->each;
    s_done = s_broken = 0;
    SosEventInit(&s_turn[0], FALSE, TRUE);
    SosEventInit(&s_turn[1], FALSE, FALSE);
    if (!SosStart(&config))
        return 0;
    begin = Ticks();
    for (i = 0; i < workload->tasks; i++)
        tasks[i] = SosSubmit(0, workload->routine, (PVOID)(ULONG_PTR)i);
    for (i = 0; i < workload->tasks; i++) {
        good = tasks[i] && SosTaskWait(tasks[i], LIMIT_MS, NULL) == SOS_OK && good;
        if (tasks[i])
            SosTaskRelease(tasks[i]);
    }
    took = Ticks() - begin;
    good = SosStop(LIMIT_MS) && good;
    QueryPerformanceFrequency(&frequency);
    if (!good || s_broken || s_done != s_each * workload->tasks || took <= 0) {
        printf("# %s on %s: %ld operations, not %ld; %ld out of order\n", workload->name,
               SosModeName(mode), (long)s_done, (long)s_each * workload->tasks, (long)s_broken);
        return 0;
    }
    return (double)s_done * (double)frequency.QuadPart / (double)took;
}

static int BySize(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* The modes in turn, so that they meet the same machine. */
static BOOL Line(const WORKLOAD *workload, BOOL quick)
{
    int rounds = quick ? 1 : ROUNDS, round, kind;
    double rates[KINDS][ROUNDS], median[KINDS];

    for (round = 0; round < rounds; round++) {
        for (kind = 0; kind < KINDS; kind++) {
            rates[kind][round] = Measure((SOS_MODE)(kind + 1), workload, quick);
            if (rates[kind][round] <= 0)
                return FALSE;
        }
    }
    printf("%-8s", workload->name);
    for (kind = 0; kind < KINDS; kind++) {
        qsort(rates[kind], (size_t)rounds, sizeof(double), BySize);
        median[kind] = rates[kind][rounds / 2];
        printf(" %12.1f", median[kind]);
    }
    for (kind = 1; kind < KINDS; kind++)
        printf(" %12.3f", median[kind] / median[0]);
    printf("\n");
    fflush(stdout);
    return TRUE;
}

int main(int argc, char **argv)
{
    BOOL quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    BOOL good = TRUE;
    int i;

    if (argc > 1 && !quick) {
        fprintf(stderr, "sqlos_modes: no such option: %s; try: sqlos_modes [--quick]\n",
                argv[argc - 1]);
        return 2;
    }
    for (i = 0; i < WORKLOADS; i++)
        printf("# %-8s %s\n", s_workloads[i].name, s_workloads[i].what);
    printf("# each in a second: %s, %s, %s; the last two as ratios to the first\n",
           SosModeName(SOS_MODE_UMS), SosModeName(SOS_MODE_THREADS), SosModeName(SOS_MODE_FIBERS));
    for (i = 0; i < WORKLOADS && good; i++)
        good = Line(&s_workloads[i], quick);
    printf("# verdict: %s\n", good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
