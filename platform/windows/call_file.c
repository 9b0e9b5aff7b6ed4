/* SPDX-License-Identifier: MIT
 *
 * call_file.c - input and output on files, pipes, devices and sockets.
 *
 * A handle opened for overlapped I/O returns STATUS_PENDING instead of waiting, and what waits then
 * is a wait (call_wait.c). Any other may wait in the call, and there is no way to try; so the
 * scheduler is told each time, which is allowed: a Blocked may turn out short.
 */
#include "platform/windows/calls.h"
#include "platform/windows/handoff.h"
#include "platform/windows/inplace.h"
#include "platform/windows/ntapi.h"

enum { FILE_MODE_CLASS = 16, SYNCHRONOUS_IO = 0x10 | 0x20 };

/* The calling worker, if calls on this handle may wait. */
static struct plat_context *worker_on(HANDLE file)
{
    struct plat_context *self = call_worker();
    if (UMS_LIKELY(!self))
        return NULL;
    inplace_go_home(self);
    IO_STATUS_BLOCK iosb;
    ULONG mode = 0;
    bool overlapped =
        nt.NtQueryInformationFile &&
        nt.NtQueryInformationFile(file, &iosb, &mode, sizeof mode, FILE_MODE_CLASS) >= 0 &&
        !(mode & SYNCHRONOUS_IO);
    return overlapped ? NULL : self;
}

#define LEAVE_AND_CALL(self, call)                                                                 \
    if (UMS_LIKELY(!(self)) || !call_leave(self, CALL_FILE))                                       \
        return call;                                                                               \
    NTSTATUS status = call;                                                                        \
    call_return(self);                                                                             \
    return status

#define TRANSFER(stub, buffer_type)                                                                \
    HANDLER(stub, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,      \
            buffer_type buffer, ULONG length, LARGE_INTEGER *offset, ULONG *key)                   \
    {                                                                                              \
        handoff_share(event);                                                                      \
        struct plat_context *worker = worker_on(file);                                             \
        LEAVE_AND_CALL(                                                                            \
            worker, ORIGINAL(stub)(file, event, apc, context, iosb, buffer, length, offset, key)); \
    }

TRANSFER(NtReadFile, void *)
TRANSFER(NtWriteFile, const void *)

#define CONTROL(stub)                                                                              \
    HANDLER(stub, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,      \
            ULONG code, void *in, ULONG in_length, void *out, ULONG out_length)                    \
    {                                                                                              \
        handoff_share(event);                                                                      \
        struct plat_context *worker = worker_on(file);                                             \
        LEAVE_AND_CALL(worker, ORIGINAL(stub)(file, event, apc, context, iosb, code, in,           \
                                              in_length, out, out_length));                        \
    }

CONTROL(NtFsControlFile)
CONTROL(NtDeviceIoControlFile)

HANDLER(NtFlushBuffersFile, HANDLE file, IO_STATUS_BLOCK *iosb)
{
    struct plat_context *worker = call_worker();
    LEAVE_AND_CALL(worker, ORIGINAL(NtFlushBuffersFile)(file, iosb));
}

/* Here is a way to try: to ask for failure where it would wait. */
HANDLER(NtLockFile, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,
        LARGE_INTEGER *offset, LARGE_INTEGER *length, ULONG key, BOOLEAN fail_at_once,
        BOOLEAN exclusive)
{
    handoff_share(event);
    struct plat_context *worker = fail_at_once ? NULL : worker_on(file);
    if (worker) {
        NTSTATUS tried = ORIGINAL(NtLockFile)(file, event, apc, context, iosb, offset, length, key,
                                              TRUE, exclusive);
        if (tried != CALL_STATUS_LOCK_NOT_GRANTED && tried != CALL_STATUS_FILE_LOCK_CONFLICT)
            return tried;
    }
    LEAVE_AND_CALL(worker, ORIGINAL(NtLockFile)(file, event, apc, context, iosb, offset, length,
                                                key, fail_at_once, exclusive));
}

HANDLER(NtNotifyChangeDirectoryFile, HANDLE file, HANDLE event, void *apc, void *context,
        IO_STATUS_BLOCK *iosb, void *buffer, ULONG length, ULONG filter, BOOLEAN subtree)
{
    handoff_share(event);
    struct plat_context *worker = worker_on(file);
    LEAVE_AND_CALL(worker, ORIGINAL(NtNotifyChangeDirectoryFile)(file, event, apc, context, iosb,
                                                                 buffer, length, filter, subtree));
}
