/* SPDX-License-Identifier: MIT
 *
 * file_copy.c - CopyFile, CopyFileEx.
 *
 * The kernel copies (copy_file_range), and shares the blocks where the file system can. Where the
 * kernel refuses, a loop with a buffer copies.
 */
#include "winapi/linux/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/file_share.h"

enum { CHUNK = 1 << 20, BUFFER = 1 << 16 };

struct copy {
    int from, to;
    off_t size, done;
    const struct copy_watch *watch;
    bool quiet; /* the program's routine has answered PROGRESS_QUIET */
};

/* Calls the program's routine. 0: go on; else ERROR_REQUEST_ABORTED. *keep: the copy stays,
 * then. */
static DWORD tell(struct copy *copy, DWORD reason, bool *keep)
{
    const struct copy_watch *watch = copy->watch;
    if (watch && watch->cancel && *(volatile BOOL *)watch->cancel)
        return ERROR_REQUEST_ABORTED;
    if (!watch || !watch->routine || copy->quiet)
        return ERROR_SUCCESS;
    LARGE_INTEGER size = {.QuadPart = copy->size}, done = {.QuadPart = copy->done};
    switch (watch->routine(size, done, size, done, 1, reason, (HANDLE)(LONG_PTR)-1,
                           (HANDLE)(LONG_PTR)-1, watch->argument)) {
    case PROGRESS_QUIET:
        copy->quiet = true;
        return ERROR_SUCCESS;
    case PROGRESS_STOP:
        *keep = true;
        return ERROR_REQUEST_ABORTED;
    case PROGRESS_CANCEL:
        return ERROR_REQUEST_ABORTED;
    default:
        return ERROR_SUCCESS;
    }
}

/* Copies one piece. Returns the number of bytes; 0 at the end; -1 with errno. */
static ssize_t by_buffer(int from, int to)
{
    char *buffer = malloc(BUFFER);
    if (!buffer) {
        errno = ENOMEM;
        return -1;
    }
    ssize_t got;
    do
        got = read(from, buffer, BUFFER);
    while (got < 0 && errno == EINTR);
    for (ssize_t put = 0; put < got;) {
        ssize_t count = write(to, buffer + put, (size_t)(got - put));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            got = -1;
            break;
        }
        put += count;
    }
    int error = errno;
    free(buffer);
    errno = error;
    return got;
}

/* A file of /proc claims to have no bytes, and copy_file_range believes that. So a read makes sure
 * when the first piece is empty. */
static ssize_t next_piece(const struct copy *copy, bool *plain)
{
    if (!*plain) {
        ssize_t count = copy_file_range(copy->from, NULL, copy->to, NULL, CHUNK, 0);
        if (count > 0 || (!count && copy->done))
            return count;
        if (count < 0 && (errno == ENOSPC || errno == EFBIG || errno == EIO || errno == EDQUOT))
            return count;
        *plain = true;
    }
    return by_buffer(copy->from, copy->to);
}

static DWORD copy_content(struct copy *copy, bool *keep)
{
    bool plain = false;
    DWORD error = tell(copy, CALLBACK_STREAM_SWITCH, keep);
    while (!error) {
        ssize_t count = next_piece(copy, &plain);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return win__error_of(errno);
        if (!count)
            break;
        copy->done += count;
        error = tell(copy, CALLBACK_CHUNK_FINISHED, keep);
    }
    return error;
}

