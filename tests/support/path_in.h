/* SPDX-License-Identifier: MIT
 *
 * path_in.h - paths of things in a folder.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_PATH_IN_H
#define UMSSHIM_TESTS_SUPPORT_PATH_IN_H

#include <stdio.h>

/* Good for seven more calls. */
static inline const char *path_in(const char *folder, const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

#endif
