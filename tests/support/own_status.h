/* SPDX-License-Identifier: MIT
 *
 * own_status.h - (Linux) what the kernel says of this process.
 *
 * Its threads are counted here: a list of them leaves some out where one ends meanwhile.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_OWN_STATUS_H
#define UMSSHIM_TESTS_SUPPORT_OWN_STATUS_H

#include <stdio.h>
#include <string.h>

/* The number behind this name; -1: it is not there. */
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

/* Memory that is the process's alone, in KiB. The pages are counted one by one: the other numbers leave out what each
 * processor or thread has not handed in yet, and pages of files come and go with the machine's need for memory. */
static inline long own_memory_kib(void)
{
    static const char rollup[] = "/proc/self/smaps_rollup";
    long anonymous = number_in(rollup, "Anonymous");

    return anonymous < 0 ? number_in_status("VmRSS") : anonymous + number_in(rollup, "Swap");
}

#endif
