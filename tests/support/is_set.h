/* SPDX-License-Identifier: MIT
 *
 * is_set.h - in which of its modes a test runs.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_IS_SET_H
#define UMSSHIM_TESTS_SUPPORT_IS_SET_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether this variable of the environment has this value. */
static inline bool is_set(const char *name, const char *value)
{
    const char *text = getenv(name);

    return text && !strcmp(text, value);
}

#endif
