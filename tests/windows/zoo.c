/* SPDX-License-Identifier: MIT
 *
 * zoo.c - a process with workers in many states, for those who look at it from outside: umsrun --why, a trace.
 *
 *     zoo stay [N]     prints "ready PID" and stays so until its standard input ends; with N more workers, each
 *                      of which waits for an event
 *     zoo deadlock     the same; two workers want each other's critical section
 *     zoo scheduler    the same; the scheduler wants a critical section that its own worker has
 *     zoo spin         the same; a worker computes and does not yield, another could run
 *     zoo fresh        the same; a worker computes, two others were dequeued and never executed
 *     zoo work         workers yield, sleep and hand an event to and fro; ends by itself, by exit
 *     zoo late         a worker naps, and all that is to come has arrived whenever the scheduler looks
 *     zoo yields N     a worker that yields N times; ends by itself, and prints how long a yield took
 *     zoo exit         as work, but ends by ExitProcess while workers are at it
 *     zoo kill         the same by TerminateProcess
 */
#include <windows.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ums_kit.h"

enum { MOST = 12000, ROUNDS = 200 };
/* On the stacks of workers, where dump_test.py looks for it. */
#define MARK UINT64_C(0x6b72616d2d6f6f7a)

static PUMS_COMPLETION_LIST list;
static PUMS_CONTEXT ready[MOST + 16];
static unsigned ready_first, ready_count, alive, started;
static HANDLE never, dawn, ping, pong, mutex;
static CRITICAL_SECTION section, other;
static const char *what;
static unsigned long rounds = ROUNDS;
static volatile bool spin_on = true, yielding;
static volatile LONG holding;
static volatile LONG in_place; /* workers whose next step is where they stay */

static void check(bool good, const char *call)
{
    if (good)
        return;
    fprintf(stderr, "zoo: %s failed, last error %lu\n", call, (unsigned long)GetLastError());
    ExitProcess(3);
}

static void name_me(const wchar_t *name)
{
    HRESULT(WINAPI * set)
    (HANDLE, PCWSTR) = (void *)(uintptr_t)GetProcAddress(GetModuleHandleW(L"kernelbase.dll"),
                                                         "SetThreadDescription");
    HANDLE self = OpenThread(THREAD_ALL_ACCESS, FALSE, GetCurrentThreadId());
    if (set && self)
        set(self, name);
    if (self)
        CloseHandle(self);
}

static void say_ready(void)
{
    printf("ready %lu\n", (unsigned long)GetCurrentProcessId());
    fflush(stdout);
}

/* ---- Workers ------------------------------------------------------------------------------------------ */

static DWORD WINAPI sleeper(LPVOID unused)
{
    name_me(L"sleeper");
    InterlockedIncrement(&in_place);
    Sleep(3600000);
    return 0;
}

static DWORD WINAPI waiter(LPVOID unused)
{
    volatile uint64_t mark = MARK;
    InterlockedIncrement(&in_place);
    WaitForSingleObject(never, INFINITE);
    return mark != MARK;
}

static DWORD WINAPI mutex_holder(LPVOID unused)
{
    name_me(L"mutex holder");
    WaitForSingleObject(mutex, INFINITE);
    InterlockedIncrement(&holding);
    InterlockedIncrement(&in_place);
    WaitForSingleObject(never, INFINITE);
    return 0;
}

static DWORD WINAPI mutex_wanter(LPVOID unused)
{
    name_me(L"mutex wanter");
    while (holding < 2)
        UmsThreadYield(NULL);
    InterlockedIncrement(&in_place);
    WaitForSingleObject(mutex, INFINITE);
    return 0;
}

static DWORD WINAPI section_holder(LPVOID unused)
{
    volatile uint64_t mark = MARK;
    name_me(L"section holder");
    EnterCriticalSection(&section);
    InterlockedIncrement(&holding);
    InterlockedIncrement(&in_place);
    while (alive) /* it is not executed any more once all stand still */
        UmsThreadYield(NULL);
    return mark != MARK;
}

