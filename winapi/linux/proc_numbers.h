/* SPDX-License-Identifier: MIT
 *
 * proc_numbers.h - numbers from files of /proc, each on a line behind its name.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PROC_NUMBERS_H
#define UMSSHIM_WINAPI_LINUX_PROC_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_number {
    const char *name; /* with the colon behind it */
    uint64_t value;   /* 0: the file does not have it */
};

/* Sets the values, in bytes where the file has "kB". False: there is no such file. */
bool win__proc_numbers(const char *path, struct proc_number *numbers, size_t count);

#endif
