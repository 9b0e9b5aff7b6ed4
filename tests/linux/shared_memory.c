/* SPDX-License-Identifier: MIT
 *
 * shared_memory.c - the memory of events, semaphores and mutexes that processes share: all its
 * pages exist from the beginning. So no process faults if memory gets short later, and none can
 * take the memory away. If there is no memory, the call that makes the object fails. If a sandbox
 * refuses such memory, names are the process's own.
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

/* Looks at the file by its path. To close a descriptor would drop the process's record locks on it.
 * */
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

CALL_TEST(SharedMemory, is_there_from_the_beginning, EXPECT_IN_CHILD(all_is_there, NULL, LIMIT_MS))

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

CALL_TEST(SharedMemory, says_so_where_there_is_none, EXPECT_IN_CHILD(there_is_none, NULL, LIMIT_MS))

static int there_is_none_at_first(void *unused)
{
    (void)unused;
    EXPECT_EQ(refuse_call(SYS_fallocate, ENOSPC), 0);
    EXPECT_FAILS(CreateEventA(NULL, FALSE, FALSE, name_of("event")), ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("event")), ERROR_NOT_ENOUGH_MEMORY);
    return 0;
}

CALL_TEST(SharedMemory, says_so_where_there_is_none_for_the_first,
          EXPECT_IN_CHILD(there_is_none_at_first, NULL, LIMIT_MS))

/* ---- Calls that are refused ------------------------------------------------------------------ */

/* Names work, within the process. */
static void expect_own(void)
{
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, name_of("own event"));
    HANDLE mutex = CreateMutexA(NULL, TRUE, name_of("own mutex"));
    HANDLE semaphore = CreateSemaphoreA(NULL, 1, 1, name_of("own semaphore"));
    HANDLE found = OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("own event"));

    EXPECT_OK(event != NULL && mutex != NULL && semaphore != NULL && found != NULL);
    EXPECT_EQ(WaitForSingleObject(found, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_OK(CloseHandle(CreateEventA(NULL, FALSE, FALSE, name_of("own event"))));
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_OK(CloseHandle(event) && CloseHandle(mutex) && CloseHandle(semaphore));
    EXPECT_OK(CloseHandle(found));
    EXPECT_FAILS(OpenEventA(EVENT_ALL_ACCESS, FALSE, name_of("own event")), ERROR_FILE_NOT_FOUND);
}

static const struct refusal {
    unsigned call;
    unsigned error;
} refusals[] = {{SYS_memfd_create, EPERM},
                {SYS_memfd_create, ENOSYS},
                {SYS_fallocate, EOPNOTSUPP},
                {SYS_fallocate, EPERM}};

static int refused_at_first(void *arg)
{
    const struct refusal *refusal = arg;

    EXPECT_EQ(refuse_call(refusal->call, refusal->error), 0);
    expect_own();
    expect_own();
    return 0;
}

static int have_an_event(enum kind unused)
{
    HANDLE event = CreateEventA(NULL, TRUE, TRUE, name_of("event"));

    (void)unused;
    partner_ready();
    partner_await();
    return !event;
}

/* The process shares objects already when calls are refused to it. It still finds the others'
 * objects. */
static int refused_later(void *arg)
{
    const struct refusal *refusal = arg;
    HANDLE before = CreateEventA(NULL, FALSE, FALSE, name_of("before"));
    struct partner partner = partner_start(have_an_event, KIND_PLAIN);
    HANDLE event;

    expect_ready(&partner);
    EXPECT_OK(before != NULL);
    EXPECT_EQ(refuse_call(refusal->call, refusal->error), 0);
    expect_own();
    event = CreateEventA(NULL, FALSE, FALSE, name_of("event"));
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_FAILS(CreateMutexA(NULL, FALSE, name_of("event")), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event) && CloseHandle(before));
    go_on(&partner);
    expect_end(&partner, 0);
    return 0;
}

static void with_refusals(child_body body)
{
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct refusal refusal = refusals[i];
        struct child_result result = child_run(body, &refusal, LIMIT_MS);

        EXPECT_CHILD_OK(result);
        EXPECT_THAT(strstr(result.output, "are refused here") != NULL, "no line says so: %s",
                    result.output);
    }
}

CALL_TEST(SharedMemory, may_be_refused, with_refusals(refused_at_first))
CALL_TEST(SharedMemory, may_be_refused_later, with_refusals(refused_later))
