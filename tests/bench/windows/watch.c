/* SPDX-License-Identifier: MIT
 *
 * watch.c - what this process uses while it waits: by its own account, and by the script's.
 */
#include "windows/watch.h"

#include "bench.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the script gets to see the question, before and after the window; and to answer it. */
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

static void emit_told(unsigned window_ms)
{
    char path[MAX_PATH];
    double wakeups, ns;
    FILE *file = NULL;

    path_of(path, sizeof(path), "told");
    for (unsigned waited = 0; waited < ANSWER_MS && !(file = fopen(path, "r"));
         waited += LOOK_EVERY_MS)
        Sleep(LOOK_EVERY_MS);
    if (!file || fscanf(file, "%lf %lf", &wakeups, &ns) != 2)
        bench_fail("nobody told how often we woke up", 0);
    fclose(file);
    DeleteFileA(path);
    bench_emit("host_cpu", ns / window_ms);
    bench_emit("wakeups", wakeups * 1000.0 / window_ms);
}

void watch_and_emit(unsigned window_ms)
{
    bool watched = getenv("BENCH_WATCH") != NULL;
    uint64_t before = cpu_ns(), start = bench_now_ns();

    if (watched)
        ask(window_ms);
    Sleep(window_ms + (watched ? MARGIN_MS : 0));
    bench_emit("cpu", (double)(cpu_ns() - before) * 1e6 / (double)(bench_now_ns() - start));
    if (watched)
        emit_told(window_ms);
}
