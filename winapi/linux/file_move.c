/* SPDX-License-Identifier: MIT
 *
 * file_move.c - MoveFile, MoveFileEx, ReplaceFile.
 *
 * A move is a rename, which is one step of the file system. To another file system MoveFileEx
 * copies a file and deletes its old name, if the flags allow that, but moves no folder, as on
 * Windows. A file that is to be replaced stays whole until the copy is: the copy gets a name of its
 * own first.
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

/* Whether both names are one file's. */
static bool is_same(const char *one, const char *other)
{
    struct stat first, second;
    return !lstat(one, &first) && !lstat(other, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* 0, or the error why the file at `to` may not be replaced. */
static DWORD why_kept(const char *from, const char *to)
{
    struct stat old, status;
    if (lstat(to, &status) || lstat(from, &old) || is_same(from, to))
        return ERROR_SUCCESS;
    if (S_ISDIR(status.st_mode) || S_ISDIR(old.st_mode) || win__is_read_only(&status))
        return ERROR_ACCESS_DENIED;
    return win__share_denies_delete(to) ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
}

/* Copies the file beside `to`, and then renames the copy to that. */
static DWORD replace_by_copy(const char *from, const char *to)
{
    const char *last = win__last_step(to);
    char *beside = NULL;
    DWORD error = ERROR_FILE_EXISTS;
    for (unsigned i = 0; error == ERROR_FILE_EXISTS; i++) {
        free(beside);
        if (asprintf(&beside, "%.*s.moves-%d-%u", (int)(last - to), to, getpid(), i) < 0)
            return ERROR_NOT_ENOUGH_MEMORY;
        error = win__copy(from, beside, false, NULL);
    }
    if (!error && rename(beside, to)) {
        error = win__error_of(errno);
        unlink(beside);
    }
    free(beside);
    return error;
}

/* If the old name cannot be deleted, the move has succeeded all the same, as documented. */
static DWORD move_by_copy(const char *from, const char *to, bool replace)
{
    struct stat status;
    if (lstat(from, &status))
        return win__open_error(from);
    if (!S_ISREG(status.st_mode))
        return ERROR_NOT_SAME_DEVICE;
    DWORD error = replace ? replace_by_copy(from, to) : win__copy(from, to, false, NULL);
    if (!error)
        unlink(from);
    return error == ERROR_FILE_EXISTS ? ERROR_ALREADY_EXISTS : error;
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

/* The replacement and the replaced file exchange names in one step. Then the old file gets the
 * backup's name, in one step, too: so an older backup is lost only when there is a new one. A file
 * system that cannot exchange names has the replaced file away from its name for a moment. */
static DWORD replace_and_keep(const char *replaced, const char *replacement, const char *backup)
{
    if (!renameat2(AT_FDCWD, replacement, AT_FDCWD, replaced, RENAME_EXCHANGE)) {
        if (!(is_same(replacement, backup) ? unlink(replacement) : rename(replacement, backup)))
            return ERROR_SUCCESS;
        renameat2(AT_FDCWD, replacement, AT_FDCWD, replaced, RENAME_EXCHANGE);
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return ERROR_UNABLE_TO_MOVE_REPLACEMENT;
    if (!is_same(replaced, backup) && rename(replaced, backup))
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    if (!rename(replacement, replaced))
        return ERROR_SUCCESS;
    return rename(backup, replaced) ? ERROR_UNABLE_TO_MOVE_REPLACEMENT_2
                                    : ERROR_UNABLE_TO_MOVE_REPLACEMENT;
}

/* Whether both paths are one name in one folder. Two names of one file are not. */
static bool is_one_name(const char *one, const char *other)
{
    const char *last = win__last_step(one), *of_other = win__last_step(other);
    char *folder = NULL, *beside = NULL;
    bool same =
        !strcmp(last, of_other) && asprintf(&folder, "%.*s.", (int)(last - one), one) >= 0 &&
        asprintf(&beside, "%.*s.", (int)(of_other - other), other) >= 0 && is_same(folder, beside);
    free(folder);
    free(beside);
    return same;
}

/* The replacement gets the permissions and attributes of the replaced file, then its name. The
 * replaced file stays under the backup's name, if the call gives one. */
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
    if (is_same(replaced, replacement) || win__share_denies_delete(replaced) ||
        win__share_denies_delete(replacement))
        return ERROR_SHARING_VIOLATION; /* the call shares the replacement with nobody */
    if (backup && (is_same(replacement, backup) || is_one_name(replaced, backup)))
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    DWORD error = win__set_attributes(replacement, old.attributes);
    if (!error && chmod(replacement, old.status.stx_mode & 07777))
        error = win__error_of(errno);
    if (error && !(flags & REPLACEFILE_IGNORE_MERGE_ERRORS))
        return ERROR_UNABLE_TO_REMOVE_REPLACED;
    if (backup)
        return replace_and_keep(replaced, replacement, backup);
    return rename(replacement, replaced) ? ERROR_UNABLE_TO_MOVE_REPLACEMENT : ERROR_SUCCESS;
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
