/* SPDX-License-Identifier: MIT
 *
 * umsshim_win32.h - Win32 declarations and macros that UMS-era programs use and Wine 8 lacks.
 *
 * The library need not have each declared function: winapi/README.md lists those that it has. A
 * call of another one does not link. Each block has a guard for the day when Wine has it.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_WIN32_H
#define UMSSHIM_WIN32_H

/* ---- Names that MinGW lacks, too ------------------------------------------------------------- */

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x00000002
#endif

#ifdef __cplusplus
extern "C" {
#endif
WINBASEAPI HRESULT WINAPI SetThreadDescription(HANDLE, PCWSTR);
WINBASEAPI HRESULT WINAPI GetThreadDescription(HANDLE, PWSTR *);
#ifdef __cplusplus
}
#endif

#ifndef _WIN32

/* ---- Text ------------------------------------------------------------------------------------ */

/* A WCHAR has 16 bits and wchar_t has 32, unless -fshort-wchar is given. So a WCHAR's text is u"",
 * not L"". */
#ifndef TEXT
#if !defined(UNICODE)
#define __TEXT(quote) quote
#elif defined(WINE_UNICODE_NATIVE)
#define __TEXT(quote) L##quote
#else
#define __TEXT(quote) u##quote
#endif
#define TEXT(quote) __TEXT(quote)
#endif

/* ---- Small macros ---------------------------------------------------------------------------- */

#ifndef FILE_SKIP_COMPLETION_PORT_ON_SUCCESS
#define FILE_SKIP_COMPLETION_PORT_ON_SUCCESS 0x1
#define FILE_SKIP_SET_EVENT_ON_HANDLE 0x2
#endif
#ifndef PIPE_REJECT_REMOTE_CLIENTS
#define PIPE_ACCEPT_REMOTE_CLIENTS 0x0
#define PIPE_REJECT_REMOTE_CLIENTS 0x8
#endif
#ifndef DECLSPEC_NOINLINE
#define DECLSPEC_NOINLINE __attribute__((__noinline__))
#endif
#ifndef _countof
#define _countof(array) (sizeof(array) / sizeof((array)[0]))
#endif
#ifndef RTL_NUMBER_OF
#define RTL_NUMBER_OF(array) _countof(array)
#endif
#ifndef RTL_FIELD_SIZE
#define RTL_FIELD_SIZE(type, field) (sizeof(((type *)0)->field))
#endif
#ifndef Int32x32To64
#define Int32x32To64(left, right) ((LONGLONG)(LONG)(left) * (LONGLONG)(LONG)(right))
#endif
#ifndef UInt32x32To64
#define UInt32x32To64(left, right) ((ULONGLONG)(DWORD)(left) * (ULONGLONG)(DWORD)(right))
#endif
#ifndef PreFetchCacheLine
#define PF_TEMPORAL_LEVEL_1 3
#define PF_TEMPORAL_LEVEL_2 2
#define PF_TEMPORAL_LEVEL_3 1
#define PF_NON_TEMPORAL_LEVEL_ALL 0
#define PreFetchCacheLine(level, address) __builtin_prefetch((const void *)(address), 0, level)
#endif
#ifndef ReadTimeStampCounter
#define ReadTimeStampCounter() __rdtsc()
#endif

/* ---- Loads and stores with an order, beside Wine's four -------------------------------------- */

#define ReadAcquire64(source) __atomic_load_n((source), __ATOMIC_ACQUIRE)
#define ReadULongAcquire(source) __atomic_load_n((source), __ATOMIC_ACQUIRE)
#define ReadULong64Acquire(source) __atomic_load_n((source), __ATOMIC_ACQUIRE)
#define ReadPointerAcquire(source) __atomic_load_n((source), __ATOMIC_ACQUIRE)
#define ReadNoFence64(source) __atomic_load_n((source), __ATOMIC_RELAXED)
#define ReadULongNoFence(source) __atomic_load_n((source), __ATOMIC_RELAXED)
#define ReadPointerNoFence(source) __atomic_load_n((source), __ATOMIC_RELAXED)
#define WriteRelease64(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
#define WriteULongRelease(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
#define WritePointerRelease(to, value) __atomic_store_n((to), (value), __ATOMIC_RELEASE)
#define WriteNoFence64(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)
#define WritePointerNoFence(to, value) __atomic_store_n((to), (value), __ATOMIC_RELAXED)

#ifndef NUMA_NO_PREFERRED_NODE
#define NUMA_NO_PREFERRED_NODE ((DWORD)-1)
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

