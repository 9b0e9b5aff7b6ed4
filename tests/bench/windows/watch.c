/* SPDX-License-Identifier: MIT
 *
 * watch.c - what this process uses while it waits: by its own account, and by the host's.
 */
#include "windows/watch.h"

#include "bench.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>

/* What the reader gets beside the window to see the question, and to write its answer. */
enum { MARGIN_MS = 1000, ANSWER_MS = 2000, LOOK_EVERY_MS = 20 };

unsigned watch_length_ms(unsigned window_ms)
{
    return getenv("BENCH_WATCH") ? window_ms + MARGIN_MS + ANSWER_MS : window_ms;
}

static uint64_t cpu_ns(void)
{
    FILETIME unused[2], kernel, user;

    if (!GetProcessTimes(GetCurrentProcess(), &unused[0], &unused[1], &kernel, &user))
        bench_fail("GetProcessTimes", 0);
    return ((((uint64_t)kernel.dwHighDateTime << 32) + kernel.dwLowDateTime) +
            (((uint64_t)user.dwHighDateTime << 32) + user.dwLowDateTime)) *
           100;
}

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", getenv("BENCH_WATCH"), name);
}

static void ask(unsigned window_ms)
{
    char temporary[MAX_PATH], path[MAX_PATH];
    FILE *file;

    path_of(path, sizeof(path), "told");
    DeleteFileA(path); /* what came too late for somebody else */
    path_of(temporary, sizeof(temporary), "asking");
    path_of(path, sizeof(path), "waiting");
    file = fopen(temporary, "w");
    if (!file || fprintf(file, "%u\n", window_ms) < 0 || fclose(file) != 0 ||
        !MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING))
        bench_fail("cannot write into the folder BENCH_WATCH", 0);
}

struct told {
    double seconds; /* between the first reading and the second */
    double first_wakeups, first_ns;
    double wakeups, ns;
    double threads;
};

static void hear(struct told *told)
{
    char path[MAX_PATH];
    FILE *file = NULL;

    path_of(path, sizeof(path), "told");
    for (unsigned waited = 0; waited < ANSWER_MS && !(file = fopen(path, "r"));
         waited += LOOK_EVERY_MS)
        Sleep(LOOK_EVERY_MS);
    if (!file || fscanf(file, "%lf %lf %lf %lf %lf %lf", &told->seconds, &told->first_wakeups,
                        &told->first_ns, &told->wakeups, &told->ns, &told->threads) != 6)
        bench_fail("nobody told how often we woke up", 0);
    fclose(file);
    DeleteFileA(path);
}

static struct told waiting;

void watch_waiting(unsigned window_ms)
{
    bool watched = getenv("BENCH_WATCH") != NULL;
    uint64_t before = cpu_ns(), start = bench_now_ns();

    if (watched)
        ask(window_ms);
    Sleep(window_ms + (watched ? MARGIN_MS : 0));
    bench_emit("cpu", (double)(cpu_ns() - before) * 1e6 / (double)(bench_now_ns() - start));
    if (!watched)
        return;
    hear(&waiting);
    bench_emit("host_cpu", (waiting.ns - waiting.first_ns) / 1e3 / waiting.seconds);
    bench_emit("wakeups", (waiting.wakeups - waiting.first_wakeups) / waiting.seconds);
    bench_emit("threads", waiting.threads);
}

void watch_released(unsigned count)
{
    struct told again;

    if (!getenv("BENCH_WATCH"))
        return;
    ask(0);
    Sleep(MARGIN_MS);
    hear(&again);
    bench_emit("each", (again.first_wakeups - waiting.wakeups) / count);
    bench_emit("each_cpu", (again.first_ns - waiting.ns) / 1e3 / count);
}
