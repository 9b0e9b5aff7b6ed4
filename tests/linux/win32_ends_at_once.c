/* SPDX-License-Identifier: MIT
 *
 * win32_ends_at_once.c - TerminateProcess ends the calling process at once, and deletes the names of
 * its files with FILE_FLAG_DELETE_ON_CLOSE, whichever lock the process's other threads hold: it uses
 * no heap.
 *
 * modes: default, UMSSHIM_FAULTS=1
 */
#include <windows.h>

#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "path_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LIMIT_MS = 10000, CODE = 17 };

void __libc_free(void *block);
static int heap_is_locked;

/* A thread that is suspended holds the heap's lock from some moment on. */
void free(void *block)
{
    while (__atomic_load_n(&heap_is_locked, __ATOMIC_RELAXED))
        pause();
    __libc_free(block);
}

static char folder[] = "/tmp/ums-ends-XXXXXX";

static const char *in(const char *name)
{
    return path_in(folder, name);
}

static void open_and_end(struct worker *unused)
{
    enum { ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('0' + i)};

        EXPECT_NE(CreateFileA(in(name), GENERIC_WRITE, ALL, NULL, CREATE_NEW,
                              FILE_FLAG_DELETE_ON_CLOSE, NULL),
                  INVALID_HANDLE_VALUE);
    }
    EXPECT_EQ(rename(in("1"), in("moved")), 0);
    if (tc_failures())
        return;
    __atomic_store_n(&heap_is_locked, 1, __ATOMIC_RELAXED);
    TerminateProcess(GetCurrentProcess(), CODE);
}

static int end_in_worker(void *unused)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    (void)unused;
    if (fleet && fleet_add(fleet, open_and_end, NULL))
        fleet_run(fleet);
    return 0;
}

static int end_in_thread(void *unused)
{
    open_and_end(NULL);
    return 0;
}

static void ends(child_body body)
{
    ASSERT_NE((intptr_t)mkdtemp(strcpy(folder, "/tmp/ums-ends-XXXXXX")), 0);
    struct child_result result = child_run(body, NULL, LIMIT_MS);

    EXPECT_EQ(result.timed_out, false);
    EXPECT_THAT(result.exited && result.code == CODE, "ended with %d: %s", result.code,
                result.output);
    EXPECT_EQ(rmdir(folder), 0); /* it is empty */
}

TEST(Win32EndsAtOnce, in_a_thread)
{
    ends(end_in_thread);
}

TEST(Win32EndsAtOnce, in_a_worker)
{
    ends(end_in_worker);
}
