/* SPDX-License-Identifier: MIT
 *
 * is_set.h - the mode in which a test runs.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_IS_SET_H
#define UMSSHIM_TESTS_SUPPORT_IS_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the environment variable has this value. */
static inline bool is_set(const char *name, const char *value)
{
    const char *text = getenv(name);

    return text && !strcmp(text, value);
}

#endif
