/* SPDX-License-Identifier: MIT
 *
 * file_information.c - GetFileInformationByHandle, SetFileInformationByHandle,
 * GetFinalPathNameByHandle and their kin.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/deletion.h"
#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_move.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/section.h"
#include "winapi/linux/text.h"

/* The file's present path, as the system knows it, in malloc's memory. NULL with the last error. */
static char *path_of(const struct file *file)
{
    char link[PROC_PATH], path[PATH_MAX + 1];
    win__proc_path(link, file->fd);
    ssize_t length = readlink(link, path, PATH_MAX);
    DWORD error = length < 0 ? win__error_of(errno) : ERROR_SUCCESS;
    if (!error && file->type != FILE_TYPE_DISK)
        error = ERROR_INVALID_FUNCTION;
    char *copy = error ? NULL : strndup(path, (size_t)length);
    if (!copy)
        win__fail(error ? error : ERROR_NOT_ENOUGH_MEMORY);
    return copy;
}

static DWORD facts_of(const struct file *file, struct file_facts *facts)
{
    if (!win__facts_of(file->fd, facts))
        return win__error_of(errno);
    return file->type == FILE_TYPE_DISK ? ERROR_SUCCESS : ERROR_INVALID_FUNCTION;
}

static bool is_folder(const struct file_facts *facts)
{
    return facts->attributes & FILE_ATTRIBUTE_DIRECTORY;
}

BOOL WINAPI GetFileInformationByHandle(HANDLE hFile, BY_HANDLE_FILE_INFORMATION *lpFileInformation)
{
    struct file_facts facts;
    if (!lpFileInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    DWORD error = facts_of(file, &facts);
    object_drop(&file->object);
    if (error)
        return win__fail(error);
    uint64_t size = is_folder(&facts) ? 0 : facts.status.stx_size;
    *lpFileInformation =
        (BY_HANDLE_FILE_INFORMATION){.dwFileAttributes = facts.attributes,
                                     .ftCreationTime = facts.created,
                                     .ftLastAccessTime = facts.accessed,
                                     .ftLastWriteTime = facts.written,
                                     .dwVolumeSerialNumber = win__volume_serial(&facts),
                                     .nFileSizeHigh = (DWORD)(size >> 32),
                                     .nFileSizeLow = (DWORD)size,
                                     .nNumberOfLinks = facts.status.stx_nlink,
                                     .nFileIndexHigh = (DWORD)(facts.status.stx_ino >> 32),
                                     .nFileIndexLow = (DWORD)facts.status.stx_ino};
    return TRUE;
}

/* ---- GetFileInformationByHandleEx ---------------------------------------------------------- */

static LARGE_INTEGER large(FILETIME time)
{
    return (LARGE_INTEGER){
        .QuadPart = (LONGLONG)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime)};
}

static DWORD give_name(const struct file *file, FILE_NAME_INFO *info, DWORD size)
{
    SIZE_T length;
    char *path = path_of(file);
    if (!path)
        return GetLastError();
    WCHAR *wide = win__widen(path, strlen(path), &length);
    free(path);
    if (!wide)
        return ERROR_NOT_ENOUGH_MEMORY;
    size_t room = size - offsetof(FILE_NAME_INFO, FileName), bytes = length * sizeof *wide;
    info->FileNameLength = (DWORD)bytes;
    memcpy(info->FileName, wide, bytes < room ? bytes : room);
    free(wide);
    return bytes > room ? ERROR_MORE_DATA : ERROR_SUCCESS;
}

/* The number of bytes that a class takes; 0: there is no such class here. */
static size_t bytes_of(FILE_INFO_BY_HANDLE_CLASS class)
{
    switch (class) {
    case FileBasicInfo:
        return sizeof(FILE_BASIC_INFO);
    case FileStandardInfo:
        return sizeof(FILE_STANDARD_INFO);
    case FileNameInfo:
        return sizeof(FILE_NAME_INFO);
    case FileAttributeTagInfo:
        return sizeof(FILE_ATTRIBUTE_TAG_INFO);
    default:
        return 0;
    }
}

