/* SPDX-License-Identifier: MIT
 *
 * shared_owners.c - processes that own a mutex by its name: other processes that wait for the mutex
 * watch its owner without using the processor, and get the mutex when the owner ends in any way.
 *
 * modes: default, UMSSHIM_DETECT=0
 * with: shared_sync.c
 * options: LIMIT 120
 */
#include "shared_sync.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Owners that end ------------------------------------------------------------------------- */

static int own_it(enum kind unused)
{
    (void)unused;
    if (WaitForSingleObject(OpenMutexA(MUTEX_ALL_ACCESS, FALSE, name_of("mutex")), SOON) !=
        WAIT_OBJECT_0)
        return 1;
    partner_ready();
    partner_await();
    execl("/bin/sleep", "sleep", "100", (char *)NULL);
    return 2;
}

static void expect_abandoned(void *mutex)
{
    EXPECT_EQ(WaitForSingleObject(mutex, SOON), WAIT_ABANDONED);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(mutex));
}

static struct partner owner;

/* Stores to which file this descriptor of the process leads. True: it leads somewhere, and is for
 * writing or not as asked. */
static bool leads(int process, const char *number, bool writes, char *file, size_t room)
{
    char path[300];
    struct stat status;
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%d/fd/%s", process, number);
    length = readlink(path, file, room - 1);
    file[length > 0 ? length : 0] = 0;
    return length > 0 && lstat(path, &status) == 0 && ((status.st_mode & S_IWUSR) != 0) == writes;
}

/* Whether the owner writes to this pipe. */
static bool writes_to(const char *pipe)
{
    char path[40];
    char file[300];
    bool found = false;
    DIR *files;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)owner.process);
    files = opendir(path);
    for (struct dirent *entry; files && !found && (entry = readdir(files));)
        found =
            leads(owner.process, entry->d_name, true, file, sizeof file) && strcmp(file, pipe) == 0;
    if (files)
        closedir(files);
    return found;
}

/* Whether this process reads from a pipe of the owner's, but for the partner's. */
static bool watches_owner(void)
{
    char file[300];
    bool watches = false;
    DIR *files = opendir("/proc/self/fd");

    for (struct dirent *entry; files && !watches && (entry = readdir(files));)
        watches = strtol(entry->d_name, NULL, 10) != owner.says &&
                  leads(getpid(), entry->d_name, false, file, sizeof file) &&
                  strncmp(file, "pipe:", 5) == 0 && writes_to(file);
    if (files)
        closedir(files);
    return watches;
}

static void wait_for_it(void *mutex)
{
    expect_abandoned(mutex);
}

/* Waits until this process has the pipe that hangs up when the owner ends. Sooner, the owner's end
 * might be seen without the pipe. */
static void await_watch(void)
{
    while (!watches_owner() && !tc_failures())
        usleep(1000); /* nothing tells */
}

static void kill_owner(void *unused)
{
    (void)unused;
    await_watch();
    EXPECT_EQ(kill(owner.process, SIGKILL), 0);
}

static void replace_owner(void *unused)
{
    (void)unused;
    await_watch();
    go_on(&owner); /* as another program */
}

static int owner_ends(void *by_exec)
{
    for (int kind = 0; kind < KINDS; kind++) {
        HANDLE mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));

        owner = partner_start(own_it, KIND_PLAIN);
        expect_ready(&owner);
        EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_TIMEOUT);
        on_kind((enum kind)kind, wait_for_it, by_exec ? replace_owner : kill_owner, mutex);
        if (by_exec)
            kill_partner(&owner);
        else
            expect_end(&owner, -SIGKILL);
        EXPECT_OK(CloseHandle(mutex));
    }
    return 0;
}

CALL_TEST(SharedOwners, are_abandoned_by_a_process_that_is_killed,
          EXPECT_IN_CHILD(owner_ends, NULL, LIMIT_MS))

CALL_TEST(SharedOwners, are_abandoned_by_a_process_that_becomes_another_program,
          EXPECT_IN_CHILD(owner_ends, "", LIMIT_MS))

/* Nobody has waited meanwhile. */
static int seen_later(void *unused)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, name_of("mutex"));

    (void)unused;
    owner = partner_start(own_it, KIND_PLAIN);
    expect_ready(&owner);
    kill_partner(&owner);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_ABANDONED);
    EXPECT_OK(ReleaseMutex(mutex));
    return 0;
}

CALL_TEST(SharedOwners, are_abandoned_also_where_nobody_waits,
          EXPECT_IN_CHILD(seen_later, NULL, LIMIT_MS))

/* ---- Those that wait ------------------------------------------------------------------------- */

enum way { FOR_ONE, FOR_ANY, FOR_ALL, WAYS };

static HANDLE both[2];
static enum way way;

static DWORD WINAPI wait_in_a_way(void *unused)
{
    (void)unused;
    return way == FOR_ONE ? WaitForSingleObject(both[0], SOON)
                          : WaitForMultipleObjects(2, both, way == FOR_ALL, SOON);
}

static uint64_t used_ms(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* Whether a child of fork, which has no part in it, has the pipe as well. */
static int count_watches(enum kind unused)
{
    (void)unused;
    return watches_owner();
}

/* A thread that looks at the owner again and again takes all of the time, or its share of it. */
static void expect_rest(void)
{
    enum { WATCHED_MS = 400 };
    uint64_t before = used_ms();

    Sleep(WATCHED_MS);
    EXPECT_LE(used_ms() - before, WATCHED_MS / 4);
}

static int wait_and_look(void *at_rest)
{
    for (way = 0; way < WAYS; way++) {
        DWORD result = WAIT_FAILED;
        HANDLE thread;

        both[0] = CreateMutexA(NULL, FALSE, name_of("mutex"));
        both[1] = CreateEventA(NULL, TRUE, way == FOR_ALL, name_of("event"));
        owner = partner_start(own_it, KIND_PLAIN);
        expect_ready(&owner);
        thread = CreateThread(NULL, 0, wait_in_a_way, NULL, 0, NULL);
        await_watch();
        if (at_rest) {
            expect_rest();
        } else {
            struct partner child = partner_start(count_watches, KIND_PLAIN);

            expect_end(&child, 0);
        }
        kill_partner(&owner);
        EXPECT_EQ(WaitForSingleObject(thread, SOON), WAIT_OBJECT_0);
        EXPECT_OK(GetExitCodeThread(thread, &result));
        EXPECT_EQ(result, WAIT_ABANDONED);
        EXPECT_OK(CloseHandle(thread) && CloseHandle(both[0]) && CloseHandle(both[1]));
    }
    return 0;
}

CALL_TEST(SharedOwners, are_watched_at_rest, EXPECT_IN_CHILD(wait_and_look, "", LIMIT_MS))

CALL_TEST(SharedOwners, are_not_watched_by_a_forked_child,
          EXPECT_IN_CHILD(wait_and_look, NULL, LIMIT_MS))