static DWORD WINAPI section_wanter(LPVOID unused)
{
    name_me(L"section wanter");
    while (holding < 2)
        UmsThreadYield(NULL);
    InterlockedIncrement(&in_place);
    EnterCriticalSection(&section);
    return 0;
}

static DWORD WINAPI one_then_other(LPVOID reversed)
{
    CRITICAL_SECTION *mine = reversed ? &other : &section, *yours = reversed ? &section : &other;
    name_me(reversed ? L"second" : L"first");
    EnterCriticalSection(mine);
    InterlockedIncrement(&holding);
    while (holding < 2)
        UmsThreadYield(NULL);
    InterlockedIncrement(&in_place);
    EnterCriticalSection(yours);
    return 0;
}

static DWORD WINAPI spinner(LPVOID unused)
{
    name_me(L"spinner");
    while (!yielding && strcmp(what, "spin") == 0) /* the other one has begun, and waits to go on */
        UmsThreadYield(NULL);
    say_ready();
    while (spin_on)
        YieldProcessor();
    return 0;
}

static DWORD WINAPI yielder(LPVOID unused)
{
    name_me(L"yielder");
    yielding = true;
    for (unsigned long i = 0; i < rounds; i++)
        UmsThreadYield(NULL);
    return 0;
}

static DWORD WINAPI nap(LPVOID unused)
{
    name_me(L"napper");
    for (int i = 0; i < 4; i++)
        Sleep(5);
    Sleep(300); /* the others have long ended then, so that the scheduler sleeps */
    return 0;
}

static DWORD WINAPI player(LPVOID second)
{
    name_me(second ? L"pong" : L"ping");
    for (int i = 0; i < 50; i++) {
        if (!second)
            SetEvent(ping);
        WaitForSingleObject(second ? ping : pong, INFINITE);
        if (second)
            SetEvent(pong);
    }
    return 0;
}

static DWORD WINAPI ender(LPVOID unused)
{
    for (int i = 0; i < 100; i++)
        UmsThreadYield(NULL);
    if (strcmp(what, "kill") == 0) {
        Sleep(200); /* the drain has been there */
        TerminateProcess(GetCurrentProcess(), 9);
    }
    ExitProcess(7);
}

static void start(DWORD(WINAPI *main)(LPVOID), void *param)
{
    PUMS_CONTEXT context;
    HANDLE thread = ums_worker(list, &context, NULL, 64 << 10, main, param, 0, NULL);
    check(thread != NULL, "a worker");
    CloseHandle(thread);
    alive++;
    started++;
}

/* ---- The scheduler ------------------------------------------------------------------------------------ */

static void put(PUMS_CONTEXT worker)
{
    BOOLEAN ended = FALSE;
    check(QueryUmsThreadInformation(worker, UmsThreadIsTerminated, &ended, sizeof ended, NULL),
          "QueryUmsThreadInformation");
    if (ended) {
        DeleteUmsThreadContext(worker);
        alive--;
        return;
    }
    ready[(ready_first + ready_count++) % (MOST + 16)] = worker;
}

static bool take_arrivals(DWORD milliseconds)
{
    PUMS_CONTEXT chain;
    check(DequeueUmsCompletionListItems(list, milliseconds, &chain), "Dequeue");
    bool any = chain != NULL;
    while (chain) {
        PUMS_CONTEXT next = GetNextUmsListItem(chain);
        put(chain);
        chain = next;
    }
    return any;
}

static DWORD WINAPI end_of_input(LPVOID unused)
{
    char byte;
    DWORD read;
    while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), &byte, 1, &read, NULL) && read)
        ;
    ExitProcess(0);
}

/* Each has said so, and is neither ready nor on the list: the holder of the section alone yields.
 * The entry point asks, so nobody runs. What still comes back from his last step is executed again. */
static bool all_in_place(void)
{
    unsigned yield = strcmp(what, "deadlock") ? 1 : 0;
    return in_place == (LONG)started && ready_count == yield && !take_arrivals(300);
}

static void stand_still(void)
{
    if (strcmp(what, "scheduler") == 0) {
        name_me(L"boss");
        say_ready();
        EnterCriticalSection(&section);
    }
    say_ready();
    WaitForSingleObject(dawn, INFINITE);
}

