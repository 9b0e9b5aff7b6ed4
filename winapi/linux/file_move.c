/* SPDX-License-Identifier: MIT
 *
 * file_move.c - MoveFile, MoveFileEx, ReplaceFile.
 *
 * A move is a rename, which is one step of the file system. To another file system MoveFileEx
 * copies a file and deletes its old name, if the flags allow that, but moves no folder, as on
 * Windows.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_copy.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_move.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/file_share.h"

/* Renames without replacing a file. Where the file system cannot do that in one step, a file that
 * another process makes under the name meanwhile is lost. 0 or errno. */
static int rename_to_fresh(const char *from, const char *to)
{
    struct stat status;
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (!lstat(to, &status))
        return EEXIST;
    return rename(from, to) ? errno : 0;
}

/* 0, or the error why the file at `to` may not be replaced. */
static DWORD why_kept(const char *from, const char *to)
{
    struct stat old, status;
    if (lstat(to, &status) || lstat(from, &old))
        return ERROR_SUCCESS;
    if (old.st_dev == status.st_dev && old.st_ino == status.st_ino)
        return ERROR_SUCCESS;
    if (S_ISDIR(status.st_mode) || S_ISDIR(old.st_mode) || win__is_read_only(&status))
        return ERROR_ACCESS_DENIED;
    return win__share_denies_delete(to) ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
}

static DWORD move_by_copy(const char *from, const char *to, bool replace)
{
    struct stat status;
    if (lstat(from, &status))
        return win__open_error(from);
    if (!S_ISREG(status.st_mode))
        return ERROR_NOT_SAME_DEVICE;
    DWORD error = win__copy(from, to, replace, NULL);
    if (error)
        return error == ERROR_FILE_EXISTS ? ERROR_ALREADY_EXISTS : error;
    return unlink(from) ? win__error_of(errno) : ERROR_SUCCESS;
}

