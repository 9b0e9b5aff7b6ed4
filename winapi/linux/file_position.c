/* SPDX-License-Identifier: MIT
 *
 * file_position.c - SetFilePointer, SetEndOfFile, GetFileSize and their kin.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/section.h"

/* 0 or a Win32 error. */
static DWORD seek(struct file *file, int64_t distance, DWORD method, int64_t *position)
{
    static const int whence[] = {
        [FILE_BEGIN] = SEEK_SET, [FILE_CURRENT] = SEEK_CUR, [FILE_END] = SEEK_END};
    if (method > FILE_END)
        return ERROR_INVALID_PARAMETER;
    *position = lseek(file->fd, distance, whence[method]);
    if (*position >= 0)
        return ERROR_SUCCESS;
    return errno == EINVAL ? ERROR_NEGATIVE_SEEK : win__error_of(errno);
}

BOOL WINAPI SetFilePointerEx(HANDLE hFile, LARGE_INTEGER liDistanceToMove,
                             PLARGE_INTEGER lpNewFilePointer, DWORD dwMoveMethod)
{
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    int64_t position;
    DWORD error = seek(file, liDistanceToMove.QuadPart, dwMoveMethod, &position);
    object_drop(&file->object);
    if (error)
        return win__fail(error);
    if (lpNewFilePointer)
        lpNewFilePointer->QuadPart = position;
    return TRUE;
}

DWORD WINAPI SetFilePointer(HANDLE hFile, LONG lDistanceToMove, PLONG lpDistanceToMoveHigh,
                            DWORD dwMoveMethod)
{
    struct file *file = win__file(hFile);
    if (!file)
        return INVALID_SET_FILE_POINTER;
    int64_t distance = lDistanceToMove, before = lseek(file->fd, 0, SEEK_CUR), position;
    if (lpDistanceToMoveHigh)
        distance =
            (int64_t)((uint64_t)(uint32_t)*lpDistanceToMoveHigh << 32 | (uint32_t)lDistanceToMove);
    DWORD error = seek(file, distance, dwMoveMethod, &position);
    if (!error && !lpDistanceToMoveHigh && position >= INVALID_SET_FILE_POINTER) {
        lseek(file->fd, before, SEEK_SET);
        error = ERROR_INVALID_PARAMETER; /* the caller gave no place for the upper half */
    }
    object_drop(&file->object);
    plat_set_last_error(error); /* set it on success, too: the result may look like an error */
    if (error)
        return INVALID_SET_FILE_POINTER;
    if (lpDistanceToMoveHigh)
        *lpDistanceToMoveHigh = (LONG)(position >> 32);
    return (DWORD)position;
}

BOOL WINAPI SetEndOfFile(HANDLE hFile)
{
    struct file *file = win__file_for(hFile, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    off_t position = lseek(file->fd, 0, SEEK_CUR);
    DWORD error = position < 0 ? win__error_of(errno) : 0;
    if (!error && win__mapped_beyond(file->fd, position))
        error = ERROR_USER_MAPPED_FILE;
    if (!error && ftruncate(file->fd, position))
        error = win__error_of(errno);
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI GetFileSizeEx(HANDLE hFile, PLARGE_INTEGER lpFileSize)
{
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    struct stat status;
    DWORD error = fstat(file->fd, &status) ? win__error_of(errno) : ERROR_SUCCESS;
    if (!error && file->type != FILE_TYPE_DISK)
        error = ERROR_INVALID_FUNCTION;
    object_drop(&file->object);
    if (error)
        return win__fail(error);
    lpFileSize->QuadPart = status.st_size;
    return TRUE;
}

DWORD WINAPI GetFileSize(HANDLE hFile, LPDWORD lpFileSizeHigh)
{
    LARGE_INTEGER size;
    if (!GetFileSizeEx(hFile, &size))
        return INVALID_FILE_SIZE;
    if (lpFileSizeHigh)
        *lpFileSizeHigh = (DWORD)(size.QuadPart >> 32);
    plat_set_last_error(ERROR_SUCCESS);
    return (DWORD)size.QuadPart;
}