static void fill(FILE_INFO_BY_HANDLE_CLASS class, const struct file *file,
                 const struct file_facts *facts, void *to)
{
    const struct statx *status = &facts->status;
    switch (class) {
    case FileBasicInfo:
        *(FILE_BASIC_INFO *)to = (FILE_BASIC_INFO){.CreationTime = large(facts->created),
                                                   .LastAccessTime = large(facts->accessed),
                                                   .LastWriteTime = large(facts->written),
                                                   .ChangeTime = large(facts->changed),
                                                   .FileAttributes = facts->attributes};
        break;
    case FileStandardInfo:
        *(FILE_STANDARD_INFO *)to = (FILE_STANDARD_INFO){
            .AllocationSize.QuadPart = (LONGLONG)status->stx_blocks * 512,
            .EndOfFile.QuadPart = is_folder(facts) ? 0 : (LONGLONG)status->stx_size,
            .NumberOfLinks = status->stx_nlink,
            .DeletePending = file->deletion != NULL,
            .Directory = is_folder(facts)};
        break;
    default:
        *(FILE_ATTRIBUTE_TAG_INFO *)to =
            (FILE_ATTRIBUTE_TAG_INFO){.FileAttributes = facts->attributes,
                                      .ReparseTag = facts->is_link ? IO_REPARSE_TAG_SYMLINK : 0};
    }
}

