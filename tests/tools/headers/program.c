/* SPDX-License-Identifier: MIT
 *
 * program.c - a console program as a project wizard of the time began it: keywords before any
 * header, a _tmain, annotations, pragmas, the C run-time's threads and secure functions. Compiled
 * only.
 */
typedef unsigned __int64 ticks_t;

#define _WIN32_WINNT 0x0601
#define WINVER 0x0601

#pragma warning(disable : 4996)

#include <SDKDDKVer.h>

#include <stdio.h>
#include <tchar.h>

#define WIN32_LEAN_AND_MEAN
#include <Windows.h>
#include <Process.h>
#include <conio.h>
#include <crtdbg.h>
#include <VersionHelpers.h>
#include <intrin.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>

#pragma comment(lib, "kernel32.lib")
#ifndef _WIN32 /* gcc for Windows has no such word */
__pragma(warning(push))
#endif

    C_ASSERT(sizeof(ticks_t) == 8);
C_ASSERT(_WIN32_WINNT == 0x0601);
C_ASSERT(sizeof(LONG) == 4);
C_ASSERT(sizeof(LONGLONG) == 8);
C_ASSERT(sizeof(WCHAR) == 2);

typedef struct __declspec(align(64)) _WORKER {
    volatile long State;
    PUMS_CONTEXT Context;
    HANDLE Thread;
    volatile LONGLONG Yields;
} WORKER, *PWORKER;

C_ASSERT(TYPE_ALIGNMENT(WORKER) == 64);

static __declspec(thread) PWORKER t_Worker;
__declspec(selectany) int g_Verbose = 0;
static volatile long g_Running;

__forceinline ticks_t ReadTicks(VOID)
{
    return __rdtsc();
}

__declspec(noinline) static VOID Report(_In_z_ const char *Text, _In_ DWORD Error)
{
    char Line[128];

    sprintf_s(Line, sizeof(Line), "%s: %lu", Text, (unsigned long)Error);
    _tprintf(_T("%s\n"), Line);
}

__declspec(noreturn) static VOID Die(_In_z_ const char *Text)
{
    Report(Text, GetLastError());
    ExitProcess(1);
}

_Success_(return != 0) static BOOL GetYields(_In_ PWORKER Worker, _Out_ LONGLONG *Yields)
{
    *Yields = InterlockedCompareExchange64(&Worker->Yields, 0, 0);
    return TRUE;
}

static unsigned __stdcall ThreadProc(void *Parameter)
{
    PWORKER Worker = (PWORKER)Parameter;

    t_Worker = Worker;
    InterlockedIncrement(&g_Running);
    InterlockedExchange(&Worker->State, 1);
    InterlockedIncrement64(&Worker->Yields);
    while (g_Running < 1)
        YieldProcessor();
    _mm_pause();
    _ReadWriteBarrier();
    MemoryBarrier();
    InterlockedDecrement(&g_Running);
    _endthreadex(0);
    return 0;
}

static DWORD CALLBACK WorkerProc(__in_opt LPVOID lpParameter)
{
    UNREFERENCED_PARAMETER(lpParameter);
    return UmsThreadYield(NULL) ? 0 : GetLastError();
}

static VOID NTAPI SchedulerProc(_In_ RTL_UMS_SCHEDULER_REASON Reason,
                                _In_ ULONG_PTR ActivationPayload, _In_ PVOID SchedulerParam)
{
    UNREFERENCED_PARAMETER(SchedulerParam);
    switch (Reason) {
    case UmsSchedulerThreadYield:
        ExecuteUmsThread((PUMS_CONTEXT)ActivationPayload);
        break;
    default:
        __assume(Reason <= UmsSchedulerThreadYield);
    }
}

int __cdecl _tmain(int argc, _TCHAR *argv[])
{
    static WORKER Worker;
    UMS_SCHEDULER_STARTUP_INFO Info;
    LONGLONG Yields = 0;
    unsigned Id = 0;
    HANDLE Thread = (HANDLE)_beginthreadex(NULL, 0, &ThreadProc, &Worker, 0, &Id);
    LPTHREAD_START_ROUTINE Start = WorkerProc;
    void *Scratch = _alloca(64);

    _setmode(_fileno(stdout), _O_BINARY);
    if (argc > 1 && _tcscmp(argv[1], _T("-v")) == 0)
        g_Verbose = 1;
    ZeroMemory(&Info, sizeof(Info));
    Info.UmsVersion = UMS_VERSION;
    Info.SchedulerProc = SchedulerProc;
    Info.SchedulerParam = Scratch;
    if (!Thread || !EnterUmsSchedulingMode(&Info) || !Start)
        Die("EnterUmsSchedulingMode");
    WaitForSingleObject(Thread, min(1000u, 2000u));
    CloseHandle(Thread);
    _ASSERTE(GetYields(&Worker, &Yields));
    GetYields(&Worker, &Yields);
    return ReadTicks() == 0 || _CrtDumpMemoryLeaks() || max(Yields, 0) != 1 || _kbhit();
}
