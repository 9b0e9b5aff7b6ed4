/* SPDX-License-Identifier: MIT
 *
 * workload.c - sessions: batches of small queries that want memory, locks, pages, and time.
 */
#include "demo.h"

#include <string.h>

enum { BLOCKS = 12, TICK_MS = 250 };

typedef struct ROW_LOCK {
    SOS_EVENT free; /* auto-reset: signalled while nobody has it */
    LONGLONG count; /* under the lock */
} ROW_LOCK;

typedef struct SESSION {
    PHASE *phase;
    SOS_TASK *task;
    DWORD random;
    volatile LONGLONG batches;
    LONGLONG lockTimeouts, wrong;
} SESSION;

static ROW_LOCK s_locks[LOCKS];
static SOS_LATCH s_pages[PAGES];
static SOS_SPINLOCK_CLASS s_lockCount = {.name = "LOCK_COUNT"};
static SOS_SPINLOCK s_lockedLock; /* over the next */
static LONG s_locked;             /* times any lock was taken */
static HANDLE s_file;
static SOS_MEMORY_OBJECT *s_memory;
static volatile LONG s_over;

static DWORD Random(SESSION *session)
{
    session->random = session->random * 1664525u + 1013904223u;
    return session->random >> 16;
}

static VOID Compute(DWORD microseconds)
{
    LARGE_INTEGER frequency, until, now;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&until);
    until.QuadPart += frequency.QuadPart * microseconds / 1000000;
    do {
        YieldProcessor();
        QueryPerformanceCounter(&now);
    } while (now.QuadPart < until.QuadPart);
}

/* A plan: some small blocks, now and then a big one, all given back. */
static VOID UseMemory(SESSION *session)
{
    unsigned char *blocks[BLOCKS];
    int i;

    for (i = 0; i < BLOCKS; i++) {
        SIZE_T bytes = i == 0 ? 64 * 1024 : 64 + Random(session) % 2000;

        blocks[i] = (unsigned char *)SosMemoryAllocate(s_memory, bytes);
        if (!blocks[i] || blocks[i][bytes - 1])
            session->wrong++;
        else
            blocks[i][bytes - 1] = 1;
    }
    for (i = 0; i < BLOCKS; i++)
        SosMemoryFree(blocks[i]);
}

/* Some hold it across a delay, so others run into their time-out. */
static VOID UseLock(SESSION *session)
{
    ROW_LOCK *lock = &s_locks[Random(session) % LOCKS];
    SOS_STATUS status = SosEventWait(&lock->free, 3, SOS_WAIT_LOCK);

    if (status == SOS_TIMEOUT)
        session->lockTimeouts++;
    if (status != SOS_OK)
        return;
    lock->count++;
    SosSpinlockAcquire(&s_lockedLock);
    s_locked++;
    SosSpinlockRelease(&s_lockedLock);
    if (Random(session) % 4 == 0)
        SosDelay(1 + Random(session) % 4);
    SosEventSignal(&lock->free);
}

/* Under the page's latch: shared to read it, exclusive to write what it holds once more. */
static VOID UsePage(SESSION *session, BOOL write)
{
    DWORD page = Random(session) % PAGES;
    SOS_LATCH_MODE mode = write ? SOS_LATCH_EX : SOS_LATCH_SH;
    unsigned char buffer[PAGE_BYTES];
    ULONGLONG offset = (ULONGLONG)page * PAGE_BYTES;
    DWORD done = 0;
    SOS_STATUS status = SosLatchAcquire(&s_pages[page], mode, INFINITE);

    if (status == SOS_ABORTED)
        return;
    memset(buffer, write ? (int)page : (int)~page, sizeof(buffer));
    status = write ? SosWriteFile(s_file, offset, buffer, PAGE_BYTES, &done)
                   : SosReadFile(s_file, offset, buffer, PAGE_BYTES, &done);
    SosLatchRelease(&s_pages[page], mode);
    if (status == SOS_ABORTED)
        return;
    if (status != SOS_OK || done != PAGE_BYTES || buffer[0] != page ||
        buffer[PAGE_BYTES - 1] != page)
        session->wrong++;
}

enum { BATCHES_BEFORE_FIRST_EXCURSION = 4 };

static DWORD Session(PVOID argument)
{
    SESSION *session = (SESSION *)argument;

    while (!s_over && SosYieldCheck() == SOS_OK) {
        DWORD kind = Random(session) % 256;

        UseMemory(session);
        Compute(20);
        if (kind % 4 == 0)
            UseLock(session);
        if (kind % 8 == 1)
            UsePage(session, kind % 64 == 1);
        if (kind % 16 == 2)
            SosDelay(1);
        if (kind % 64 == 3)
            Sleep(1); /* blocks in the system: UMS brings the scheduler back */
        /* Each session once, also where there is time for few batches, and now and then. */
        if (kind == 4 || session->batches == BATCHES_BEFORE_FIRST_EXCURSION) {
            SosLeaveScheduler();
            Compute(1000); /* long, and nobody asks for a yield */
            SosReturnToScheduler();
        }
        if (kind == 5)
            Compute(6000); /* longer than a quantum without a yield check */
        session->batches++;
    }
    return 0;
}

