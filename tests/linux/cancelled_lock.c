/* SPDX-License-Identifier: MIT
 *
 * cancelled_lock.c - CancelSynchronousIo of a LockFileEx that waits several times, for the kernel and for its own handle's
 * ranges. After CancelSynchronousIo has returned TRUE the call ends, even between two of its waits. A
 * thread that is ended in the call leaves no range.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "calls_in_threads.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 30, ASIDE = 1000 };

static char path[] = "/tmp/umsshim-test-XXXXXX";
static HANDLE own, others;
static int over, enough;

static HANDLE open_file(void)
{
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);

    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    return file;
}

static BOOL lock(HANDLE file, DWORD flags, DWORD start, DWORD length)
{
    OVERLAPPED at = {.Offset = start};

    return LockFileEx(file, flags, 0, length, 0, &at);
}

static bool make_file(void)
{
    int fd = mkstemp(path);

    EXPECT_GE(fd, 0);
    close(fd);
    own = open_file();
    others = open_file();
    return tc_failures() == 0;
}

static int remove_file(void)
{
    CloseHandle(own);
    CloseHandle(others);
    unlink(path);
    return 0;
}

/* Whether some thread waits in the kernel for a lock of the file. */
static bool file_is_waited_for(void)
{
    struct stat status;
    char line[128], inode[32];
    bool found = false;
    FILE *locks = fopen("/proc/locks", "re");

    stat(path, &status);
    snprintf(inode, sizeof inode, ":%lu ", (unsigned long)status.st_ino);
    while (locks && !found && fgets(line, sizeof line, locks))
        found = strstr(line, "->") && strstr(line, inode);
    if (locks)
        fclose(locks);
    return found;
}

/* ---- In the kernel: two ranges of another handle, one behind the other ----------------------- */

static DWORD WINAPI locks_three_pieces(LPVOID unused)
{
    EXPECT_FAILS(lock(own, 0, 0, 30), ERROR_OPERATION_ABORTED);
    flag_set(&over, 1);
    return 0;
}

/* The call gets the first of its ranges and goes on to the second. It is cancelled before it has
 * that one. */
static int cancelled_in_between(void *as_worker)
{
    if (!make_file())
        return 0;
    EXPECT_OK(lock(own, 0, 10, 10));
    EXPECT_OK(lock(others, LOCKFILE_EXCLUSIVE_LOCK, 20, 10));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE scheduler, thread;
        long long started = now_ms();

        over = 0;
        EXPECT_OK(lock(others, LOCKFILE_EXCLUSIVE_LOCK, 0, 10));
        thread = start(as_worker, locks_three_pieces, &scheduler);
        while (!file_is_waited_for() && within_limit(started))
            continue;
        EXPECT_OK(UnlockFile(others, 0, 0, 10, 0));
        EXPECT_OK(CancelSynchronousIo(thread));
        if (await_flag(&over, 1))
            join(thread, scheduler);
    }
    return remove_file();
}

CALL_TEST(CancelledLock, between_a_threads_waits_for_the_kernel,
          EXPECT_IN_CHILD(cancelled_in_between, NULL, CHILD_LIMIT_MS))

CALL_TEST(CancelledLock, between_a_workers_waits_for_the_kernel,
          EXPECT_IN_CHILD(cancelled_in_between, (void *)"", CHILD_LIMIT_MS))

/* ---- Ended there ----------------------------------------------------------------------------- */

static int ended_in_the_kernel(void *as_worker)
{
    HANDLE scheduler, thread;
    long long started = now_ms();

    if (!make_file())
        return 0;
    EXPECT_OK(lock(others, LOCKFILE_EXCLUSIVE_LOCK, 0, 10));
    thread = start(as_worker, locks_three_pieces, &scheduler);
    while (!file_is_waited_for() && within_limit(started))
        continue;
    EXPECT_OK(TerminateThread(thread, 0));
    join(thread, scheduler);
    EXPECT_OK(UnlockFile(others, 0, 0, 10, 0));
    EXPECT_OK(lock(own, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 30));
    EXPECT_OK(UnlockFile(own, 0, 0, 30, 0));
    EXPECT_OK(lock(others, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 30));
    return remove_file();
}

CALL_TEST(CancelledLock, a_thread_that_is_ended_leaves_no_range,
          EXPECT_IN_CHILD(ended_in_the_kernel, NULL, CHILD_LIMIT_MS))

CALL_TEST(CancelledLock, a_worker_that_is_ended_leaves_no_range,
          EXPECT_IN_CHILD(ended_in_the_kernel, (void *)"", CHILD_LIMIT_MS))

/* ---- For the handle's own ranges ------------------------------------------------------------- */

static DWORD WINAPI locks_what_is_locked(LPVOID unused)
{
    EXPECT_FAILS(lock(own, LOCKFILE_EXCLUSIVE_LOCK, 0, 10), ERROR_OPERATION_ABORTED);
    flag_set(&over, 1);
    return 0;
}

/* Each of its unlocks makes a call that waits look again. */
static DWORD WINAPI churns(LPVOID unused)
{
    while (!flag_get(&enough)) {
        EXPECT_OK(lock(own, LOCKFILE_EXCLUSIVE_LOCK, ASIDE, 1));
        EXPECT_OK(UnlockFile(own, ASIDE, 0, 1, 0));
    }
    return 0;
}

static int cancelled_while_it_looks(void *as_worker)
{
    HANDLE other;

    if (!make_file())
        return 0;
    EXPECT_OK(lock(own, LOCKFILE_EXCLUSIVE_LOCK, 0, 10));
    other = CreateThread(NULL, 0, churns, NULL, 0, NULL);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        long long started = now_ms();
        HANDLE scheduler, thread;
        BOOL asked = FALSE;

        over = 0;
        thread = start(as_worker, locks_what_is_locked, &scheduler);
        while (!asked && within_limit(started))
            asked = CancelSynchronousIo(thread);
        EXPECT_OK(asked);
        if (await_flag(&over, 1))
            join(thread, scheduler);
    }
    flag_set(&enough, 1);
    join(other, NULL);
    return remove_file();
}

CALL_TEST(CancelledLock, while_a_thread_looks_again,
          EXPECT_IN_CHILD(cancelled_while_it_looks, NULL, CHILD_LIMIT_MS))

CALL_TEST(CancelledLock, while_a_worker_looks_again,
          EXPECT_IN_CHILD(cancelled_while_it_looks, (void *)"", CHILD_LIMIT_MS))