static void WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    static ULONGLONG limit;
    if (reason == UmsSchedulerStartup)
        limit = GetTickCount64() + 25000;
    if (reason == UmsSchedulerThreadYield)
        put((PUMS_CONTEXT)payload);
    bool late = strcmp(what, "late") == 0;
    bool stays = strcmp(what, "spin") && strcmp(what, "fresh") && strcmp(what, "work") &&
                 strcmp(what, "yields") && strcmp(what, "exit") && strcmp(what, "kill") && !late;
    while (alive) {
        if (late)
            Sleep(50);
        take_arrivals(0);
        while (strcmp(what, "fresh") == 0 && ready_count < started)
            take_arrivals(INFINITE); /* all are ready before the first runs */
        if (!alive)                  /* that was the last one's end: nobody is left to wait for */
            return;
        if (stays && all_in_place())
            stand_still();
        if (stays && GetTickCount64() > limit) {
            fprintf(stderr, "zoo: %ld of %u workers got to their places, %u are ready\n", in_place,
                    started, ready_count);
            ExitProcess(3);
        }
        if (!ready_count && !take_arrivals(stays ? 1000 : INFINITE))
            continue;
        while (ready_count) {
            PUMS_CONTEXT worker = ready[ready_first++ % (MOST + 16)];
            ready_count--;
            ExecuteUmsThread(worker);
            check(GetLastError() != 0, "ExecuteUmsThread");
        }
    }
}

static void populate(int count, char **words)
{
    if (strcmp(what, "stay") == 0 || strcmp(what, "scheduler") == 0) {
        start(sleeper, NULL);
        start(waiter, NULL);
        start(mutex_holder, NULL);
        start(mutex_wanter, NULL);
        start(section_holder, NULL);
        start(section_wanter, NULL);
        for (int i = 0; count > 2 && i < atoi(words[2]) && i < MOST; i++)
            start(waiter, NULL);
    } else if (strcmp(what, "deadlock") == 0) {
        start(one_then_other, NULL);
        start(one_then_other, &other);
        start(sleeper, NULL);
    } else if (strcmp(what, "spin") == 0) {
        rounds = 1000000000;
        start(yielder, NULL);
        start(spinner, NULL);
    } else if (strcmp(what, "fresh") == 0) {
        for (int i = 0; i < 3; i++)
            start(spinner, NULL); /* the first to run keeps the scheduler */
    } else if (strcmp(what, "yields") == 0) {
        rounds = count > 2 ? strtoul(words[2], NULL, 10) : 1000;
        start(yielder, NULL);
    } else if (strcmp(what, "late") == 0) {
        start(nap, NULL);
    } else {
        start(yielder, NULL);
        start(nap, NULL);
        start(player, NULL);
        start(player, &pong);
        if (strcmp(what, "work"))
            start(ender, NULL);
    }
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "stay";
    never = CreateEventW(NULL, TRUE, FALSE, NULL);
    dawn = CreateEventW(NULL, TRUE, FALSE, NULL);
    ping = CreateEventW(NULL, FALSE, FALSE, NULL);
    pong = CreateEventW(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutexW(NULL, FALSE, NULL);
    InitializeCriticalSectionAndSpinCount(&section, 0);
    InitializeCriticalSectionAndSpinCount(&other, 0);
    check(CreateUmsCompletionList(&list), "CreateUmsCompletionList");
    CloseHandle(CreateThread(NULL, 0, end_of_input, NULL, 0, NULL));
    populate(count, words);
    name_me(L"boss");
    LARGE_INTEGER before, after, frequency;
    QueryPerformanceCounter(&before);
    check(ums_enter(list, schedule, NULL), "EnterUmsSchedulingMode");
    QueryPerformanceCounter(&after);
    QueryPerformanceFrequency(&frequency);
    if (strcmp(what, "yields") == 0)
        printf("%.1f ns a yield\n", (double)(after.QuadPart - before.QuadPart) * 1e9 /
                                        (double)frequency.QuadPart / (double)rounds);
    return 0;
}
