/* SPDX-License-Identifier: MIT
 *
 * waited.c - the kernel's counts of the time for which threads waited for a processor.
 */
#define _GNU_SOURCE
#include "waited.h"

#include "../bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

static int files[MOST_THREADS]; /* the first is that of the thread that opened them */
static unsigned opened;

static void add(const char *thread)
{
    char name[NAME_MAX + 32];

    snprintf(name, sizeof(name), "/proc/self/task/%s/schedstat", thread);
    files[opened] = open(name, O_RDONLY | O_CLOEXEC);
    opened += files[opened] >= 0; /* a thread that has ended meanwhile has none */
}

void waited_open(void)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    char own[16];

    if (!threads)
        bench_fail("/proc/self/task", errno);
    while (opened)
        close(files[--opened]);
    snprintf(own, sizeof(own), "%ld", (long)gettid());
    add(own);
    while (opened < MOST_THREADS && (entry = readdir(threads)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, own) != 0)
            add(entry->d_name);
    closedir(threads);
    if (opened == 0)
        bench_fail("no thread's schedstat: the kernel does not count", 0);
}

uint64_t waited_ns(bool own)
{
    uint64_t sum = 0;

    for (unsigned i = !own; i < opened; i++) {
        char text[96], *second;
        ssize_t length = pread(files[i], text, sizeof(text) - 1, 0);

        if (length <= 0)
            continue;
        text[length] = 0;
        strtoull(text, &second, 10);
        sum += strtoull(second, NULL, 10);
    }
    return sum;
}
