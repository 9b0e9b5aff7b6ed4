/* SPDX-License-Identifier: MIT
 *
 * sharer.c - a program that computes on all processors it gets, and says in each window which those were:
 * `ft_sharer GROUND ALLOCATOR PRIORITY`, until its input ends.
 */
#include "fastthreads.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROCESSORS = 2, WINDOW_MS = 50 };

static volatile LONG64 seen;
static volatile LONG enough;
static struct ft_options options = {.processors = PROCESSORS};

static void compute(void *arg)
{
    while (!enough)
        InterlockedOr64(&seen, (LONG64)1 << GetCurrentProcessorNumber());
}

static void compute_on_all(void *arg)
{
    struct ft_thread *second = ft_fork(compute, NULL);

    if (!second)
        exit(3);
    compute(arg);
    ft_join(second);
}

static DWORD WINAPI run_main(LPVOID param)
{
    struct ft_statistics *counts = param;

    return ft_run(&options, compute_on_all, NULL, counts);
}

static DWORD WINAPI report_main(LPVOID param)
{
    while (!enough) {
        Sleep(WINDOW_MS);
        printf("on %llx\n", (unsigned long long)InterlockedExchange64(&seen, 0));
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct ft_statistics counts;
    HANDLE threads[2];
    DWORD error = 0;

    if (argc != 4 || !ft_ground_named(argv[1], &options.ground))
        return 2;
    options.allocator = argv[2];
    options.priority = atoi(argv[3]);
    threads[0] = CreateThread(NULL, 0, run_main, &counts, 0, NULL);
    threads[1] = CreateThread(NULL, 0, report_main, NULL, 0, NULL);
    if (!threads[0] || !threads[1])
        return 3;
    while (getchar() != EOF)
        ;
    InterlockedExchange(&enough, TRUE);
    WaitForMultipleObjects(2, threads, TRUE, INFINITE);
    GetExitCodeThread(threads[0], &error);
    printf("error %lu, lost %d, given up %lu\n", (unsigned long)error, (int)counts.allocator_lost,
           counts.given_up);
    return error ? 1 : 0;
}
