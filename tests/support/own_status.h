/* SPDX-License-Identifier: MIT
 *
 * own_status.h - (Linux) facts about this process from the kernel.
 *
 * The kernel counts the threads here. A list of them may leave some out if one ends meanwhile.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_OWN_STATUS_H
#define UMSSHIM_TESTS_SUPPORT_OWN_STATUS_H

#include <stdio.h>
#include <string.h>

/* The number after this name. -1: there is no such name. */
static inline long number_in(const char *path, const char *name)
{
    char line[256];
    long number = -1;
    FILE *file = fopen(path, "re");

    while (file && number < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            sscanf(line + strlen(name), ": %ld", &number);
    if (file)
        fclose(file);
    return number;
}

static inline long number_in_status(const char *name)
{
    return number_in("/proc/self/status", name);
}

/* The memory that only this process uses, in KiB. The kernel counts its pages one by one for this
 * number. The other numbers lack pages that a processor or thread has not reported yet, and they
 * have pages of files, which come and go with the machine's need for memory. */
static inline long own_memory_kib(void)
{
    static const char rollup[] = "/proc/self/smaps_rollup";
    long anonymous = number_in(rollup, "Anonymous");

    return anonymous < 0 ? number_in_status("VmRSS") : anonymous + number_in(rollup, "Swap");
}

#endif
