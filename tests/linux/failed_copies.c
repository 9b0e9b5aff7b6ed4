/* SPDX-License-Identifier: MIT
 *
 * failed_copies.c - copies, moves and replacements that fail in the middle: which files are there
 * afterwards, and with which content.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"
#include "path_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT_MS = 10000, NO_MOUNT = 71, LARGE = 2 << 20, FILE_LIMIT = 96 << 10 };

static char folder[64];

static const char *in(const char *name)
{
    return path_in(folder, name);
}

static void put(const char *path, char byte, size_t bytes)
{
    char *content = malloc(bytes);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    ASSERT_NE((intptr_t)content, 0);
    memset(content, byte, bytes);
    EXPECT_EQ(write(fd, content, bytes), (ssize_t)bytes);
    close(fd);
    free(content);
}

/* The file has so many bytes, all of this one. */
static void expect_content(const char *path, char byte, size_t bytes)
{
    char *content = malloc(LARGE + 1);
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, content, LARGE + 1);
    ssize_t same = 0;

    while (same < got && content[same] == byte)
        same++;
    EXPECT_THAT(got == (ssize_t)bytes && same == got, "%s has %zd bytes, %zd of them '%c' first",
                path, got, same, byte);
    close(fd);
    free(content);
}

static bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

static int names_in_folder(void)
{
    DIR *open = opendir(folder);
    int count = -2; /* . and .. */

    while (open && readdir(open))
        count++;
    closedir(open);
    return count;
}

/* A folder of the child's own: another file system, with room for one megabyte. */
static void mount_small(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", folder, "tmpfs", MS_NOSUID, "size=1m"))
        _exit(NO_MOUNT);
}

static void in_small_folder(child_body body)
{
    struct child_result result;

    strcpy(folder, "/tmp/ums-copies-XXXXXX");
    ASSERT_OK(mkdtemp(folder) != NULL);
    result = child_run(body, NULL, LIMIT_MS);
    EXPECT_EQ(rmdir(folder), 0);
    if (result.exited && result.code == NO_MOUNT) {
        check_skip("only root may mount");
        return;
    }
    EXPECT_CHILD_OK(result);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes};

    signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int full_disk(void *unused)
{
    char large[] = "/tmp/ums-large-XXXXXX";

    (void)unused;
    mount_small();
    close(mkstemp(large));
    put(large, 'n', LARGE);
    put(in("target"), 'o', 3000);
    EXPECT_FAILS(CopyFileA(large, in("target"), FALSE), ERROR_DISK_FULL);
    expect_content(in("target"), 'o', 3000);
    EXPECT_FAILS(CopyFileA(large, in("fresh"), FALSE), ERROR_DISK_FULL);
    EXPECT_EQ(is_there(in("fresh")), false);
    EXPECT_EQ(symlink("target", in("link")), 0);
    EXPECT_FAILS(CopyFileA(large, in("link"), FALSE), ERROR_DISK_FULL);
    EXPECT_EQ(is_there(in("link")), true);
    expect_content(in("target"), 'o', 3000);
    put(large, 'n', 200000); /* it is the space that was short: nothing of it is held back */
    EXPECT_OK(CopyFileA(large, in("link"), FALSE));
    EXPECT_EQ(is_there(in("link")), true);
    expect_content(in("target"), 'n', 200000);
    put(large, 'm', 10);
    EXPECT_OK(CopyFileA(large, in("target"), FALSE));
    expect_content(in("target"), 'm', 10);
    unlink(large);
    return 0;
}

TEST(FailedCopies, full_disk)
{
    in_small_folder(full_disk);
}

/* The kernel refuses the write behind the first bytes, so the old content is lost, but no name. */
static int in_the_middle(void *unused)
{
    struct stat before, after;

    (void)unused;
    mount_small();
    put(in("source"), 'n', 3 * FILE_LIMIT);
    put(in("target"), 'o', 3000);
    EXPECT_EQ(symlink("target", in("link")), 0);
    EXPECT_EQ(symlink("nothing", in("dangling")), 0);
    EXPECT_EQ(stat(in("target"), &before), 0);
    limit_files(FILE_LIMIT);
    EXPECT_EQ(CopyFileA(in("source"), in("target"), FALSE), FALSE);
    EXPECT_EQ(stat(in("target"), &after), 0);
    EXPECT_EQ(after.st_ino, before.st_ino);
    EXPECT_EQ(CopyFileA(in("source"), in("link"), FALSE), FALSE);
    EXPECT_EQ(is_there(in("link")), true);
    EXPECT_EQ(is_there(in("target")), true);
    expect_content(in("source"), 'n', 3 * FILE_LIMIT);
    EXPECT_EQ(CopyFileA(in("source"), in("fresh"), FALSE), FALSE);
    EXPECT_EQ(is_there(in("fresh")), false);
    EXPECT_EQ(CopyFileA(in("source"), in("dangling"), FALSE), FALSE);
    EXPECT_EQ(is_there(in("dangling")), true);
    EXPECT_EQ(is_there(in("nothing")), false);
    return 0;
}

