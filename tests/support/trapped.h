/* SPDX-License-Identifier: MIT
 *
 * trapped.h - whether the library's filter traps calls instead of notifying a listener: because a
 * setting says so, or because thread pointers are guarded (docs/thread-pointer.md).
 */
#ifndef UMSSHIM_TESTS_SUPPORT_TRAPPED_H
#define UMSSHIM_TESTS_SUPPORT_TRAPPED_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether the process has a handler for this signal, by the kernel's record. */
static inline bool is_caught(int number)
{
    unsigned long long caught = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    if (status)
        fclose(status);
    return caught >> (number - 1) & 1;
}

/* Call this once a scheduler has entered, in a program without its own handler of SIGSYS. */
static inline bool filter_traps(void)
{
    return is_caught(SIGSYS);
}

#endif
