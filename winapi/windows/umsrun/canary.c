/* SPDX-License-Identifier: MIT
 *
 * canary.c - a test that fails first where this Windows' ntdll is not as in-place switching expects
 * it to be.
 *
 * First it tries, on a thread that is no worker, whether WakeByAddressSingle arrives at its hook.
 * Then workers make all kinds of ntdll's waits. Two schedulers take ready workers from one queue,
 * so the workers change between them. After each wait a worker checks the owners of its locks, its
 * id, its thread-local values and its last error. If a lock is taken with another worker's id, or
 * an alert goes to another worker, a check finds a wrong owner, or a wait does not end. Another
 * thread suspends and resumes the workers meanwhile. Half of the workers begin when the others have
 * ended.
 */
#include "winapi/windows/umsrun/canary.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <windows.h>

#include "winapi/windows/umsrun/ums_functions.h"

enum { WORKERS = 6, GENERATIONS = 2, ALL = WORKERS * GENERATIONS, SCHEDULERS = 2, ROUNDS = 50 };
enum { QUEUE = 64, WAIT_MS = 8000, ALERTS_MS = 4000 };

enum problem {
    PASSED,
    NOT_STARTED,
    WRONG_ID,
    WRONG_SECTION,
    WRONG_SRW,
    WRONG_CONDITION,
    WRONG_ADDRESS,
    WRONG_EVENT,
    WRONG_LOAD,
    WRONG_VALUES,
    WRONG_EXCEPTION,
    WRONG_SUSPENSION,
    NO_BLOCKS,
    NO_MOVES,
    NO_ALERTS,
    PROBLEMS
};

const char *canary_text(unsigned long code)
{
    static const char *const text[PROBLEMS] = {
        [PASSED] = "passed",
        [NOT_STARTED] = "its workers cannot be made",
        [WRONG_ID] = "a worker is not who it was",
        [WRONG_SECTION] = "a critical section has another owner",
        [WRONG_SRW] = "an SRW lock does not keep others out",
        [WRONG_CONDITION] = "a condition variable's section has another owner",
        [WRONG_ADDRESS] = "WakeByAddressSingle wakes nobody",
        [WRONG_EVENT] = "an event that is set ends no wait",
        [WRONG_LOAD] = "LoadLibrary fails",
        [WRONG_VALUES] = "thread-local values are another's",
        [WRONG_EXCEPTION] = "an exception comes to another",
        [WRONG_SUSPENSION] = "a suspended worker is not resumed",
        [NO_BLOCKS] = "no wait was seen",
        [NO_MOVES] = "workers stay on one scheduler",
        [NO_ALERTS] = "calls of WakeByAddressSingle do not arrive at the hooks",
    };
    return code < PROBLEMS ? text[code] : "it crashed";
}

static _Noreturn void over(enum problem problem)
{
    TerminateProcess(GetCurrentProcess(), problem);
    for (;;)
        Sleep(INFINITE);
}

#define HOLDS(condition, problem)                                                                  \
    do                                                                                             \
        if (!(condition))                                                                          \
            over(problem);                                                                         \
    while (0)

/* ---- Alerts, before there are workers -------------------------------------------------------- */

static volatile LONG word;
static BOOL(WINAPI *wait_on_address)(volatile VOID *, PVOID, SIZE_T, DWORD);
static VOID(WINAPI *wake_single)(PVOID);

static DWORD WINAPI wait_for_word(LPVOID unused)
{
    LONG zero = 0;
    (void)unused;
    while (!word)
        wait_on_address(&word, &zero, sizeof zero, WAIT_MS);
    return 0;
}

static void wake_word(void *unused)
{
    (void)unused;
    wake_single((void *)&word);
}

/* Wakes by kernelbase's functions, as programs do. The thread may not wait yet, so it is woken
 * until it does. */
static bool alerts_arrive(HMODULE dll)
{
    HMODULE kernelbase = GetModuleHandleW(L"kernelbase.dll");
    int (*arrives)(void (*)(void *), void *) =
        (void *)(uintptr_t)GetProcAddress(dll, "umsshim_alert_arrives");
    bool done = false;
    wait_on_address = (void *)(uintptr_t)GetProcAddress(kernelbase, "WaitOnAddress");
    wake_single = (void *)(uintptr_t)GetProcAddress(kernelbase, "WakeByAddressSingle");
    if (!arrives || !wait_on_address || !wake_single)
        return false;
    HANDLE thread = CreateThread(NULL, 0, wait_for_word, NULL, 0, NULL);
    ULONGLONG end = GetTickCount64() + ALERTS_MS;
    while (thread && !done && GetTickCount64() < end) {
        Sleep(1);
        done = arrives(wake_word, NULL) != 0;
    }
    InterlockedExchange(&word, 1);
    wake_word(NULL);
    WaitForSingleObject(thread, WAIT_MS);
    CloseHandle(thread);
    return done;
}