/* Opens the target as an empty file. 0 or a Win32 error. */
static DWORD open_copy(const char *to, bool replace, const struct stat *original, int *fd,
                       bool *existed)
{
    struct stat status;
    mode_t mode = original->st_mode & 0777;
    *fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | S_IWUSR);
    *existed = *fd < 0;
    if (*fd >= 0)
        return ERROR_SUCCESS;
    if (errno != EEXIST)
        return win__open_error(to);
    if (!replace)
        return ERROR_FILE_EXISTS;
    if (!stat(to, &status) && (S_ISDIR(status.st_mode) || win__is_read_only(&status)))
        return ERROR_ACCESS_DENIED;
    *fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, mode | S_IWUSR);
    if (*fd < 0)
        return win__open_error(to);
    DWORD error = fstat(*fd, &status) ? win__error_of(errno) : ERROR_SUCCESS;
    bool same = !error && status.st_dev == original->st_dev && status.st_ino == original->st_ino;
    if (same || (!error && win__share_denies(*fd, FILE_MAY_WRITE)))
        error = ERROR_SHARING_VIOLATION;
    if (!error && ftruncate(*fd, 0))
        error = win__error_of(errno);
    if (error)
        close(*fd);
    return error;
}

static DWORD copy_opened(int from, const char *path, const char *to, bool replace,
                         const struct copy_watch *watch)
{
    struct stat original;
    struct file_facts facts;
    struct copy copy = {.from = from, .watch = watch};
    if (fstat(from, &original) || !win__facts_at(path, &facts))
        return win__error_of(errno);
    if (S_ISDIR(original.st_mode))
        return ERROR_ACCESS_DENIED;
    if (win__share_denies(from, FILE_MAY_READ))
        return ERROR_SHARING_VIOLATION;
    bool existed, keep = false;
    DWORD error = open_copy(to, replace, &original, &copy.to, &existed);
    if (error)
        return error;
    copy.size = original.st_size;
    error = copy_content(&copy, &keep);
    if (!error) {
        struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, original.st_mtim};
        futimens(copy.to, times);
        error = win__set_attributes(to, facts.attributes);
        if (error == ERROR_NOT_SUPPORTED)
            error = ERROR_SUCCESS; /* the target's file system keeps no attributes */
    }
    if (close(copy.to) && !error && errno != EINTR)
        error = win__error_of(errno);
    if (error && !keep)
        unlink(to);
    return error;
}

DWORD win__copy(const char *from, const char *to, bool replace, const struct copy_watch *watch)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return win__open_error(from);
    DWORD error = copy_opened(fd, from, to, replace, watch);
    close(fd);
    return error;
}

BOOL WINAPI CopyFileExA(LPCSTR lpExistingFileName, LPCSTR lpNewFileName,
                        LPPROGRESS_ROUTINE lpProgressRoutine, LPVOID lpData, LPBOOL pbCancel,
                        DWORD dwCopyFlags)
{
    struct copy_watch watch = {lpProgressRoutine, lpData, pbCancel};
    char *from = win__plain_path(lpExistingFileName);
    char *to = from ? win__plain_path(lpNewFileName) : NULL;
    bool replace = !(dwCopyFlags & COPY_FILE_FAIL_IF_EXISTS);
    DWORD error = to ? win__copy(from, to, replace, &watch) : GetLastError();
    free(to);
    free(from);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI CopyFileExW(LPCWSTR lpExistingFileName, LPCWSTR lpNewFileName,
                        LPPROGRESS_ROUTINE lpProgressRoutine, LPVOID lpData, LPBOOL pbCancel,
                        DWORD dwCopyFlags)
{
    char *from = win__name(lpExistingFileName), *to = from ? win__name(lpNewFileName) : NULL;
    BOOL done = to && CopyFileExA(from, to, lpProgressRoutine, lpData, pbCancel, dwCopyFlags);
    free(to);
    free(from);
    return done;
}

BOOL WINAPI CopyFileA(LPCSTR lpExistingFileName, LPCSTR lpNewFileName, BOOL bFailIfExists)
{
    return CopyFileExA(lpExistingFileName, lpNewFileName, NULL, NULL, NULL,
                       bFailIfExists ? COPY_FILE_FAIL_IF_EXISTS : 0);
}

BOOL WINAPI CopyFileW(LPCWSTR lpExistingFileName, LPCWSTR lpNewFileName, BOOL bFailIfExists)
{
    return CopyFileExW(lpExistingFileName, lpNewFileName, NULL, NULL, NULL,
                       bFailIfExists ? COPY_FILE_FAIL_IF_EXISTS : 0);
}
