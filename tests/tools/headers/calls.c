/* SPDX-License-Identifier: MIT
 *
 * calls.c - Win32 declarations that programs beside UMS need, newer ones among them. Compiled only:
 * what is in the library is another matter.
 */
#include <windows.h>

#include <synchapi.h>
#include <processthreadsapi.h>
#include <sysinfoapi.h>
#include <heapapi.h>
#include <errhandlingapi.h>
#include <handleapi.h>
#include <interlockedapi.h>
#include <profileapi.h>
#include <minwindef.h>
#include <winerror.h>
#include <strsafe.h>

#if _WIN32_WINNT < 0x0601
#error the version a source gets that does not say has no UMS
#endif

static SRWLOCK Lock = SRWLOCK_INIT;
static CONDITION_VARIABLE Ready = CONDITION_VARIABLE_INIT;
static INIT_ONCE Once = INIT_ONCE_STATIC_INIT;
static SLIST_HEADER Free;
static long Value;

static __forceinline long Load(void)
{
    return Value;
}

static BOOL CALLBACK InitializeOnce(PINIT_ONCE InitOnce, PVOID Parameter, PVOID *Context)
{
    return InitOnce != NULL && Parameter == Context;
}

static VOID CALLBACK Work(PTP_CALLBACK_INSTANCE Instance, PVOID Context, PTP_WORK Item)
{
    (void)Context;
    (void)Item;
    DisassociateCurrentThreadFromCallback(Instance);
}

static VOID CALLBACK Tick(PVOID Parameter, BOOLEAN Fired)
{
    (void)Parameter;
    (void)Fired;
}

int Locks(void);
int Locks(void)
{
    long Seen = Load();

    AcquireSRWLockExclusive(&Lock);
    SleepConditionVariableSRW(&Ready, &Lock, 10, 0);
    ReleaseSRWLockExclusive(&Lock);
    WakeAllConditionVariable(&Ready);
    InitOnceExecuteOnce(&Once, InitializeOnce, NULL, NULL);
    WaitOnAddress(&Value, &Seen, sizeof(Value), 10);
    WakeByAddressAll(&Value);
    InitializeSListHead(&Free);
    InterlockedPushListSListEx(&Free, NULL, NULL, 0);
    InterlockedFlushSList(&Free);
    return QueryDepthSList(&Free);
}

int Objects(void);
int Objects(void)
{
    HANDLE Handles[5];
    LARGE_INTEGER Due;

    Due.QuadPart = -10 * 1000;
    Handles[0] = CreateEventEx(NULL, NULL, CREATE_EVENT_MANUAL_RESET, EVENT_ALL_ACCESS);
    Handles[1] = CreateMutexExW(NULL, NULL, 0, MUTEX_ALL_ACCESS);
    Handles[2] =
        CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    Handles[3] = CreateSemaphore(NULL, 0, 1, TEXT("Name"));
    Handles[4] = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    SetWaitableTimerEx(Handles[2], &Due, 0, NULL, NULL, NULL, 0);
    SetThreadDescription(GetCurrentThread(), (PCWSTR)Handles);
    return (int)SignalObjectAndWait(Handles[0], Handles[1], INFINITE, FALSE);
}

int Pool(void);
int Pool(void)
{
    TP_CALLBACK_ENVIRON Environment;
    OVERLAPPED_ENTRY Entries[4];
    HANDLE Timer = NULL;
    ULONG Count = 0;
    PTP_WORK Item;

    InitializeThreadpoolEnvironment(&Environment);
    SetThreadpoolCallbackRunsLong(&Environment);
    Item = CreateThreadpoolWork(Work, NULL, &Environment);
    SubmitThreadpoolWork(Item);
    WaitForThreadpoolWorkCallbacks(Item, FALSE);
    CloseThreadpoolWork(Item);
    DestroyThreadpoolEnvironment(&Environment);
    CreateTimerQueueTimer(&Timer, NULL, Tick, NULL, 10, 0, WT_EXECUTEDEFAULT);
    GetQueuedCompletionStatusEx((HANDLE)Timer, Entries, ARRAYSIZE(Entries), &Count, 0, FALSE);
    return (int)Count;
}

int Machine(void);
int Machine(void)
{
    GROUP_AFFINITY Group;
    PROCESSOR_NUMBER Number;
    SYSTEM_INFO Info;
    FILETIME Time;
    ULONG_PTR Low, High;
    char Text[64];

    GetSystemInfo(&Info);
    GetSystemTimePreciseAsFileTime(&Time);
    GetCurrentThreadStackLimits(&Low, &High);
    GetCurrentProcessorNumberEx(&Number);
    SetThreadIdealProcessorEx(GetCurrentThread(), &Number, NULL);
    Group.Mask = 1;
    Group.Group = 0;
    SetThreadGroupAffinity(GetCurrentThread(), &Group, &Group);
    return FAILED(StringCchPrintfA(Text, _countof(Text), "%u", (unsigned)Info.dwPageSize)) ||
           Int32x32To64(Number.Number, 2) > MAXDWORD || Low == High;
}
