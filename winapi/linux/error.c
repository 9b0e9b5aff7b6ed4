/* SPDX-License-Identifier: MIT
 *
 * error.c - the table from errno to Win32 errors.
 *
 * Where Windows has a more precise error (for a file that exists already, or a pipe whose other end
 * is gone), the call that knows the situation gives that one instead.
 */
#include <errno.h>

#include "winapi/linux/error.h"

DWORD win__error_of(int posix_error)
{
    switch (posix_error) {
    case 0:
        return ERROR_SUCCESS;
    case EACCES:
    case EPERM:
    case EISDIR:
        return ERROR_ACCESS_DENIED;
    case ENOENT:
        return ERROR_FILE_NOT_FOUND;
    case ENOTDIR:
        return ERROR_PATH_NOT_FOUND;
    case EEXIST:
        return ERROR_ALREADY_EXISTS;
    case EMFILE:
    case ENFILE:
        return ERROR_TOO_MANY_OPEN_FILES;
    case ENOMEM:
    case EAGAIN:
        return ERROR_NOT_ENOUGH_MEMORY;
    case EBADF:
        return ERROR_INVALID_HANDLE;
    case EINVAL:
        return ERROR_INVALID_PARAMETER;
    case EFAULT:
        return ERROR_NOACCESS;
    case ENOSPC:
    case EDQUOT:
        return ERROR_DISK_FULL;
    case EFBIG:
        return ERROR_FILE_TOO_LARGE;
    case EROFS:
        return ERROR_WRITE_PROTECT;
    case ETXTBSY:
        return ERROR_SHARING_VIOLATION;
    case EBUSY:
        return ERROR_BUSY;
    case ENAMETOOLONG:
        return ERROR_FILENAME_EXCED_RANGE;
    case ELOOP:
        return ERROR_CANT_RESOLVE_FILENAME;
    case ENOTEMPTY:
        return ERROR_DIR_NOT_EMPTY;
    case EXDEV:
        return ERROR_NOT_SAME_DEVICE;
    case ENODEV:
    case ENXIO:
        return ERROR_DEV_NOT_EXIST;
    case EPIPE:
        return ERROR_NO_DATA;
    case EINTR: /* only from CancelSynchronousIo: other interrupted calls are made again */
        return ERROR_OPERATION_ABORTED;
    case ESPIPE:
        return ERROR_SEEK_ON_DEVICE;
    case EIO:
        return ERROR_IO_DEVICE;
    case ENOSYS:
    case EOPNOTSUPP:
        return ERROR_NOT_SUPPORTED;
    default:
        return ERROR_GEN_FAILURE;
    }
}

BOOL win__fail_errno(void)
{
    return win__fail(win__error_of(errno));
}