/* Waits until it is aborted, which somebody does at the end of the phase. */
static DWORD Sleeper(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    return SosDelay(INFINITE) == SOS_ABORTED;
}

static DWORD ReportMemory(PVOID argument)
{
    SosMemoryReport(s_memory, (SOS_MEMORY_REPORT *)argument);
    return 0;
}

BOOL PrepareWorkload(VOID)
{
    char folder[MAX_PATH], name[MAX_PATH];
    unsigned char buffer[PAGE_BYTES];
    DWORD done;
    int i;

    for (i = 0; i < LOCKS; i++)
        SosEventInit(&s_locks[i].free, FALSE, TRUE);
    for (i = 0; i < PAGES; i++)
        SosLatchInit(&s_pages[i]);
    SosSpinlockClassInit(&s_lockCount);
    SosSpinlockInit(&s_lockedLock, &s_lockCount);
    if (!GetTempPathA(sizeof(folder), folder) || !GetTempFileNameA(folder, "sos", 0, name))
        return FALSE;
    s_file = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                         FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (s_file == INVALID_HANDLE_VALUE)
        return FALSE;
    for (i = 0; i < PAGES; i++) {
        memset(buffer, i, sizeof(buffer));
        if (!WriteFile(s_file, buffer, sizeof(buffer), &done, NULL) || done != sizeof(buffer))
            return FALSE;
    }
    return TRUE;
}

static VOID Finish(SOS_TASK *task, DWORD wanted, LONGLONG *wrong)
{
    DWORD result = ~wanted;

    if (!task) {
        ++*wrong;
        return;
    }
    if (SosTaskWait(task, LIMIT_MS, &result) != SOS_OK || result != wanted)
        ++*wrong;
    SosTaskRelease(task);
}

static VOID Watch(PHASE *phase, SESSION *sessions, int count, DWORD milliseconds,
                  VOID (*tick)(const PHASE *phase))
{
    ULONGLONG begin = GetTickCount64();
    ULONGLONG now = begin;

    while (now < begin + milliseconds) {
        ULONGLONG left = begin + milliseconds - now;
        int i;

        Sleep(left < TICK_MS ? (DWORD)left : TICK_MS);
        now = GetTickCount64();
        phase->seconds = (double)(now - begin) / 1000;
        phase->batches = 0;
        for (i = 0; i < count; i++)
            phase->batches += sessions[i].batches;
        tick(phase);
    }
}

VOID RunPhase(PHASE *phase, DWORD milliseconds, VOID (*tick)(const PHASE *phase))
{
    static SESSION sessions[SOS_MAX_SCHEDULERS * SESSIONS_EACH];
    int count = SosSchedulerCount() * SESSIONS_EACH;
    SOS_WAIT_STATS before, after;
    SOS_TASK *sleeper;
    int i;

    s_memory = SosMemoryCreate(phase->partitioning);
    if (!s_memory) {
        phase->wrong++;
        return;
    }
    s_over = FALSE;
    SosWaitStats(SOS_WAIT_CMEMTHREAD, &before);
    sleeper = SosSubmit(0, Sleeper, NULL);
    for (i = 0; i < count; i++) {
        ZeroMemory(&sessions[i], sizeof(sessions[i]));
        sessions[i].random = 77u * (DWORD)i + 1;
        sessions[i].task = SosSubmit(i / SESSIONS_EACH, Session, &sessions[i]);
    }
    Watch(phase, sessions, count, milliseconds, tick);
    InterlockedExchange(&s_over, TRUE);
    if (sleeper)
        SosTaskAbort(sleeper);
    Finish(sleeper, TRUE, &phase->wrong);
    phase->aborted = phase->wrong == 0;
    phase->batches = 0;
    for (i = 0; i < count; i++) {
        Finish(sessions[i].task, 0, &phase->wrong);
        phase->batches += sessions[i].batches;
        phase->lockTimeouts += sessions[i].lockTimeouts;
        phase->wrong += sessions[i].wrong;
    }
    Finish(SosSubmit(0, ReportMemory, &phase->memory), 0, &phase->wrong);
    SosWaitStats(SOS_WAIT_CMEMTHREAD, &after);
    phase->memoryWaits = after.waits - before.waits;
    phase->memoryWaitMs = after.resourceMs + after.signalMs - before.resourceMs - before.signalMs;
    SosMemoryDestroy(s_memory);
}

BOOL LocksAreFreeAndCounted(VOID)
{
    LONGLONG count = 0;
    int i;

    for (i = 0; i < LOCKS; i++) {
        if (!s_locks[i].free.signalled)
            return FALSE;
        count += s_locks[i].count;
    }
    CloseHandle(s_file);
    return count == s_locked;
}