/* ---- Two schedulers with one queue ----------------------------------------------------------- */

static PUMS_COMPLETION_LIST lists[SCHEDULERS];
static PUMS_CONTEXT contexts[ALL], queue[QUEUE];
static HANDLE threads[ALL];
static unsigned queue_first, queue_end;
static volatile LONG queue_lock, ended, blocks;
static DWORD scheduler_slot;

/* Uses no lock of ntdll's: a scheduler must not wait by the code that this tests. */
static PUMS_CONTEXT exchange_ready(PUMS_CONTEXT come)
{
    PUMS_CONTEXT next = NULL;
    while (InterlockedExchange(&queue_lock, 1))
        YieldProcessor();
    if (come)
        queue[queue_end++ % QUEUE] = come;
    else if (queue_first != queue_end)
        next = queue[queue_first++ % QUEUE];
    InterlockedExchange(&queue_lock, 0);
    return next;
}

static void take_arrivals(PUMS_COMPLETION_LIST list, DWORD wait_ms)
{
    PUMS_CONTEXT context = NULL;
    if (!ums.dequeue(list, wait_ms, &context))
        return;
    while (context) {
        PUMS_CONTEXT next = ums.next(context);
        BOOLEAN is_over = FALSE;
        ums.query(context, UmsThreadIsTerminated, &is_over, sizeof is_over, NULL);
        if (is_over)
            InterlockedIncrement(&ended);
        else
            exchange_ready(context);
        context = next;
    }
}

static VOID WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        TlsSetValue(scheduler_slot, param);
    PUMS_COMPLETION_LIST list = TlsGetValue(scheduler_slot);
    if (reason == UmsSchedulerThreadBlocked)
        InterlockedIncrement(&blocks);
    if (reason == UmsSchedulerThreadYield)
        exchange_ready((PUMS_CONTEXT)payload);
    while (ended < ALL) {
        take_arrivals(list, 0);
        PUMS_CONTEXT next = exchange_ready(NULL);
        if (next && !ums.execute(next))
            exchange_ready(next); /* the worker is suspended */
        else if (!next)
            take_arrivals(list, 1);
    }
}

static DWORD WINAPI be_scheduler(LPVOID list)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, list, schedule, list};
    HOLDS(ums.enter(&info), NOT_STARTED);
    return 0;
}

/* ---- The workers ----------------------------------------------------------------------------- */

static CRITICAL_SECTION section, condition_section;
static SRWLOCK srw = SRWLOCK_INIT;
static CONDITION_VARIABLE condition = CONDITION_VARIABLE_INIT;
static volatile LONG in_section, in_srw, turn, moves;
static HANDLE event;
static DWORD value_slot, raised_slot, fls_slot;

static DWORD kernel_id(void)
{
    DWORD id;
    __asm__ volatile("movl %%gs:0x7d8+8, %0" : "=r"(id));
    return id;
}

static void enter_section(DWORD id)
{
    EnterCriticalSection(&section);
    HOLDS((DWORD)(uintptr_t)section.OwningThread == id, WRONG_SECTION);
    HOLDS(InterlockedIncrement(&in_section) == 1, WRONG_SECTION);
    ums.yield(NULL);
    EnterCriticalSection(&section);
    HOLDS(section.RecursionCount == 2, WRONG_SECTION);
    Sleep(0);
    LeaveCriticalSection(&section);
    HOLDS((DWORD)(uintptr_t)section.OwningThread == id, WRONG_SECTION);
    InterlockedDecrement(&in_section);
    LeaveCriticalSection(&section);
}

static void take_srw(void)
{
    AcquireSRWLockExclusive(&srw);
    HOLDS(InterlockedIncrement(&in_srw) == 1, WRONG_SRW);
    ums.yield(NULL);
    InterlockedDecrement(&in_srw);
    ReleaseSRWLockExclusive(&srw);
    AcquireSRWLockShared(&srw);
    HOLDS(in_srw == 0, WRONG_SRW);
    ReleaseSRWLockShared(&srw);
}

/* No other worker need wake this one, so it waits only for a moment. */
static void wait_for_condition(DWORD id)
{
    EnterCriticalSection(&condition_section);
    WakeConditionVariable(&condition);
    SleepConditionVariableCS(&condition, &condition_section, 1);
    HOLDS((DWORD)(uintptr_t)condition_section.OwningThread == id, WRONG_CONDITION);
    LeaveCriticalSection(&condition_section);
}

/* Workers in pairs: each waits for the other's number. */
static volatile LONG address[ALL];

