/* SPDX-License-Identifier: MIT
 *
 * win32_file_locks.c - LockFile and LockFileEx: ranges of a file that one handle keeps for itself.
 *
 * modes: ways
 * with: folder.c
 * except: unlocked_as_they_were_locked
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

static HANDLE open_file(void)
{
    return CreateFileA(in_folder("file"), GENERIC_READ | GENERIC_WRITE,
                       FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
}

static HANDLE one;
static HANDLE other;

static void begin(void)
{
    folder_make();
    file_make("file", "0123456789");
    one = open_file();
    other = open_file();
}

static void end(void)
{
    EXPECT_OK(CloseHandle(one));
    EXPECT_OK(CloseHandle(other));
    folder_remove("file", NULL);
}

static BOOL lock(HANDLE file, DWORD start, DWORD length, DWORD flags)
{
    OVERLAPPED at = {0};

    at.Offset = start;
    return LockFileEx(file, flags, 0, length, 0, &at);
}

static BOOL unlock(HANDLE file, DWORD start, DWORD length)
{
    OVERLAPPED at = {0};

    at.Offset = start;
    return UnlockFileEx(file, 0, length, 0, &at);
}

enum { AT_ONCE = LOCKFILE_FAIL_IMMEDIATELY, ALONE = LOCKFILE_EXCLUSIVE_LOCK };

TEST_IN_EACH_KIND(Win32FileLocks, handles_keep_each_other_out)
{
    begin();
    EXPECT_OK(LockFile(one, 2, 0, 4, 0));
    EXPECT_FAILS(LockFile(other, 5, 0, 1, 0), ERROR_LOCK_VIOLATION);
    EXPECT_FAILS(lock(other, 0, 3, AT_ONCE), ERROR_LOCK_VIOLATION);
    EXPECT_OK(LockFile(other, 6, 0, 4, 0));
    EXPECT_OK(LockFile(other, 0, 0, 2, 0));
    EXPECT_OK(LockFile(other, 100, 1, 5, 0)); /* far behind the end */
    EXPECT_OK(UnlockFile(one, 2, 0, 4, 0));
    EXPECT_OK(LockFile(other, 2, 0, 4, 0));
    EXPECT_OK(UnlockFile(other, 2, 0, 4, 0));
    EXPECT_OK(UnlockFile(other, 0, 0, 2, 0));
    EXPECT_FAILS(LockFile(one, 6, 0, 4, 0), ERROR_LOCK_VIOLATION);
    end(); /* closing a handle unlocks what is left */
}

TEST_IN_EACH_KIND(Win32FileLocks, unlocked_as_they_were_locked)
{
    begin();
    EXPECT_OK(LockFile(one, 2, 0, 4, 0));
    EXPECT_FAILS(UnlockFile(one, 2, 0, 3, 0), ERROR_NOT_LOCKED);
    EXPECT_FAILS(UnlockFile(other, 2, 0, 4, 0), ERROR_NOT_LOCKED);
    EXPECT_OK(UnlockFile(one, 2, 0, 4, 0));
    EXPECT_FAILS(UnlockFile(one, 2, 0, 4, 0), ERROR_NOT_LOCKED);
    end();
}

TEST_IN_EACH_KIND(Win32FileLocks, shared_and_exclusive)
{
    begin();
    EXPECT_OK(lock(one, 0, 4, AT_ONCE));
    EXPECT_OK(lock(other, 0, 4, AT_ONCE));
    EXPECT_FAILS(lock(other, 2, 4, AT_ONCE | ALONE), ERROR_LOCK_VIOLATION);
    EXPECT_FAILS(lock(one, 2, 4, AT_ONCE | ALONE), ERROR_LOCK_VIOLATION); /* nor over its own */
    EXPECT_OK(unlock(one, 0, 4));
    EXPECT_OK(unlock(other, 0, 4));
    EXPECT_OK(lock(one, 0, 4, AT_ONCE | ALONE));
    EXPECT_OK(unlock(one, 0, 4));
    end();
}

TEST_IN_EACH_KIND(Win32FileLocks, overlapping_ranges_of_one_handle)
{
    begin();
    EXPECT_OK(lock(one, 0, 4, AT_ONCE));
    EXPECT_OK(lock(one, 2, 4, AT_ONCE));
    EXPECT_OK(unlock(one, 0, 4));
    EXPECT_OK(lock(other, 0, 2, AT_ONCE | ALONE));                          /* free again */
    EXPECT_FAILS(lock(other, 2, 2, AT_ONCE | ALONE), ERROR_LOCK_VIOLATION); /* the second's still */
    EXPECT_OK(unlock(one, 2, 4));
    EXPECT_OK(lock(other, 2, 2, AT_ONCE | ALONE));
    EXPECT_OK(unlock(other, 2, 2));
    EXPECT_OK(unlock(other, 0, 2));
    end();
}

TEST_IN_EACH_KIND(Win32FileLocks, a_whole_file)
{
    OVERLAPPED at = {0};

    begin();
    EXPECT_OK(LockFileEx(one, ALONE | AT_ONCE, 0, MAXDWORD, MAXDWORD, &at));
    EXPECT_FAILS(lock(other, 1000, 1, AT_ONCE), ERROR_LOCK_VIOLATION);
    EXPECT_OK(UnlockFileEx(one, 0, MAXDWORD, MAXDWORD, &at));
    EXPECT_OK(lock(other, 1000, 1, AT_ONCE));
    end();
}

static void wait_for_range(void *file)
{
    EXPECT_OK(lock(*(HANDLE *)file, 2, 4, ALONE));
}

static void free_range(void *unused)
{
    EXPECT_OK(UnlockFile(one, 0, 0, 6, 0));
}

static void wait_on_kind(enum kind kind, HANDLE *file)
{
    begin();
    EXPECT_OK(LockFile(one, 0, 0, 6, 0));
    on_kind(kind, wait_for_range, free_range, file);
    EXPECT_OK(unlock(*file, 2, 4));
    end();
}

TEST(Win32FileLocks, a_wait_for_another_handles_range)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        wait_on_kind(kind, &other);
}

TEST(Win32FileLocks, a_wait_for_a_range_of_the_same_handle)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        wait_on_kind(kind, &one);
}

TEST_IN_EACH_KIND(Win32FileLocks, bad_arguments)
{
    OVERLAPPED at = {0};
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    begin();
    EXPECT_FAILS(LockFile(event, 0, 0, 1, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(LockFile(NULL, 0, 0, 1, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(LockFileEx(one, 0, 1, 1, 0, &at), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(UnlockFileEx(one, 1, 1, 0, &at), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(event));
    end();
}
