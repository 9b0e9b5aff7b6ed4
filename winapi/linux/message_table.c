/* SPDX-License-Identifier: MIT
 *
 * message_table.c - a sentence for each error that this library's calls set, and for errors that
 * programs often use.
 */
#include <stdlib.h>

#include "winapi/linux/message_table.h"

struct message {
    DWORD error;
    const char *text;
};

/* In ascending order, for bsearch. */
static const struct message messages[] = {
    {ERROR_SUCCESS, "Nothing went wrong."},
    {ERROR_INVALID_FUNCTION, "This function does not exist or makes no sense here."},
    {ERROR_FILE_NOT_FOUND, "There is no file of this name."},
    {ERROR_PATH_NOT_FOUND, "There is no folder of this name."},
    {ERROR_TOO_MANY_OPEN_FILES, "Too many files are open."},
    {ERROR_ACCESS_DENIED, "Access was refused."},
    {ERROR_INVALID_HANDLE, "The handle is not valid."},
    {ERROR_NOT_ENOUGH_MEMORY, "There is not enough memory for this."},
    {ERROR_BAD_FORMAT, "The format is wrong."},
    {ERROR_INVALID_ACCESS, "The kind of access is not valid."},
    {ERROR_INVALID_DATA, "The data make no sense."},
    {ERROR_OUTOFMEMORY, "There is no memory left to finish this."},
    {ERROR_INVALID_DRIVE, "There is no such drive."},
    {ERROR_NOT_SAME_DEVICE, "Source and target lie on different devices."},
    {ERROR_NO_MORE_FILES, "There are no further files."},
    {ERROR_WRITE_PROTECT, "The medium cannot be written to."},
    {ERROR_NOT_READY, "The device is not ready."},
    {ERROR_BAD_LENGTH, "The length given is wrong."},
    {ERROR_WRITE_FAULT, "Writing to the device failed."},
    {ERROR_READ_FAULT, "Reading from the device failed."},
    {ERROR_GEN_FAILURE, "The operation failed for a reason that was not told."},
    {ERROR_SHARING_VIOLATION, "Somebody else is using the file."},
    {ERROR_LOCK_VIOLATION, "Somebody else has locked this part of the file."},
    {ERROR_HANDLE_EOF, "The end of the file was reached."},
    {ERROR_HANDLE_DISK_FULL, "The disk has no room left."},
    {ERROR_NOT_SUPPORTED, "This is not supported."},
    {ERROR_DEV_NOT_EXIST, "The device is not there."},
    {ERROR_FILE_EXISTS, "The file is there already."},
    {ERROR_CANNOT_MAKE, "The file or folder cannot be made."},
    {ERROR_INVALID_PARAMETER, "A parameter is wrong."},
    {ERROR_BROKEN_PIPE, "The other end of the pipe is closed."},
    {ERROR_OPEN_FAILED, "The file or device cannot be opened."},
    {ERROR_BUFFER_OVERFLOW, "The name is too long."},
    {ERROR_DISK_FULL, "The disk is full."},
    {ERROR_CALL_NOT_IMPLEMENTED, "This call is not available here."},
    {ERROR_SEM_TIMEOUT, "The semaphore did not come free in time."},
    {ERROR_INSUFFICIENT_BUFFER, "The buffer given is too small for the answer."},
    {ERROR_INVALID_NAME, "The name is not well formed."},
    {ERROR_MOD_NOT_FOUND, "There is no module of this name."},
    {ERROR_PROC_NOT_FOUND, "The module has no function of this name."},
    {ERROR_NEGATIVE_SEEK, "A file has no position before its beginning."},
    {ERROR_SEEK_ON_DEVICE, "This kind of file has no position."},
    {ERROR_DIR_NOT_EMPTY, "The folder is not empty."},
    {ERROR_NOT_LOCKED, "It is not locked."},
    {ERROR_BAD_PATHNAME, "The path makes no sense."},
    {ERROR_BUSY, "What was asked for is in use."},
    {ERROR_INVALID_ORDINAL, "The module has no function of this number."},
    {ERROR_ALREADY_EXISTS, "It is there already."},
    {ERROR_ENVVAR_NOT_FOUND, "There is no environment variable of this name."},
    {ERROR_FILENAME_EXCED_RANGE, "The file's name is too long."},
    {ERROR_FILE_TOO_LARGE, "The file would become too large."},
    {ERROR_BAD_PIPE, "The pipe is in no state for this."},
    {ERROR_PIPE_BUSY, "All ends of the pipe are in use."},
    {ERROR_NO_DATA, "The pipe is being closed."},
    {ERROR_PIPE_NOT_CONNECTED, "Nobody is at the other end of the pipe."},
    {ERROR_MORE_DATA, "There is more than was asked for."},
    {WAIT_TIMEOUT, "The time for the wait is over."},
    {ERROR_NO_MORE_ITEMS, "There are no further items."},
    {ERROR_DIRECTORY, "The name is not that of a folder."},
    {ERROR_NOT_OWNER, "The caller does not own what it wants to release."},
    {ERROR_TOO_MANY_POSTS, "The semaphore's count cannot go that high."},
    {ERROR_PARTIAL_COPY, "Only a part was transferred."},
    {ERROR_MR_MID_NOT_FOUND, "There is no message of this number."},
    {ERROR_INVALID_ADDRESS, "The address is not one this can be done at."},
    {ERROR_ARITHMETIC_OVERFLOW, "The result does not fit."},
    {ERROR_OPERATION_ABORTED, "The operation was given up because a thread ended or wished so."},
    {ERROR_IO_INCOMPLETE, "The operation is not finished yet."},
    {ERROR_IO_PENDING, "The operation was started and is on its way."},
    {ERROR_NOACCESS, "An address of the program's memory is not accessible."},
    {ERROR_STACK_OVERFLOW, "The stack is used up."},
    {ERROR_CAN_NOT_COMPLETE, "The function cannot finish."},
    {ERROR_INVALID_FLAGS, "The flags are wrong."},
    {ERROR_SERVICE_DOES_NOT_EXIST, "There is no service of this name."},
    {ERROR_IO_DEVICE, "The device reported a failure."},
    {ERROR_POSSIBLE_DEADLOCK, "Waiting here might never end."},
    {ERROR_DLL_INIT_FAILED, "A library could not start up."},
    {ERROR_NOT_FOUND, "It was not found."},
    {ERROR_CANCELLED, "It was called off."},
    {ERROR_INVALID_THREAD_ID, "There is no thread of this id."},
    {ERROR_NO_SYSTEM_RESOURCES, "The system has run out of what this needs."},
    {ERROR_WORKING_SET_QUOTA, "The memory that may be locked is used up."},
    {ERROR_TIMEOUT, "It took longer than was allowed."},
    {ERROR_CANT_RESOLVE_FILENAME, "The name leads nowhere or in circles."},
};

enum { MESSAGES = sizeof messages / sizeof *messages };

static int compare(const void *key, const void *entry)
{
    DWORD wanted = *(const DWORD *)key, here = ((const struct message *)entry)->error;
    return wanted < here ? -1 : wanted > here;
}

const char *win__message_text(DWORD error)
{
    /* Many programs ask for an HRESULT that only wraps a Win32 error. */
    if ((error & 0xFFFF0000) == 0x80070000)
        error &= 0xFFFF;
    const struct message *found = bsearch(&error, messages, MESSAGES, sizeof *messages, compare);
    return found ? found->text : NULL;
}
