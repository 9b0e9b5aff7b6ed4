/* SPDX-License-Identifier: MIT
 *
 * fresh_path.h - a name for a test's file, `path`.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_FRESH_PATH_H
#define UMSSHIM_TESTS_SUPPORT_FRESH_PATH_H

#include <windows.h>

#include "gtest_c.h"

#include <stdio.h>

static char path[MAX_PATH + 32];

/* A free name in the folder for temporary files. Tests in other processes get other names. A name
 * of GetTempFileName's would be free for others as soon as its file is deleted. */
static const char *fresh_path(void)
{
    static int count;
    char folder[MAX_PATH];

    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    snprintf(path, sizeof path, "%sums-%u-%d", folder, (unsigned)GetCurrentProcessId(), count++);
    DeleteFileA(path); /* a former process of this id may have crashed */
    return path;
}

#endif
