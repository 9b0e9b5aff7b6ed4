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

/* A name that is free, in the folder for temporary files; tests in other processes have others. One of
 * GetTempFileName's would be anybody's again as soon as its file is deleted. */
static const char *fresh_path(void)
{
    static int count;
    char folder[MAX_PATH];

    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    snprintf(path, sizeof path, "%sums-%u-%d", folder, (unsigned)GetCurrentProcessId(), count++);
    DeleteFileA(path); /* left by a process of this id that crashed */
    return path;
}

#endif
