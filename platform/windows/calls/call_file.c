/* SPDX-License-Identifier: MIT
 *
 * call_file.c - input and output on files, pipes, devices and sockets.
 *
 * A call on a handle opened for overlapped I/O returns STATUS_PENDING instead of waiting, and the
 * program waits by another call (call_wait.c). A call on any other handle may wait, and cannot be
 * tried first. If it is likely to be short (file_habits.h) the scheduler waits for it for a while
 * (short_calls.h). Of any other call the scheduler is told at once. A worker makes a call on NUL
 * wherever it is: the call belongs to no thread.
 *
 * The engine has to ask the system once what a file is. On Windows that question may wait as well,
 * for a pending read of a file that is open for synchronous use. So the worker's own thread asks,
 * while its scheduler watches.
 */
#include "platform/windows/calls/file_habits.h"
#include "platform/windows/calls/token_pin.h"
#include "platform/windows/switch/call.h"
#include "platform/windows/switch/call_notes.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/short_calls.h"
#include "platform/windows/waits/direct_signal.h"
#include "platform/windows/waits/handle_info.h"

/* The worker's own thread asks what the file is. False: that took long, so its scheduler has been
 * told, and the worker makes the call next. */
static bool ask_while_watched(struct plat_context *self, HANDLE file, uint64_t patience,
                              enum file_kind *kind)
{
    short_call_begin(self, patience);
    inplace_go_home(self);
    atomic_store_explicit(&self->call_began, plat_now(), memory_order_relaxed);
    *kind = file_kind_of(file);
    if (!short_call_end(self))
        return true;
    call_was_left(self);
    return false;
}

/* Returns the calling worker, on its own thread, if the call that it is about to make may wait; the
 * handler calls file_call_ends then. Handlers have no variables on the stack, so that for a thread
 * that is no worker they end in a jump. */
static struct plat_context *file_call_begins(const char *name, HANDLE file,
                                             enum file_operation operation)
{
    struct plat_context *self = call_worker();
    enum file_kind kind = UMS_LIKELY(!self) ? KIND_NEVER_WAITS : file_kind_known(file);
    if (kind == KIND_NEVER_WAITS)
        return NULL;
    struct file_habit *habit = file_habit_of(file, operation);
    uint64_t patience = file_patience(habit, kind, operation);
    bool told = false;
    self->call_habit = habit;
    call_note(self, name, (uintptr_t)file);
    if (kind == KIND_UNKNOWN && (patience == PATIENCE_ASK || handle_info_kept)) {
        told = !ask_while_watched(self, file, file_asking_patience(operation), &kind);
        patience = file_patience(habit, kind, operation);
    }
    if (!told) {
        if (kind == KIND_OVERLAPPED || kind == KIND_NEVER_WAITS) {
            inplace_go_home(self);
            return NULL;
        }
        if (patience) {
            short_call_begin(self, patience);
            inplace_go_home(self);
        } else if (!call_leave(self, CALL_FILE)) {
            return NULL;
        }
    }
    atomic_store_explicit(&self->call_began, plat_now(), memory_order_relaxed);
    return self;
}

static void file_call_ends(struct plat_context *self)
{
    bool lapsed = !self->inside && short_call_end(self);
    uint64_t took = plat_now() - atomic_load_explicit(&self->call_began, memory_order_relaxed);
    if (lapsed)
        call_was_left(self);
    file_learn(self->call_habit, took, lapsed);
    if (self->inside)
        call_return(self);
}

#define LEAVE_AND_CALL(self, call)                                                                 \
    if (UMS_LIKELY(!(self)))                                                                       \
        return call;                                                                               \
    NTSTATUS status = call;                                                                        \
    file_call_ends(self);                                                                          \
    return status

#define TRANSFER(stub, operation, buffer_type)                                                     \
    HANDLER(stub, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,      \
            buffer_type buffer, ULONG length, LARGE_INTEGER *offset, ULONG *key)                   \
    {                                                                                              \
        direct_share(event);                                                                       \
        struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, operation);          \
        LEAVE_AND_CALL(                                                                            \
            worker, ORIGINAL(stub)(file, event, apc, context, iosb, buffer, length, offset, key)); \
    }

TRANSFER(NtReadFile, FILE_READS, void *)
TRANSFER(NtWriteFile, FILE_WRITES, const void *)
TRANSFER(NtReadFileScatter, FILE_READS, void *)
TRANSFER(NtWriteFileGather, FILE_WRITES, const void *)

/* Pins a worker that has taken on its client's token to its own thread, before it can leave. It has
 * to ask for the worker where file_call_begins gave none. */
static NTSTATUS take_on_client(struct plat_context *worker, NTSTATUS status)
{
    struct plat_context *self = worker ? worker : call_worker();
    if (status >= 0)
        token_pin(self, true);
    if (worker)
        file_call_ends(worker);
    return status;
}

