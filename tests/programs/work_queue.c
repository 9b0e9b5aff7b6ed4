/* SPDX-License-Identifier: MIT
 *
 * work_queue.c - a queue of work on the thread pool: QueueUserWorkItem in the old style, work
 * objects with a cleanup group in the new one, results on an interlocked list.
 */
#define _WIN32_WINNT 0x0601
#include <windows.h>

#include <malloc.h>
#include <stdio.h>
#include <tchar.h>

#define CHUNKS 40
#define CHUNK 5000

typedef struct _RESULT {
    SLIST_ENTRY Entry;
    DWORD dwChunk, dwPrimes;
} RESULT, *PRESULT;

static SLIST_HEADER g_Results;
static volatile LONG g_lPending;
static HANDLE g_hDone;
static SRWLOCK g_Lock = SRWLOCK_INIT;
static CONDITION_VARIABLE g_Changed = CONDITION_VARIABLE_INIT;
static DWORD g_dwFinished;

static BOOL IsPrime(DWORD n)
{
    DWORD d;

    for (d = 2; d * d <= n; d++)
        if (n % d == 0)
            return FALSE;
    return n >= 2;
}

static VOID CountPrimes(DWORD dwChunk)
{
    PRESULT pResult = (PRESULT)_aligned_malloc(sizeof(RESULT), MEMORY_ALLOCATION_ALIGNMENT);
    DWORD n;

    pResult->dwChunk = dwChunk;
    pResult->dwPrimes = 0;
    for (n = dwChunk * CHUNK; n < (dwChunk + 1) * CHUNK; n++)
        if (IsPrime(n))
            pResult->dwPrimes++;
    InterlockedPushEntrySList(&g_Results, &pResult->Entry);
}

static DWORD WINAPI WorkItem(LPVOID lpParameter)
{
    CountPrimes((DWORD)(DWORD_PTR)lpParameter);
    if (InterlockedDecrement(&g_lPending) == 0)
        SetEvent(g_hDone);
    return 0;
}

static VOID CALLBACK WorkCallback(PTP_CALLBACK_INSTANCE Instance, PVOID Context, PTP_WORK Work)
{
    UNREFERENCED_PARAMETER(Instance);
    UNREFERENCED_PARAMETER(Work);
    CountPrimes((DWORD)(DWORD_PTR)Context);
    AcquireSRWLockExclusive(&g_Lock);
    g_dwFinished++;
    ReleaseSRWLockExclusive(&g_Lock);
    WakeConditionVariable(&g_Changed);
}

static VOID Report(LPCTSTR lpszStyle)
{
    PSLIST_ENTRY pEntry = InterlockedFlushSList(&g_Results);
    DWORD dwPrimes[CHUNKS] = {0}, dwTotal = 0, dwCount = 0, i;

    while (pEntry != NULL) {
        PRESULT pResult = CONTAINING_RECORD(pEntry, RESULT, Entry);

        pEntry = pEntry->Next;
        dwPrimes[pResult->dwChunk] = pResult->dwPrimes;
        dwCount++;
        _aligned_free(pResult);
    }
    for (i = 0; i < CHUNKS; i++)
        dwTotal += dwPrimes[i];
    _tprintf(_T("%s: %u results, %u primes below %u, %u in the first chunk, %u in the last\n"),
             lpszStyle, (unsigned)dwCount, (unsigned)dwTotal, CHUNKS * CHUNK, (unsigned)dwPrimes[0],
             (unsigned)dwPrimes[CHUNKS - 1]);
}

static BOOL OldStyle(void)
{
    DWORD i;

    g_hDone = CreateEvent(NULL, TRUE, FALSE, NULL);
    g_lPending = CHUNKS;
    for (i = 0; i < CHUNKS; i++)
        if (!QueueUserWorkItem(WorkItem, (PVOID)(DWORD_PTR)i, WT_EXECUTEDEFAULT))
            return FALSE;
    WaitForSingleObject(g_hDone, INFINITE);
    CloseHandle(g_hDone);
    Report(_T("QueueUserWorkItem"));
    return TRUE;
}

static BOOL NewStyle(void)
{
    PTP_POOL pPool = CreateThreadpool(NULL);
    PTP_CLEANUP_GROUP pGroup = CreateThreadpoolCleanupGroup();
    TP_CALLBACK_ENVIRON Environment;
    DWORD i;

    if (pPool == NULL || pGroup == NULL)
        return FALSE;
    SetThreadpoolThreadMaximum(pPool, 4);
    if (!SetThreadpoolThreadMinimum(pPool, 1))
        return FALSE;
    InitializeThreadpoolEnvironment(&Environment);
    SetThreadpoolCallbackPool(&Environment, pPool);
    SetThreadpoolCallbackCleanupGroup(&Environment, pGroup, NULL);
    for (i = 0; i < CHUNKS; i++) {
        PTP_WORK pWork = CreateThreadpoolWork(WorkCallback, (PVOID)(DWORD_PTR)i, &Environment);

        if (pWork == NULL)
            return FALSE;
        SubmitThreadpoolWork(pWork);
    }
    AcquireSRWLockExclusive(&g_Lock);
    while (g_dwFinished < CHUNKS)
        SleepConditionVariableSRW(&g_Changed, &g_Lock, INFINITE, 0);
    ReleaseSRWLockExclusive(&g_Lock);
    CloseThreadpoolCleanupGroupMembers(pGroup, FALSE, NULL);
    CloseThreadpoolCleanupGroup(pGroup);
    CloseThreadpool(pPool);
    DestroyThreadpoolEnvironment(&Environment);
    Report(_T("CreateThreadpoolWork"));
    return TRUE;
}

int _tmain(void)
{
    InitializeSListHead(&g_Results);
    return OldStyle() && NewStyle() ? 0 : 1;
}