static void meet_by_address(int index, LONG round)
{
    int other = index ^ 1;
    InterlockedExchange(&address[index], round);
    WakeByAddressSingle((void *)&address[index]);
    for (LONG seen; (seen = address[other]) < round;)
        HOLDS(WaitOnAddress(&address[other], &seen, sizeof seen, WAIT_MS), WRONG_ADDRESS);
}

static void meet_by_event(void)
{
    SetEvent(event);
    HOLDS(WaitForSingleObject(event, WAIT_MS) == WAIT_OBJECT_0, WRONG_EVENT);
    SetEvent(event); /* for the worker that waits second for the same one */
}

static void load(void)
{
    HMODULE module = LoadLibraryW(L"version.dll");
    HOLDS(module != NULL && FreeLibrary(module), WRONG_LOAD);
}

static LONG CALLBACK on_exception(EXCEPTION_POINTERS *found)
{
    enum { OURS = 0xE0554D53 };
    if (found->ExceptionRecord->ExceptionCode != OURS)
        return EXCEPTION_CONTINUE_SEARCH;
    TlsSetValue(raised_slot, (void *)(uintptr_t)GetCurrentThreadId());
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void raise_one(DWORD id)
{
    TlsSetValue(raised_slot, NULL);
    RaiseException(0xE0554D53, 0, 0, NULL);
    HOLDS((DWORD)(uintptr_t)TlsGetValue(raised_slot) == id, WRONG_EXCEPTION);
}

static DWORD WINAPI wander(LPVOID param)
{
    int index = (int)(intptr_t)param;
    DWORD id = GetCurrentThreadId(), last = kernel_id();
    for (LONG round = 1; round <= ROUNDS; round++) {
        TlsSetValue(value_slot, (void *)(uintptr_t)(id + round));
        FlsSetValue(fls_slot, (void *)(uintptr_t)(id - round));
        enter_section(id);
        take_srw();
        wait_for_condition(id);
        meet_by_address(index, round);
        meet_by_event();
        if (round % 4 == index % 4)
            load();
        raise_one(id);
        SetLastError(id);
        Sleep(1);
        HOLDS(GetLastError() == id && TlsGetValue(value_slot) == (void *)(uintptr_t)(id + round) &&
                  FlsGetValue(fls_slot) == (void *)(uintptr_t)(id - round),
              WRONG_VALUES);
        HOLDS(GetCurrentThreadId() == id, WRONG_ID);
        ums.yield(NULL);
        InterlockedExchangeAdd(&moves, kernel_id() != last);
        last = kernel_id();
    }
    return 0;
}

/* ---- The whole test -------------------------------------------------------------------------- */

static bool start_generation(int first)
{
    for (int i = first; i < first + WORKERS; i++)
        if (!ums.create_context(&contexts[i]) ||
            !(threads[i] =
                  ums_start(contexts[i], lists[i % SCHEDULERS], wander, (void *)(intptr_t)i)))
            return false;
    return true;
}

static void disturb(unsigned turns)
{
    HANDLE thread = threads[turns % WORKERS];
    if (WaitForSingleObject(thread, 0) == WAIT_OBJECT_0)
        return;
    if (SuspendThread(thread) != (DWORD)-1)
        HOLDS(ResumeThread(thread) != (DWORD)-1, WRONG_SUSPENSION);
}

int canary(void)
{
    HANDLE schedulers[SCHEDULERS];
    scheduler_slot = TlsAlloc();
    value_slot = TlsAlloc();
    raised_slot = TlsAlloc();
    fls_slot = FlsAlloc(NULL);
    event = CreateEventW(NULL, FALSE, FALSE, NULL);
    InitializeCriticalSection(&section);
    InitializeCriticalSection(&condition_section);
    AddVectoredExceptionHandler(1, on_exception);
    HMODULE dll = LoadLibraryW(L"umsshim.dll");
    if (!dll || ums_find())
        return NOT_STARTED;
    for (int i = 0; i < SCHEDULERS; i++)
        if (!ums.create_list(&lists[i]))
            return NOT_STARTED;
    if (!alerts_arrive(dll))
        return NO_ALERTS;
    if (!start_generation(0))
        return NOT_STARTED;
    for (int i = 0; i < SCHEDULERS; i++)
        schedulers[i] = CreateThread(NULL, 0, be_scheduler, lists[i], 0, NULL);
    for (unsigned turns = 0; ended < WORKERS; turns++, Sleep(1))
        disturb(turns);
    if (!start_generation(WORKERS))
        return NOT_STARTED;
    WaitForMultipleObjects(SCHEDULERS, schedulers, TRUE, INFINITE);
    if (blocks < ALL)
        return NO_BLOCKS;
    return moves ? PASSED : NO_MOVES;
}
