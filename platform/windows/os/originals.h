/* SPDX-License-Identifier: MIT
 *
 * originals.h - the copies of the hooked stubs. A handler makes the real system call through them.
 *
 * A copy exists from the moment at which its hook is put on (hooks.h). Until then the pointer is
 * NULL, and it stays so where the system has no such stub.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_ORIGINALS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_ORIGINALS_H

#include <windows.h>
#include <winternl.h>

/* The copies of the stubs of calls.def, one for each row. */
enum call_number {
#define CALL(stub, class, completion, place, without) CALL_##stub,
#include "platform/windows/calls.def"
#undef CALL
    CALL_COUNT
};
extern void *call_originals[CALL_COUNT];

/* Begins the definition of a stub's handler, which has the stub's parameters. ORIGINAL calls the
 * stub that the handler replaces. */
#define HANDLER(stub, ...)                                                                         \
    NTSTATUS NTAPI call_##stub(__VA_ARGS__);                                                       \
    NTSTATUS NTAPI call_##stub(__VA_ARGS__)
#define ORIGINAL(stub) ((__typeof__(&call_##stub))call_originals[CALL_##stub])

/* Files below the handlers call these originals as well: they need only the types of the
 * handlers. */
NTSTATUS NTAPI call_NtWaitForSingleObject(HANDLE object, BOOLEAN alertable, LARGE_INTEGER *timeout);
NTSTATUS NTAPI call_NtWaitForAlertByThreadId(void *address, LARGE_INTEGER *timeout);
NTSTATUS NTAPI call_NtGetContextThread(HANDLE thread, CONTEXT *registers);
NTSTATUS NTAPI call_NtSetContextThread(HANDLE thread, const CONTEXT *registers);

/* The stubs that the hooks of wait_hooks.c replace: valid once it has installed them. */
struct wait_originals {
    NTSTATUS(NTAPI *NtSetEvent)(HANDLE, LONG *);
    NTSTATUS(NTAPI *NtSetEventBoostPriority)(HANDLE);
    NTSTATUS(NTAPI *NtResetEvent)(HANDLE, LONG *);
    NTSTATUS(NTAPI *NtClearEvent)(HANDLE);
    NTSTATUS(NTAPI *NtPulseEvent)(HANDLE, LONG *);
    NTSTATUS(NTAPI *NtReleaseSemaphore)(HANDLE, LONG, LONG *);
    NTSTATUS(NTAPI *NtClose)(HANDLE);
    NTSTATUS(NTAPI *NtDuplicateObject)
    (HANDLE, HANDLE, HANDLE, HANDLE *, ACCESS_MASK, ULONG, ULONG);
    NTSTATUS(NTAPI *NtAlertThreadByThreadId)(HANDLE);
    NTSTATUS(NTAPI *NtAlertThreadByThreadIdEx)(HANDLE, void *);
    NTSTATUS(NTAPI *NtAlertMultipleThreadByThreadId)(HANDLE *, ULONG, void *, void *);
};
extern struct wait_originals wait_originals;
#define ORIGINAL_OF(stub) wait_originals.stub

#define CALL_STATUS_TIMEOUT ((NTSTATUS)0x102)
#define CALL_STATUS_FILE_LOCK_CONFLICT ((NTSTATUS)0xC0000054)
#define CALL_STATUS_LOCK_NOT_GRANTED ((NTSTATUS)0xC0000055)

#endif
