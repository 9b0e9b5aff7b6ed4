/* SPDX-License-Identifier: MIT
 *
 * thread_sanitizer.c - in a program with gcc's thread sanitizer the library refuses UMS and
 * threads, with one line. This program is not built with the sanitizer, but has the symbol by which
 * the library knows it.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"

#include <string.h>

void __tsan_init(void); /* NOLINT: its name */
void __tsan_init(void)  /* NOLINT */
{
}

static DWORD WINAPI nothing(void *arg)
{
    return 0;
}

static int refused(void *arg)
{
    PUMS_COMPLETION_LIST list = NULL;

    EXPECT_FAILS(CreateUmsCompletionList(&list), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(CreateThread(NULL, 0, nothing, NULL, 0, NULL), ERROR_NOT_ENOUGH_MEMORY);
    return 0;
}

TEST(ThreadSanitizer, is_refused_with_one_line)
{
    struct child_result result = child_run(refused, NULL, 10000);
    const char *end = strchr(result.output, '\n');

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(strstr(result.output, "thread sanitizer") && end && end[1] == 0,
                "want one line; saw \"%s\"", result.output);
}
