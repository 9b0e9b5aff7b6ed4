/* SPDX-License-Identifier: MIT
 *
 * ntapi.c - see ntapi.h.
 */
#include "platform/windows/os/ntapi.h"

#include "platform/check.h"
#include "platform/windows/os/system_images.h"

/* How long ntapi_teb_of waits for a thread's TEB. Only a thread that never begins takes so long; on
 * a busy machine a thread takes seconds to begin. */
enum { TEB_LIMIT_MS = 30000, STILL_RUNS = 0x103 /* STATUS_PENDING */ };

struct ntapi nt;
static bool is_wine;

void *ntapi_find(const char *name)
{
    return system_function(system_images.ntdll, name);
}

bool ntapi_is_wine(void)
{
    return is_wine;
}

void ntapi_resolve(void)
{
    is_wine = ntapi_find("wine_get_version") != NULL;
    nt.NtTerminateThread = ntapi_find("NtTerminateThread");
    nt.NtSuspendThread = ntapi_find("NtSuspendThread");
    nt.NtResumeThread = ntapi_find("NtResumeThread");
    nt.NtQueryInformationThread = ntapi_find("NtQueryInformationThread");
    nt.NtQueryInformationFile = ntapi_find("NtQueryInformationFile");
    nt.NtQueryVolumeInformationFile = ntapi_find("NtQueryVolumeInformationFile");
    nt.NtQueryObject = ntapi_find("NtQueryObject");
    nt.NtQueryEvent = ntapi_find("NtQueryEvent");
    nt.NtQuerySemaphore = ntapi_find("NtQuerySemaphore");
    nt.NtCompareObjects = ntapi_find("NtCompareObjects");
    nt.NtQueryVirtualMemory = ntapi_find("NtQueryVirtualMemory");
}

_Noreturn void ntapi_end_thread(uint32_t exit_code)
{
    if (nt.NtTerminateThread)
        nt.NtTerminateThread(GetCurrentThread(), (NTSTATUS)exit_code);
    TerminateThread(GetCurrentThread(), exit_code);
    UMS_FATAL("a thread would not end", exit_code, 0);
}

void ntapi_end_other(HANDLE thread, uint32_t exit_code)
{
    if (nt.NtTerminateThread)
        nt.NtTerminateThread(thread, (NTSTATUS)exit_code);
    else
        TerminateThread(thread, exit_code);
}

bool ntapi_suspend_counted(HANDLE thread, uint32_t *before)
{
    ULONG count = 0;
    bool done;
    if (nt.NtSuspendThread)
        done = nt.NtSuspendThread(thread, &count) >= 0;
    else
        done = (count = SuspendThread(thread)) != (DWORD)-1;
    *before = count;
    return done;
}

bool ntapi_suspend(HANDLE thread)
{
    uint32_t ignored;
    return ntapi_suspend_counted(thread, &ignored);
}

bool ntapi_resume(HANDLE thread)
{
    if (nt.NtResumeThread)
        return nt.NtResumeThread(thread, NULL) >= 0;
    return ResumeThread(thread) != (DWORD)-1;
}

bool ntapi_is_mapped(const void *address)
{
    MEMORY_BASIC_INFORMATION region;
    if (!nt.NtQueryVirtualMemory)
        return VirtualQuery(address, &region, sizeof region) && region.State == MEM_COMMIT;
    return nt.NtQueryVirtualMemory(GetCurrentProcess(), address, 0 /* MemoryBasicInformation */,
                                   &region, sizeof region, NULL) >= 0 &&
           region.State == MEM_COMMIT;
}

void *ntapi_teb_of(HANDLE thread)
{
    struct {
        NTSTATUS exit_status;
        void *teb;
        void *process_id, *thread_id;
        ULONG_PTR affinity;
        LONG priority, base_priority;
    } basic = {0};
    if (!nt.NtQueryInformationThread)
        return NULL;
    /* Wine makes the TEB on the new thread, before anything of the process runs there. A thread
     * that is ended before that never has one. */
    for (ULONGLONG end = GetTickCount64() + TEB_LIMIT_MS; GetTickCount64() < end;
         SwitchToThread()) {
        if (nt.NtQueryInformationThread(thread, 0 /* ThreadBasicInformation */, &basic,
                                        sizeof basic, NULL) < 0)
            return NULL;
        if (basic.teb || basic.exit_status != STILL_RUNS)
            break;
    }
    return basic.teb;
}
