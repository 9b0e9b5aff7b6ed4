/* SPDX-License-Identifier: MIT
 *
 * in_call.h - whether a thread of this process stands in a system call.
 */
#ifndef UMSSHIM_TESTS_LINUX_IN_CALL_H
#define UMSSHIM_TESTS_LINUX_IN_CALL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Waits until the thread waits in this call; false: it did not come there in time. */
static inline bool is_in_call(unsigned long thread, long number, int limit_ms)
{
    char name[64];
    long now = -1;

    snprintf(name, sizeof name, "/proc/self/task/%lu/syscall", thread);
    for (int i = 0; i < limit_ms && now != number; i++) {
        FILE *file = fopen(name, "r");

        if (!file || fscanf(file, "%ld", &now) != 1) /* it runs */
            now = -1;
        if (file)
            fclose(file);
        if (now != number)
            usleep(1000);
    }
    return now == number;
}

#endif