/* Writes the folder's entry to the disk. */
static void flush_folder_of(const char *path)
{
    const char *last = win__last_step(path);
    char *folder = last == path ? strdup(".") : strndup(path, (size_t)(last - path));
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

DWORD win__rename(const char *from, const char *to, DWORD flags)
{
    bool replace = flags & MOVEFILE_REPLACE_EXISTING;
    DWORD error = replace ? why_kept(from, to) : ERROR_SUCCESS;
    if (error)
        return error;
    int failed = replace ? (rename(from, to) ? errno : 0) : rename_to_fresh(from, to);
    struct stat status;
    if (failed == EXDEV && flags & MOVEFILE_COPY_ALLOWED) {
        error = move_by_copy(from, to, replace);
    } else if (failed == ENOENT) {
        errno = ENOENT;
        error = lstat(from, &status) ? win__open_error(from) : ERROR_PATH_NOT_FOUND;
    } else if (failed) {
        error = win__error_of(failed);
    }
    if (!error && flags & MOVEFILE_WRITE_THROUGH)
        flush_folder_of(to);
    return error;
}

BOOL WINAPI MoveFileExA(LPCSTR lpExistingFileName, LPCSTR lpNewFileName, DWORD dwFlags)
{
    if (dwFlags & MOVEFILE_DELAY_UNTIL_REBOOT)
        return win__fail(ERROR_ACCESS_DENIED); /* as on Windows without an administrator's rights */
    if (dwFlags &
        ~(DWORD)(MOVEFILE_REPLACE_EXISTING | MOVEFILE_COPY_ALLOWED | MOVEFILE_WRITE_THROUGH))
        return win__fail(ERROR_INVALID_PARAMETER);
    char *from = win__plain_path(lpExistingFileName);
    char *to = from ? win__plain_path(lpNewFileName) : NULL;
    DWORD error = !to                              ? GetLastError()
                  : win__share_denies_delete(from) ? ERROR_SHARING_VIOLATION
                                                   : win__rename(from, to, dwFlags);
    free(to);
    free(from);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI MoveFileExW(LPCWSTR lpExistingFileName, LPCWSTR lpNewFileName, DWORD dwFlags)
{
    char *from = win__name(lpExistingFileName), *to = from ? win__name(lpNewFileName) : NULL;
    BOOL done = to && MoveFileExA(from, to, dwFlags);
    free(to);
    free(from);
    return done;
}

BOOL WINAPI MoveFileA(LPCSTR lpExistingFileName, LPCSTR lpNewFileName)
{
    return MoveFileExA(lpExistingFileName, lpNewFileName, MOVEFILE_COPY_ALLOWED);
}

BOOL WINAPI MoveFileW(LPCWSTR lpExistingFileName, LPCWSTR lpNewFileName)
{
    return MoveFileExW(lpExistingFileName, lpNewFileName, MOVEFILE_COPY_ALLOWED);
}

/* ---- ReplaceFile --------------------------------------------------------------------------- */

/* The replacement gets the permissions and attributes of the replaced file, then its name. The
 * replaced file stays under the backup's name, if the call gives one. Nothing changes under the
 * replaced name before the last step. */
static DWORD replace(const char *replaced, const char *replacement, const char *backup, DWORD flags)
{
    struct file_facts old;
    struct stat status;
    if (!win__facts_at(replaced, &old))
        return win__open_error(replaced);
    if (lstat(replacement, &status))
        return win__open_error(replacement);
    if (!S_ISREG(old.status.stx_mode) || !S_ISREG(status.st_mode) ||
        old.attributes & FILE_ATTRIBUTE_READONLY)
        return ERROR_ACCESS_DENIED;
    if (win__share_denies_delete(replaced) || win__share_denies_delete(replacement))
        return ERROR_SHARING_VIOLATION;
    DWORD error = win__set_attributes(replacement, old.attributes);
    if (!error && chmod(replacement, old.status.stx_mode & 07777))
        error = win__error_of(errno);
    if (error && !(flags & REPLACEFILE_IGNORE_MERGE_ERRORS))
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    if (backup && ((unlink(backup) && errno != ENOENT) || link(replaced, backup)))
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    if (!rename(replacement, replaced))
        return ERROR_SUCCESS;
    if (backup)
        unlink(backup);
    return ERROR_UNABLE_TO_MOVE_REPLACEMENT;
}

BOOL WINAPI ReplaceFileA(LPCSTR lpReplacedFileName, LPCSTR lpReplacementFileName,
                         LPCSTR lpBackupFileName, DWORD dwReplaceFlags, LPVOID lpExclude,
                         LPVOID lpReserved)
{
    if (!lpReplacedFileName || !lpReplacementFileName || lpExclude || lpReserved)
        return win__fail(ERROR_INVALID_PARAMETER);
    char *replaced = win__plain_path(lpReplacedFileName);
    char *replacement = replaced ? win__plain_path(lpReplacementFileName) : NULL;
    char *backup = replacement && lpBackupFileName ? win__plain_path(lpBackupFileName) : NULL;
    bool complete = replacement && (backup || !lpBackupFileName);
    DWORD error =
        complete ? replace(replaced, replacement, backup, dwReplaceFlags) : GetLastError();
    free(backup);
    free(replacement);
    free(replaced);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI ReplaceFileW(LPCWSTR lpReplacedFileName, LPCWSTR lpReplacementFileName,
                         LPCWSTR lpBackupFileName, DWORD dwReplaceFlags, LPVOID lpExclude,
                         LPVOID lpReserved)
{
    if (!lpReplacedFileName || !lpReplacementFileName)
        return win__fail(ERROR_INVALID_PARAMETER);
    char *replaced = win__name(lpReplacedFileName);
    char *replacement = replaced ? win__name(lpReplacementFileName) : NULL;
    char *backup = replacement && lpBackupFileName ? win__name(lpBackupFileName) : NULL;
    BOOL done = replacement && (backup || !lpBackupFileName) &&
                ReplaceFileA(replaced, replacement, backup, dwReplaceFlags, lpExclude, lpReserved);
    free(backup);
    free(replacement);
    free(replaced);
    return done;
}
