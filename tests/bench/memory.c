/* SPDX-License-Identifier: MIT
 *
 * memory.c - what a crowd of workers, threads or fibers costs: resident memory and kernel memory.
 *
 * Resident memory belongs to this process and is exact. Kernel memory is only known for the whole
 * machine: the differences are right when nothing else allocates meanwhile, and small crowds drown
 * in noise. MemAvailable covers both and everything else, as a cross-check.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums the values, in bytes, of the lines "Name:  123 kB" whose names are listed. */
static uint64_t sum_lines(const char *path, const char *const *names)
{
    char line[256];
    uint64_t sum = 0;
    FILE *file = fopen(path, "re");

    if (!file)
        bench_fail(path, errno);
    while (fgets(line, sizeof(line), file)) {
        for (const char *const *name = names; *name; name++) {
            size_t length = strlen(*name);

            if (strncmp(line, *name, length) == 0 && line[length] == ':')
                sum += strtoull(line + length + 1, NULL, 10) * 1024;
        }
    }
    fclose(file);
    return sum;
}

uint64_t bench_resident_bytes(void)
{
    static const char *const names[] = {"Rss", NULL};

    return sum_lines("/proc/self/smaps_rollup", names);
}

uint64_t bench_anonymous_bytes(void)
{
    static const char *const names[] = {"Anonymous", NULL};

    return sum_lines("/proc/self/smaps_rollup", names);
}

struct bench_kernel_memory bench_kernel_memory_read(void)
{
    static const char *const kernel[] = {"KernelStack", "PageTables", "SUnreclaim", NULL};
    static const char *const available[] = {"MemAvailable", NULL};
    struct bench_kernel_memory memory;

    memory.stacks_tables_slab = sum_lines("/proc/meminfo", kernel);
    memory.available = sum_lines("/proc/meminfo", available);
    return memory;
}

struct bench_footprint bench_footprint_read(void)
{
    struct bench_footprint footprint;

    footprint.resident = bench_resident_bytes();
    footprint.kernel = bench_kernel_memory_read();
    return footprint;
}

/* Differences may be negative: unsigned words, read as signed. */
static double kib_each(uint64_t after, uint64_t before, unsigned count)
{
    return (double)(int64_t)(after - before) / 1024.0 / count;
}

void bench_footprint_emit(const struct bench_footprint *before, unsigned count)
{
    struct bench_footprint after = bench_footprint_read();

    bench_emit("resident", kib_each(after.resident, before->resident, count));
    bench_emit("kernel",
               kib_each(after.kernel.stacks_tables_slab, before->kernel.stacks_tables_slab, count));
    bench_emit("machine", kib_each(before->kernel.available, after.kernel.available, count));
}