TEST(FailedCopies, in_the_middle)
{
    in_small_folder(in_the_middle);
}

/* ---- Cancelled ------------------------------------------------------------------------------- */

static DWORD CALLBACK answer(LARGE_INTEGER size, LARGE_INTEGER done, LARGE_INTEGER stream_size,
                             LARGE_INTEGER stream_done, DWORD stream, DWORD reason, HANDLE from,
                             HANDLE to, LPVOID arg)
{
    (void)size, (void)stream_size, (void)stream_done, (void)stream, (void)reason;
    (void)from, (void)to;
    return done.QuadPart ? *(const DWORD *)arg : PROGRESS_CONTINUE;
}

static bool is_cancelled(const char *to, DWORD how, BOOL *at_once)
{
    SetLastError(SENTINEL);
    return !CopyFileExA(in("source"), to, answer, &how, at_once, 0) &&
           GetLastError() == ERROR_REQUEST_ABORTED;
}

/* A copy that the program cancels is deleted, whichever names lead to it. */
static int cancelled(void *unused)
{
    BOOL at_once = TRUE, no = FALSE;

    (void)unused;
    mount_small();
    put(in("source"), 'n', 100);
    put(in("target"), 'o', 3000);
    EXPECT_EQ(symlink("target", in("link")), 0);
    EXPECT_EQ(is_cancelled(in("target"), PROGRESS_CONTINUE, &at_once), true);
    EXPECT_EQ(is_cancelled(in("link"), PROGRESS_CONTINUE, &at_once), true);
    expect_content(in("target"), 'o', 3000); /* of which nothing was replaced yet */
    EXPECT_EQ(is_cancelled(in("link"), PROGRESS_STOP, &no), true);
    EXPECT_EQ(is_there(in("target")), true);
    EXPECT_EQ(is_cancelled(in("link"), PROGRESS_CANCEL, &no), true);
    EXPECT_EQ(is_there(in("link")), true);
    EXPECT_EQ(is_there(in("target")), false);
    put(in("target"), 'o', 3000);
    EXPECT_EQ(is_cancelled(in("target"), PROGRESS_CANCEL, &no), true);
    EXPECT_EQ(is_there(in("target")), false);
    return 0;
}

TEST(FailedCopies, cancelled)
{
    in_small_folder(cancelled);
}

/* ---- Moved to another file system ------------------------------------------------------------ */

enum { BY_COPY = MOVEFILE_COPY_ALLOWED | MOVEFILE_REPLACE_EXISTING };

static int moved(void *unused)
{
    char large[] = "/tmp/ums-large-XXXXXX";
    struct stat status;

    (void)unused;
    mount_small();
    close(mkstemp(large));
    put(large, 'n', LARGE);
    put(in("target"), 'o', 3000);
    EXPECT_EQ(symlink("target", in("link")), 0);
    EXPECT_FAILS(MoveFileExA(large, in("target"), BY_COPY), ERROR_DISK_FULL);
    expect_content(in("target"), 'o', 3000);
    EXPECT_FAILS(MoveFileExA(large, in("fresh"), BY_COPY), ERROR_DISK_FULL);
    EXPECT_FAILS(MoveFileExA(large, in("fresh"), MOVEFILE_COPY_ALLOWED), ERROR_DISK_FULL);
    expect_content(large, 'n', LARGE);
    EXPECT_EQ(names_in_folder(), 2);
    put(large, 'n', 4000);
    EXPECT_FAILS(MoveFileExA(large, in("target"), MOVEFILE_COPY_ALLOWED), ERROR_ALREADY_EXISTS);
    EXPECT_OK(MoveFileExA(large, in("link"), BY_COPY)); /* as a rename: replaces the link */
    EXPECT_EQ(lstat(in("link"), &status), 0);
    EXPECT_EQ(S_ISREG(status.st_mode), true);
    expect_content(in("link"), 'n', 4000);
    expect_content(in("target"), 'o', 3000);
    EXPECT_EQ(is_there(large), false);
    EXPECT_EQ(names_in_folder(), 2);
    return 0;
}

