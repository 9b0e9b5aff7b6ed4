/* SPDX-License-Identifier: MIT
 *
 * own_status.h - what /proc/self/status says of this process.
 */
#ifndef TESTS_LINUX_OWN_STATUS_H
#define TESTS_LINUX_OWN_STATUS_H

#include <stdio.h>
#include <string.h>

/* The number behind this name; -1: it is not there. */
static inline long number_in_status(const char *name)
{
    char line[256];
    long number = -1;
    FILE *status = fopen("/proc/self/status", "re");

    while (status && number < 0 && fgets(line, sizeof line, status))
        if (!strncmp(line, name, strlen(name)))
            sscanf(line + strlen(name), ": %ld", &number);
    if (status)
        fclose(status);
    return number;
}

#endif