#ifndef SYNCHRONIZATION_BARRIER_FLAGS_SPIN_ONLY
#define SYNCHRONIZATION_BARRIER_FLAGS_SPIN_ONLY 0x01
#define SYNCHRONIZATION_BARRIER_FLAGS_BLOCK_ONLY 0x02
#define SYNCHRONIZATION_BARRIER_FLAGS_NO_DELETE 0x04
typedef struct _RTL_BARRIER {
    DWORD Reserved1;
    DWORD Reserved2;
    ULONG_PTR Reserved3[2];
    DWORD Reserved4;
    DWORD Reserved5;
} RTL_BARRIER, *PRTL_BARRIER;
typedef RTL_BARRIER SYNCHRONIZATION_BARRIER;
typedef PRTL_BARRIER PSYNCHRONIZATION_BARRIER, LPSYNCHRONIZATION_BARRIER;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions ------------------------------------------------------------------------------- */

/* If a later Wine declares these as well, that does no harm. */
NTSYSAPI struct _TEB *WINAPI NtCurrentTeb(void); /* GetCurrentFiber and GetFiberData read the
                                                  * block */
WINBASEAPI BOOL WINAPI IsThreadAFiber(VOID);
NTSYSAPI PSLIST_ENTRY WINAPI RtlInterlockedPushListSListEx(PSLIST_HEADER, PSLIST_ENTRY,
                                                           PSLIST_ENTRY, DWORD);
WINBASEAPI PSLIST_ENTRY WINAPI InterlockedPushListSListEx(PSLIST_HEADER, PSLIST_ENTRY, PSLIST_ENTRY,
                                                          ULONG);

WINBASEAPI BOOL WINAPI InitializeSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER, LONG, LONG);
WINBASEAPI BOOL WINAPI EnterSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER, DWORD);
WINBASEAPI BOOL WINAPI DeleteSynchronizationBarrier(LPSYNCHRONIZATION_BARRIER);

WINBASEAPI VOID WINAPI GetCurrentThreadStackLimits(PULONG_PTR, PULONG_PTR);
WINBASEAPI BOOL WINAPI SetThreadStackGuarantee(PULONG);
WINBASEAPI BOOL WINAPI SetThreadGroupAffinity(HANDLE, const GROUP_AFFINITY *, PGROUP_AFFINITY);
WINBASEAPI BOOL WINAPI SetThreadIdealProcessorEx(HANDLE, PPROCESSOR_NUMBER, PPROCESSOR_NUMBER);
WINBASEAPI BOOL WINAPI GetThreadIdealProcessorEx(HANDLE, PPROCESSOR_NUMBER);
WINBASEAPI BOOL WINAPI GetThreadGroupAffinity(HANDLE, PGROUP_AFFINITY);
WINBASEAPI BOOL WINAPI GetProcessGroupAffinity(HANDLE, PUSHORT, PUSHORT);
WINBASEAPI WORD WINAPI GetActiveProcessorGroupCount(VOID);
WINBASEAPI WORD WINAPI GetMaximumProcessorGroupCount(VOID);
WINBASEAPI BOOL WINAPI GetNumaHighestNodeNumber(PULONG);
WINBASEAPI BOOL WINAPI GetNumaNodeProcessorMask(UCHAR, PULONGLONG);
WINBASEAPI BOOL WINAPI GetNumaNodeProcessorMask2(USHORT, PGROUP_AFFINITY, USHORT, PUSHORT);
WINBASEAPI HANDLE WINAPI CreateFileMappingNumaA(HANDLE, LPSECURITY_ATTRIBUTES, DWORD, DWORD, DWORD,
                                                LPCSTR, DWORD);
WINBASEAPI HANDLE WINAPI CreateFileMappingNumaW(HANDLE, LPSECURITY_ATTRIBUTES, DWORD, DWORD, DWORD,
                                                LPCWSTR, DWORD);
#ifndef CreateFileMappingNuma
#define CreateFileMappingNuma WINELIB_NAME_AW(CreateFileMappingNuma)
#endif
WINBASEAPI BOOL WINAPI QueryProcessCycleTime(HANDLE, PULONG64);
WINBASEAPI BOOL WINAPI GetSystemTimes(LPFILETIME, LPFILETIME, LPFILETIME);
WINBASEAPI BOOL WINAPI QueryUnbiasedInterruptTime(PULONGLONG);
WINBASEAPI VOID WINAPI QueryUnbiasedInterruptTimePrecise(PULONGLONG);
WINBASEAPI VOID WINAPI QueryInterruptTime(PULONGLONG);
WINBASEAPI VOID WINAPI QueryInterruptTimePrecise(PULONGLONG);