enum { PIPE_IMPERSONATE = 0x0011001C }; /* FSCTL_PIPE_IMPERSONATE */

HANDLER(NtFsControlFile, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,
        ULONG code, void *in, ULONG in_length, void *out, ULONG out_length)
{
    direct_share(event);
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    if (UMS_UNLIKELY(code == PIPE_IMPERSONATE))
        return take_on_client(worker,
                              ORIGINAL(NtFsControlFile)(file, event, apc, context, iosb, code, in,
                                                        in_length, out, out_length));
    LEAVE_AND_CALL(worker, ORIGINAL(NtFsControlFile)(file, event, apc, context, iosb, code, in,
                                                     in_length, out, out_length));
}

HANDLER(NtDeviceIoControlFile, HANDLE file, HANDLE event, void *apc, void *context,
        IO_STATUS_BLOCK *iosb, ULONG code, void *in, ULONG in_length, void *out, ULONG out_length)
{
    direct_share(event);
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    LEAVE_AND_CALL(worker, ORIGINAL(NtDeviceIoControlFile)(file, event, apc, context, iosb, code,
                                                           in, in_length, out, out_length));
}

HANDLER(NtFlushBuffersFile, HANDLE file, IO_STATUS_BLOCK *iosb)
{
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    LEAVE_AND_CALL(worker, ORIGINAL(NtFlushBuffersFile)(file, iosb));
}

HANDLER(NtFlushBuffersFileEx, HANDLE file, ULONG flags, void *parameters, ULONG bytes,
        IO_STATUS_BLOCK *iosb)
{
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    LEAVE_AND_CALL(worker, ORIGINAL(NtFlushBuffersFileEx)(file, flags, parameters, bytes, iosb));
}

/* The worker first asks for the lock or a failure, and leaves its scheduler only after a failure.
 * The attempt may itself wait for another thread's call on the file, so the scheduler watches it.
 * The key is a number on Windows and a pointer in Wine: the hook hands on all eight bytes. */
HANDLER(NtLockFile, HANDLE file, HANDLE event, void *apc, void *context, IO_STATUS_BLOCK *iosb,
        LARGE_INTEGER *offset, LARGE_INTEGER *length, ULONG_PTR key, BOOLEAN fail_at_once,
        BOOLEAN exclusive)
{
    direct_share(event);
    struct plat_context *self = call_worker();
    if (UMS_LIKELY(!self))
        return ORIGINAL(NtLockFile)(file, event, apc, context, iosb, offset, length, key,
                                    fail_at_once, exclusive);
    call_note(self, CALL_OF_HANDLER, (uintptr_t)file);
    short_call_begin(self, file_moment());
    inplace_go_home(self);
    atomic_store_explicit(&self->call_began, plat_now(), memory_order_relaxed);
    bool never_waits = fail_at_once || file_kind_of(file) == KIND_OVERLAPPED;
    NTSTATUS status = ORIGINAL(NtLockFile)(file, event, apc, context, iosb, offset, length, key,
                                           never_waits ? fail_at_once : TRUE, exclusive);
    bool left = short_call_end(self);
    if (left)
        call_was_left(self);
    if (!never_waits &&
        (status == CALL_STATUS_LOCK_NOT_GRANTED || status == CALL_STATUS_FILE_LOCK_CONFLICT)) {
        left = left || call_leave(self, CALL_FILE);
        status = ORIGINAL(NtLockFile)(file, event, apc, context, iosb, offset, length, key, FALSE,
                                      exclusive);
    }
    if (left)
        call_return(self);
    return status;
}

HANDLER(NtNotifyChangeDirectoryFile, HANDLE file, HANDLE event, void *apc, void *context,
        IO_STATUS_BLOCK *iosb, void *buffer, ULONG length, ULONG filter, BOOLEAN subtree)
{
    direct_share(event);
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    LEAVE_AND_CALL(worker, ORIGINAL(NtNotifyChangeDirectoryFile)(file, event, apc, context, iosb,
                                                                 buffer, length, filter, subtree));
}

HANDLER(NtNotifyChangeDirectoryFileEx, HANDLE file, HANDLE event, void *apc, void *context,
        IO_STATUS_BLOCK *iosb, void *buffer, ULONG length, ULONG filter, BOOLEAN subtree, int class)
{
    direct_share(event);
    struct plat_context *worker = file_call_begins(CALL_OF_HANDLER, file, FILE_CONTROLS);
    LEAVE_AND_CALL(worker,
                   ORIGINAL(NtNotifyChangeDirectoryFileEx)(file, event, apc, context, iosb, buffer,
                                                           length, filter, subtree, class));
}
