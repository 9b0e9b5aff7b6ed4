/* SPDX-License-Identifier: MIT
 *
 * shared_memory.c - the memory of events, semaphores and mutexes that processes share: all of it is
 * there from the beginning, so nobody faults where memory is short later, and nobody can take it
 * away. Where there is none, the call that makes the object says so.
 *
 * modes: default
 * with: shared_sync.c
 */
#include "filters.h"
#include "shared_sync.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Files ----------------------------------------------------------------------------------- */

/* By its path: a close would drop the process's record locks on it. */
static void look_at(const char *path)
{
    enum { BLOCK = 512 };
    struct stat status;

    if (!EXPECT_EQ(stat(path, &status), 0))
        return;
    EXPECT_GT(status.st_size, 0);
    EXPECT_THAT(status.st_blocks * BLOCK >= status.st_size, "%s: %ld of %ld bytes are there", path,
                (long)status.st_blocks * BLOCK, (long)status.st_size);
    EXPECT_EQ(truncate(path, 0), -1);
    EXPECT_EQ(truncate(path, status.st_size + 1), -1);
}

static int all_is_there(void *unused)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    DIR *files = opendir("/proc/self/fd");
    int objects = 0;
    int peers = 0;

    (void)unused;
    EXPECT_OK(event != NULL);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        char path[300];
        char file[300] = "";

        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, file, sizeof file - 1) <= 0)
            continue;
        if (strstr(file, "memfd:umsshim-object"))
            objects++;
        else if (strstr(file, "memfd:umsshim-peers"))
            peers++;
        else
            continue;
        look_at(path);
    }
    if (files)
        closedir(files);
    EXPECT_EQ(objects, 1);
    EXPECT_EQ(peers, 1);
    return 0;
}

TEST(SharedMemory, is_there_from_the_beginning)
{
    struct child_result result = child_run(all_is_there, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

/* ---- No memory ------------------------------------------------------------------------------- */

static int there_is_none(void *unused)
{
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, name_of("event"));

    (void)unused;
    EXPECT_OK(event != NULL);
    EXPECT_EQ(refuse_call(SYS_fallocate, ENOSPC), 0);
    EXPECT_FAILS(CreateMutexA(NULL, TRUE, name_of("mutex")), ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_FAILS(CreateSemaphoreA(NULL, 1, 1, name_of("semaphore")), ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    return 0;
}

TEST(SharedMemory, says_so_where_there_is_none)
{
    struct child_result result = child_run(there_is_none, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

static int there_is_none_at_first(void *unused)
{
    (void)unused;
    EXPECT_EQ(refuse_call(SYS_fallocate, ENOSPC), 0);
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, name_of("event")), ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event")), ERROR_NOT_ENOUGH_MEMORY);
    return 0;
}

TEST(SharedMemory, says_so_where_there_is_none_for_the_first)
{
    struct child_result result = child_run(there_is_none_at_first, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}
