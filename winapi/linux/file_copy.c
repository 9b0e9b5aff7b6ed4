/* SPDX-License-Identifier: MIT
 *
 * file_copy.c - CopyFile, CopyFileEx.
 *
 * The kernel copies (copy_file_range), and shares the blocks where the file system can. Where the
 * kernel refuses, a loop with a buffer copies.
 *
 * A copy that replaces a file writes into that file, which keeps its owner, its other names and the
 * links that lead to it. Its old content is lost with the first byte that is written. So the call
 * asks for the disk's space before that, and cuts the file to the copy's size behind the last byte.
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
    bool quiet;   /* the program's routine has answered PROGRESS_QUIET */
    bool keep;    /* it has answered PROGRESS_STOP */
    bool existed; /* the call has not made the target */
};

/* Calls the program's routine. 0: go on; else ERROR_REQUEST_ABORTED. */
static DWORD tell(struct copy *copy, DWORD reason)
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
        copy->keep = true;
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

/* Has the disk's space for the whole copy, where the file system can promise it. */
static DWORD reserve(const struct copy *copy)
{
    if (!copy->existed || !copy->size || !fallocate(copy->to, FALLOC_FL_KEEP_SIZE, 0, copy->size))
        return ERROR_SUCCESS;
    bool short_of = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return short_of ? win__error_of(errno) : ERROR_SUCCESS;
}

static DWORD copy_content(struct copy *copy)
{
    bool plain = false;
    DWORD error = tell(copy, CALLBACK_STREAM_SWITCH);
    if (!error)
        error = reserve(copy);
    while (!error) {
        ssize_t count = next_piece(copy, &plain);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return win__error_of(errno);
        if (!count)
            break;
        copy->done += count;
        error = tell(copy, CALLBACK_CHUNK_FINISHED);
    }
    if (!error && copy->existed && ftruncate(copy->to, copy->done) && errno != EINVAL)
        error = win__error_of(errno); /* EINVAL: a device, which has no size */
    return error;
}

/* Opens the target, and writes nothing yet. 0 or a Win32 error. */
static DWORD open_copy(struct copy *copy, const char *to, bool replace, const struct stat *original)
{
    struct stat status;
    mode_t mode = original->st_mode & 0777;
    copy->to = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | S_IWUSR);
    if (copy->to >= 0)
        return ERROR_SUCCESS;
    if (errno != EEXIST)
        return win__open_error(to);
    if (!replace)
        return ERROR_FILE_EXISTS;
    copy->existed = !stat(to, &status); /* else it is a link that leads to nothing */
    if (copy->existed && (S_ISDIR(status.st_mode) || win__is_read_only(&status)))
        return ERROR_ACCESS_DENIED;
    copy->to = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, mode | S_IWUSR);
    if (copy->to < 0)
        return win__open_error(to);
    DWORD error = fstat(copy->to, &status) ? win__error_of(errno) : ERROR_SUCCESS;
    bool same = !error && status.st_dev == original->st_dev && status.st_ino == original->st_ino;
    if (same || (!error && win__share_denies(copy->to, FILE_MAY_WRITE)))
        error = ERROR_SHARING_VIOLATION;
    if (error)
        close(copy->to);
    return error;
}

/* The copy has failed. A file that the call made goes. One that it began to replace goes, too, if
 * the program has cancelled the copy, as documented; else its name keeps the part that was copied,
 * for no documentation says that it is lost. One that was not written to stays as it was. `to` may
 * be a link: the link stays in any case. */
static void give_up(const struct copy *copy, const char *to, DWORD error)
{
    struct stat status;
    off_t written = lseek(copy->to, 0, SEEK_CUR);
    if (copy->keep || fstat(copy->to, &status))
        return;
    if (!copy->existed || (written > 0 && error == ERROR_REQUEST_ABORTED)) {
        win__delete_name(to, copy->to, &status, false);
    } else if (S_ISREG(status.st_mode)) {
        off_t size =
            written > 0 ? written : status.st_size; /* gives back space that was asked for */
        if (ftruncate(copy->to, size))
            return;
    }
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
    DWORD error = open_copy(&copy, to, replace, &original);
    if (error)
        return error;
    copy.size = original.st_size;
    error = copy_content(&copy);
    if (!error) {
        struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, original.st_mtim};
        futimens(copy.to, times);
        error = win__set_attributes(to, facts.attributes);
        if (error == ERROR_NOT_SUPPORTED)
            error = ERROR_SUCCESS; /* the target's file system keeps no attributes */
    }
    if (!error && close(dup(copy.to)) && errno != EBADF && errno != EINTR)
        error = win__error_of(errno); /* of a write that the file system had put off */
    if (error)
        give_up(&copy, to, error);
    close(copy.to);
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