BOOL WINAPI GetFileInformationByHandleEx(HANDLE hFile,
                                         FILE_INFO_BY_HANDLE_CLASS FileInformationClass,
                                         LPVOID lpFileInformation, DWORD dwBufferSize)
{
    struct file_facts facts;
    size_t bytes = bytes_of(FileInformationClass);
    if (!bytes || !lpFileInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (dwBufferSize < bytes)
        return win__fail(ERROR_BAD_LENGTH);
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    DWORD error = facts_of(file, &facts);
    if (!error && FileInformationClass == FileNameInfo)
        error = give_name(file, lpFileInformation, dwBufferSize);
    else if (!error)
        fill(FileInformationClass, file, &facts, lpFileInformation);
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

/* ---- SetFileInformationByHandle ------------------------------------------------------------ */

static FILETIME small(LARGE_INTEGER time)
{
    return (FILETIME){(DWORD)time.QuadPart, (DWORD)(time.QuadPart >> 32)};
}

static DWORD set_basic(struct file *file, const FILE_BASIC_INFO *info)
{
    char path[PROC_PATH];
    FILETIME accessed = small(info->LastAccessTime), written = small(info->LastWriteTime);
    struct timespec times[] = {win__utime(&accessed), win__utime(&written)};
    if (!(file->access & FILE_MAY_SET))
        return ERROR_ACCESS_DENIED;
    win__proc_path(path, file->fd);
    if (utimensat(AT_FDCWD, path, times, 0))
        return win__error_of(errno);
    return info->FileAttributes ? win__set_attributes(path, info->FileAttributes) : ERROR_SUCCESS;
}

static DWORD set_size(struct file *file, LONGLONG size, bool only_shorten)
{
    struct stat status;
    if (!(file->access & FILE_MAY_WRITE))
        return ERROR_ACCESS_DENIED;
    if (size < 0)
        return ERROR_INVALID_PARAMETER;
    if (fstat(file->fd, &status))
        return win__error_of(errno);
    if (only_shorten && size > status.st_size) /* reserves room; the length stays */
        return fallocate(file->fd, FALLOC_FL_KEEP_SIZE, 0, size) && errno != EOPNOTSUPP
                   ? win__error_of(errno)
                   : ERROR_SUCCESS;
    if (win__mapped_beyond(file->fd, size))
        return ERROR_USER_MAPPED_FILE;
    return ftruncate(file->fd, size) ? win__error_of(errno) : ERROR_SUCCESS;
}

static DWORD set_disposition(struct file *file, bool delete)
{
    struct file_facts facts;
    if (!(file->access & FILE_MAY_DELETE))
        return ERROR_ACCESS_DENIED;
    DWORD error = facts_of(file, &facts);
    if (!error && delete &&facts.attributes & FILE_ATTRIBUTE_READONLY)
        error = ERROR_ACCESS_DENIED;
    char *path = !error && delete ? path_of(file) : NULL;
    if (!error && delete &&!path)
        error = GetLastError();
    struct deletion *deletion = path ? win__delete_later(path, file->fd, false) : NULL;
    if (path && !deletion)
        error = ERROR_NOT_ENOUGH_MEMORY;
    if (error)
        return error;
    /* A file that was opened to be deleted stays so, as FILE_DISPOSITION_INFO's page says. */
    win__delete_other(&file->deletion, deletion);
    return ERROR_SUCCESS;
}

static DWORD rename_by_handle(struct file *file, const FILE_RENAME_INFO *info, DWORD size)
{
    if (!(file->access & FILE_MAY_DELETE))
        return ERROR_ACCESS_DENIED;
    if (info->RootDirectory || info->FileNameLength % sizeof(WCHAR) || !info->FileNameLength ||
        info->FileNameLength > size - offsetof(FILE_RENAME_INFO, FileName))
        return ERROR_INVALID_PARAMETER;
    char *name = win__narrow(info->FileName, info->FileNameLength / sizeof(WCHAR), NULL);
    char *to = name ? win__plain_path(name) : NULL, *from = to ? path_of(file) : NULL;
    DWORD error = from
                      ? win__rename(from, to, info->ReplaceIfExists ? MOVEFILE_REPLACE_EXISTING : 0)
                  : name ? GetLastError()
                         : ERROR_NOT_ENOUGH_MEMORY;
    free(from);
    free(to);
    free(name);
    return error;
}

static DWORD set_class(struct file *file, FILE_INFO_BY_HANDLE_CLASS class, const void *info,
                       DWORD size)
{
    static const size_t wanted[] = {[FileBasicInfo] = sizeof(FILE_BASIC_INFO),
                                    [FileRenameInfo] = sizeof(FILE_RENAME_INFO),
                                    [FileDispositionInfo] = sizeof(FILE_DISPOSITION_INFO),
                                    [FileAllocationInfo] = sizeof(FILE_ALLOCATION_INFO),
                                    [FileEndOfFileInfo] = sizeof(FILE_END_OF_FILE_INFO)};
    if ((unsigned)class >= sizeof wanted / sizeof *wanted || !wanted[class])
        return ERROR_INVALID_PARAMETER;
    if (size < wanted[class])
        return ERROR_BAD_LENGTH;
    switch (class) {
    case FileBasicInfo:
        return set_basic(file, info);
    case FileRenameInfo:
        return rename_by_handle(file, info, size);
    case FileDispositionInfo:
        return set_disposition(file, ((const FILE_DISPOSITION_INFO *)info)->DeleteFile);
    case FileAllocationInfo:
        return set_size(file, ((const FILE_ALLOCATION_INFO *)info)->AllocationSize.QuadPart, true);
    default:
        return set_size(file, ((const FILE_END_OF_FILE_INFO *)info)->EndOfFile.QuadPart, false);
    }
}

BOOL WINAPI SetFileInformationByHandle(HANDLE hFile, FILE_INFO_BY_HANDLE_CLASS FileInformationClass,
                                       LPVOID lpFileInformation, DWORD dwBufferSize)
{
    if (!lpFileInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    DWORD error = file->type != FILE_TYPE_DISK
                      ? ERROR_INVALID_FUNCTION
                      : set_class(file, FileInformationClass, lpFileInformation, dwBufferSize);
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

/* The call would show old bytes of the disk behind a file's end. Here no one has the privilege for
 * it. */
BOOL WINAPI SetFileValidData(HANDLE hFile, LONGLONG ValidDataLength)
{
    (void)ValidDataLength;
    struct file *file = win__file_for(hFile, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    object_drop(&file->object);
    return win__fail(ERROR_PRIVILEGE_NOT_HELD);
}

/* ---- Paths --------------------------------------------------------------------------------- */

DWORD WINAPI GetFinalPathNameByHandleA(HANDLE hFile, LPSTR lpszFilePath, DWORD cchFilePath,
                                       DWORD dwFlags)
{
    if (dwFlags & ~(DWORD)(VOLUME_NAME_GUID | VOLUME_NAME_NT | VOLUME_NAME_NONE | FILE_NAME_OPENED))
        return (DWORD)win__fail(ERROR_INVALID_PARAMETER);
    struct file *file = win__file(hFile);
    if (!file)
        return 0;
    char *path = win__shown_path(path_of(file), 0);
    object_drop(&file->object);
    DWORD length = path ? win__give_text(path, lpszFilePath, cchFilePath) : 0;
    free(path);
    return length;
}

DWORD WINAPI GetFinalPathNameByHandleW(HANDLE hFile, LPWSTR lpszFilePath, DWORD cchFilePath,
                                       DWORD dwFlags)
{
    char path[PATH_MAX + 1];
    DWORD length = GetFinalPathNameByHandleA(hFile, path, sizeof path, dwFlags);
    return length ? win__give_wide(path, lpszFilePath, cchFilePath) : 0;
}