TEST(FailedCopies, moved)
{
    in_small_folder(moved);
}

/* The file is at its new place, and the old name cannot be deleted: success, as documented. */
static int moved_from_a_read_only_disk(void *unused)
{
    char target[] = "/tmp/ums-target-XXXXXX";

    (void)unused;
    mount_small();
    put(in("source"), 'n', 3000);
    EXPECT_EQ(mount("none", folder, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
    close(mkstemp(target));
    EXPECT_OK(MoveFileExA(in("source"), target, BY_COPY));
    expect_content(target, 'n', 3000);
    expect_content(in("source"), 'n', 3000);
    unlink(target);
    return 0;
}

TEST(FailedCopies, moved_from_a_read_only_disk)
{
    in_small_folder(moved_from_a_read_only_disk);
}

/* ---- Replaced -------------------------------------------------------------------------------- */

/* A replacement on another file system gets nowhere, and an older backup stays. */
static int replaced(void *unused)
{
    char away[] = "/tmp/ums-away-XXXXXX";

    (void)unused;
    mount_small();
    close(mkstemp(away));
    put(away, 'n', 10);
    put(in("replaced"), 'o', 20);
    put(in("backup"), 'b', 30);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), away, in("backup"), 0, NULL, NULL),
                 ERROR_UNABLE_TO_MOVE_REPLACEMENT);
    expect_content(in("replaced"), 'o', 20);
    expect_content(in("backup"), 'b', 30);
    expect_content(away, 'n', 10);
    unlink(away);
    put(in("replacement"), 'n', 10);
    EXPECT_EQ(mkdir(in("folder"), 0700), 0);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), in("replacement"), in("folder"), 0, NULL, NULL),
                 ERROR_UNABLE_TO_REMOVE_REPLACED);
    expect_content(in("replaced"), 'o', 20);
    expect_content(in("replacement"), 'n', 10);
    EXPECT_OK(ReplaceFileA(in("replaced"), in("replacement"), in("backup"), 0, NULL, NULL));
    expect_content(in("replaced"), 'n', 10);
    expect_content(in("backup"), 'o', 20);
    EXPECT_EQ(is_there(in("replacement")), false);
    EXPECT_EQ(link(in("replaced"), in("other")), 0);
    put(in("replacement"), 'm', 5); /* the backup is another name of the replaced file by now */
    EXPECT_OK(ReplaceFileA(in("replaced"), in("replacement"), in("other"), 0, NULL, NULL));
    expect_content(in("replaced"), 'm', 5);
    expect_content(in("other"), 'n', 10);
    EXPECT_EQ(is_there(in("replacement")), false);
    return 0;
}

TEST(FailedCopies, replaced)
{
    in_small_folder(replaced);
}

/* Two of the three names are one: each content stays under its name. */
static int replaced_by_itself(void *unused)
{
    char twice[300];

    (void)unused;
    mount_small();
    snprintf(twice, sizeof twice, "%s/../replaced", in("folder"));
    EXPECT_EQ(mkdir(in("folder"), 0700), 0);
    put(in("replaced"), 'o', 20);
    put(in("replacement"), 'n', 10);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), in("replaced"), in("backup"), 0, NULL, NULL),
                 ERROR_SHARING_VIOLATION);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), twice, NULL, 0, NULL, NULL), ERROR_SHARING_VIOLATION);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), in("replacement"), in("replacement"), 0, NULL, NULL),
                 ERROR_UNABLE_TO_REMOVE_REPLACED);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), in("replacement"), in("replaced"), 0, NULL, NULL),
                 ERROR_UNABLE_TO_REMOVE_REPLACED);
    EXPECT_FAILS(ReplaceFileA(in("replaced"), in("replacement"), twice, 0, NULL, NULL),
                 ERROR_UNABLE_TO_REMOVE_REPLACED);
    expect_content(in("replaced"), 'o', 20);
    expect_content(in("replacement"), 'n', 10);
    EXPECT_EQ(is_there(in("backup")), false);
    return 0;
}

TEST(FailedCopies, replaced_by_itself)
{
    in_small_folder(replaced_by_itself);
}