WINBASEAPI BOOL WINAPI SetThreadpoolTimerEx(PTP_TIMER, PFILETIME, DWORD, DWORD);
WINBASEAPI BOOL WINAPI SetThreadpoolWaitEx(PTP_WAIT, HANDLE, PFILETIME, PVOID);
WINBASEAPI BOOL WINAPI CallbackMayRunLong(PTP_CALLBACK_INSTANCE);

WINBASEAPI BOOL WINAPI PrefetchVirtualMemory(HANDLE, ULONG_PTR, PWIN32_MEMORY_RANGE_ENTRY, ULONG);
typedef enum OFFER_PRIORITY {
    VmOfferPriorityVeryLow = 1,
    VmOfferPriorityLow,
    VmOfferPriorityBelowNormal,
    VmOfferPriorityNormal
} OFFER_PRIORITY;
WINBASEAPI DWORD WINAPI OfferVirtualMemory(PVOID, SIZE_T, OFFER_PRIORITY);
WINBASEAPI DWORD WINAPI ReclaimVirtualMemory(void const *, SIZE_T);
WINBASEAPI DWORD WINAPI DiscardVirtualMemory(PVOID, SIZE_T);
typedef enum _QUEUE_USER_APC_FLAGS {
    QUEUE_USER_APC_FLAGS_NONE = 0,
    QUEUE_USER_APC_FLAGS_SPECIAL_USER_APC = 1,
    QUEUE_USER_APC_CALLBACK_DATA_CONTEXT = 0x10000
} QUEUE_USER_APC_FLAGS;
WINBASEAPI BOOL WINAPI QueueUserAPC2(PAPCFUNC, HANDLE, ULONG_PTR, QUEUE_USER_APC_FLAGS);
WINBASEAPI PVOID WINAPI TlsGetValue2(DWORD);
WINBASEAPI BOOL WINAPI CompareObjectHandles(HANDLE, HANDLE);
WINBASEAPI BOOL WINAPI GetProcessHandleCount(HANDLE, PDWORD);
WINBASEAPI SIZE_T WINAPI GetLargePageMinimum(VOID);
WINBASEAPI BOOL WINAPI QueryIdleProcessorCycleTime(PULONG, PULONG64);
WINBASEAPI HRESULT WINAPI QueryAuxiliaryCounterFrequency(PULONGLONG);

NTSYSAPI void WINAPI RtlCaptureContext(CONTEXT *);
NTSYSAPI WORD WINAPI RtlCaptureStackBackTrace(DWORD, DWORD, PVOID *, PDWORD);
#ifndef CaptureStackBackTrace
#define CaptureStackBackTrace RtlCaptureStackBackTrace
#endif
WINBASEAPI PVOID WINAPI AddVectoredContinueHandler(ULONG, PVECTORED_EXCEPTION_HANDLER);
WINBASEAPI ULONG WINAPI RemoveVectoredContinueHandler(PVOID);

/* ---- Thread pool environments: plain data of the caller -------------------------------------- */

static inline VOID InitializeThreadpoolEnvironment(TP_CALLBACK_ENVIRON *environment)
{
    TP_CALLBACK_ENVIRON zero;

    __builtin_memset(&zero, 0, sizeof(zero));
    *environment = zero;
    environment->Version = 1;
}

static inline VOID DestroyThreadpoolEnvironment(TP_CALLBACK_ENVIRON *environment)
{
    (void)environment;
}

static inline VOID SetThreadpoolCallbackPool(TP_CALLBACK_ENVIRON *environment, PTP_POOL pool)
{
    environment->Pool = pool;
}

static inline VOID SetThreadpoolCallbackCleanupGroup(TP_CALLBACK_ENVIRON *environment,
                                                     PTP_CLEANUP_GROUP group,
                                                     PTP_CLEANUP_GROUP_CANCEL_CALLBACK cancel)
{
    environment->CleanupGroup = group;
    environment->CleanupGroupCancelCallback = cancel;
}

static inline VOID SetThreadpoolCallbackRunsLong(TP_CALLBACK_ENVIRON *environment)
{
    environment->u.s.LongFunction = 1;
}

/* The next three have no effect: callbacks run in their turn, no library is unloaded before its
 * callbacks, and idle pool threads end. */
static inline VOID SetThreadpoolCallbackPriority(TP_CALLBACK_ENVIRON *environment,
                                                 TP_CALLBACK_PRIORITY priority)
{
    (void)environment, (void)priority;
}

static inline VOID SetThreadpoolCallbackLibrary(TP_CALLBACK_ENVIRON *environment, PVOID module)
{
    environment->RaceDll = module;
}

static inline VOID SetThreadpoolCallbackPersistent(TP_CALLBACK_ENVIRON *environment)
{
    environment->u.s.Persistent = 1;
}

#ifdef __cplusplus
}
#endif

#endif
#endif
