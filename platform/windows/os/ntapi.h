/* SPDX-License-Identifier: MIT
 *
 * ntapi.h - the entry points of ntdll that the engine calls itself, found at run time.
 *
 * Where one is missing:
 *  - NtTerminateThread: TerminateThread does the same by way of kernel32
 *  - NtSuspendThread, NtResumeThread: SuspendThread, ResumeThread
 *  - NtQueryInformationThread: a worker's TEB is known only once its thread runs
 *  - NtQueryInformationFile: every handle counts as synchronous, so that a call on an overlapped
 *    one may give an extra Blocked
 *  - NtQueryVolumeInformationFile: no handle counts as a disk file or NUL, so that a call on one
 *    may give an extra Blocked
 *  - NtQueryObject: no worker waits for an object in user mode; its own thread waits
 *  - NtQueryEvent, NtQuerySemaphore: no object counts as private (handle_info.h)
 *  - NtQueryVirtualMemory: VirtualQuery does the same by way of kernel32
 *  - NtCompareObjects: a worker is not recognised behind a handle without the right to ask, if the
 *    handle cannot be duplicated into one with it
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_NTAPI_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_NTAPI_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>
#include <winternl.h>

struct ntapi {
    NTSTATUS(NTAPI *NtTerminateThread)(HANDLE thread, NTSTATUS status);
    NTSTATUS(NTAPI *NtSuspendThread)(HANDLE thread, ULONG *previous);
    NTSTATUS(NTAPI *NtResumeThread)(HANDLE thread, ULONG *previous);
    NTSTATUS(NTAPI *NtQueryInformationThread)
    (HANDLE thread, int class, void *information, ULONG length, ULONG *returned);
    NTSTATUS(NTAPI *NtQueryInformationFile)
    (HANDLE file, IO_STATUS_BLOCK *iosb, void *information, ULONG length, int class);
    NTSTATUS(NTAPI *NtQueryVolumeInformationFile)
    (HANDLE file, IO_STATUS_BLOCK *iosb, void *information, ULONG length, int class);
    NTSTATUS(NTAPI *NtQueryObject)
    (HANDLE object, int class, void *information, ULONG length, ULONG *returned);
    NTSTATUS(NTAPI *NtQueryEvent)
    (HANDLE event, int class, void *information, ULONG length, ULONG *returned);
    NTSTATUS(NTAPI *NtQuerySemaphore)
    (HANDLE semaphore, int class, void *information, ULONG length, ULONG *returned);
    NTSTATUS(NTAPI *NtCompareObjects)(HANDLE first, HANDLE second);
    NTSTATUS(NTAPI *NtQueryVirtualMemory)
    (HANDLE process, const void *address, int class, void *information, SIZE_T length,
     SIZE_T *returned);
};

extern struct ntapi nt;

void ntapi_resolve(void);

/* This is Wine. Its loader walks through TEBs in user mode, and its DLLs export names of system
 * calls that it lacks. */
bool ntapi_is_wine(void);

/* An export of ntdll, or NULL. Does not ask the loader. */
void *ntapi_find(const char *name);

/* Ends the calling thread: no notifications, no destructors. */
_Noreturn void ntapi_end_thread(uint32_t exit_code);

/* The same for another thread. */
void ntapi_end_other(HANDLE thread, uint32_t exit_code);

/* SuspendThread and ResumeThread, unseen by any hook. */
bool ntapi_suspend(HANDLE thread);
bool ntapi_suspend_counted(HANDLE thread, uint32_t *before);
bool ntapi_resume(HANDLE thread);

/* Whether there is committed memory at the address. */
bool ntapi_is_mapped(const void *address);

/* The address of a thread's TEB, or NULL. */
void *ntapi_teb_of(HANDLE thread);

#endif
