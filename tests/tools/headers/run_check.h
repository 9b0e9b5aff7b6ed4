/* SPDX-License-Identifier: MIT
 *
 * run_check.h - for the snippets that are run: a check that fails is printed, and counted for the exit status.
 */
#include <stdio.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)
