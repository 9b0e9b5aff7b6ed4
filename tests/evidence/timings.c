/* SPDX-License-Identifier: MIT
 *
 * timings.c - what a yield and a wait cost here, beside SwitchToFiber and beside threads.
 *
 * The functions are those of the library, or the system's own where they work.
 */
#include "evidence.h"

#include <stdint.h>
#include <string.h>

enum { WORKERS = 2, LIMIT_MS = 15000 };

static struct {
    BOOL(WINAPI *create_list)(PVOID *);
    BOOL(WINAPI *dequeue)(PVOID, DWORD, PVOID *);
    PVOID(WINAPI *next)(PVOID);
    BOOL(WINAPI *create_context)(PVOID *);
    BOOL(WINAPI *enter)(PVOID);
    BOOL(WINAPI *execute)(PVOID);
    BOOL(WINAPI *yield)(PVOID);
    BOOL(WINAPI *query)(PVOID, int, PVOID, ULONG, PULONG);
    BOOL(WINAPI *initialize)(PVOID, DWORD, DWORD, PSIZE_T);
    BOOL(WINAPI *update)(PVOID, DWORD, DWORD_PTR, PVOID, SIZE_T, PVOID, PSIZE_T);
    HANDLE(WINAPI *create_thread)
    (HANDLE, PVOID, SIZE_T, LPTHREAD_START_ROUTINE, LPVOID, DWORD, PVOID, LPDWORD);
} ums;

static bool find_functions(void)
{
    const struct {
        const char *name;
        void *pointer;
    } wanted[] = {{"CreateUmsCompletionList", &ums.create_list},
                  {"DequeueUmsCompletionListItems", &ums.dequeue},
                  {"GetNextUmsListItem", &ums.next},
                  {"CreateUmsThreadContext", &ums.create_context},
                  {"EnterUmsSchedulingMode", &ums.enter},
                  {"ExecuteUmsThread", &ums.execute},
                  {"UmsThreadYield", &ums.yield},
                  {"QueryUmsThreadInformation", &ums.query},
                  {"InitializeProcThreadAttributeList", &ums.initialize},
                  {"UpdateProcThreadAttribute", &ums.update},
                  {"CreateRemoteThreadEx", &ums.create_thread}};

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *function = function_of("kernel32.dll", wanted[i].name);

        if (!function) {
            printf("kernel32 has no %s\n", wanted[i].name);
            return false;
        }
        *(void **)wanted[i].pointer = function;
    }
    return true;
}

/* ---- A scheduler for two workers ------------------------------------------------------------------ */

static PVOID list, ready[WORKERS + 1];
static unsigned first, end, ended, workers;
static HANDLE events[2];
static int rounds;

static VOID NTAPI schedule(int reason, ULONG_PTR payload, PVOID param)
{
    (void)param;
    if (reason == 2) /* a yield */
        ready[end++ % (WORKERS + 1)] = (PVOID)payload;
    while (ended < workers) {
        PVOID context = NULL;

        if (!ums.dequeue(list, first == end ? LIMIT_MS : 0, &context) || (!context && first == end))
            return;
        for (; context; context = ums.next(context)) {
            BOOLEAN over = FALSE;

            ums.query(context, UmsThreadIsTerminated, &over, sizeof over, NULL);
            if (over)
                ended++;
            else
                ready[end++ % (WORKERS + 1)] = context;
        }
        if (first != end && !ums.execute(ready[first++ % (WORKERS + 1)]))
            return;
    }
}

static bool start_worker(LPTHREAD_START_ROUTINE routine, void *param)
{
    struct {
        ULONG version;
        PVOID context, list;
    } worker = {0x100, NULL, list};
    _Alignas(16) char room[128];
    SIZE_T size = sizeof room;

    return ums.create_context(&worker.context) && ums.initialize(room, 1, 0, &size) &&
           ums.update(room, 0, 0x30006, &worker, sizeof worker, NULL, NULL) &&
           ums.create_thread(GetCurrentProcess(), NULL, 0, routine, param, 0, room, NULL);
}

static uint64_t now_ns(void)
{
    LARGE_INTEGER frequency, count;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (uint64_t)((double)count.QuadPart * 1e9 / (double)frequency.QuadPart);
}

static bool run_workers(LPTHREAD_START_ROUTINE routine, unsigned count)
{
    struct {
        ULONG version;
        PVOID list, proc, param;
    } info = {0x100, NULL, schedule, NULL};

    first = end = ended = 0;
    workers = count;
    if (!list && !ums.create_list(&list))
        return false;
    info.list = list;
    for (uintptr_t i = 0; i < count; i++)
        if (!start_worker(routine, (void *)i))
            return false;
    return ums.enter(&info) && ended == count;
}

/* ---- What is timed -------------------------------------------------------------------------------- */

static uint64_t took;

static DWORD WINAPI yield_often(LPVOID param)
{
    uint64_t start;

    (void)param;
    ums.yield(NULL);
    start = now_ns();
    for (int i = 0; i < rounds; i++)
        ums.yield(NULL);
    took = now_ns() - start;
    return 0;
}

static DWORD WINAPI ping_pong(LPVOID param)
{
    uintptr_t me = (uintptr_t)param;
    uint64_t start = now_ns();

    for (int i = 0; i < rounds; i++) {
        if (me)
            SetEvent(events[0]);
        if (WaitForSingleObject(events[me], LIMIT_MS) != WAIT_OBJECT_0)
            return 1;
        if (!me)
            SetEvent(events[1]);
    }
    took = now_ns() - start;
    return 0;
}

static void *fibers[2];

static VOID WINAPI back(LPVOID param)
{
    (void)param;
    for (;;)
        SwitchToFiber(fibers[0]);
}

static void time_fibers(void)
{
    uint64_t start;

    fibers[0] = ConvertThreadToFiber(NULL);
    fibers[1] = CreateFiber(0, back, NULL);
    SwitchToFiber(fibers[1]);
    start = now_ns();
    for (int i = 0; i < rounds; i++)
        SwitchToFiber(fibers[1]);
    took = now_ns() - start;
    DeleteFiber(fibers[1]);
    ConvertFiberToThread();
}

static bool time_threads(void)
{
    HANDLE threads[2];
    bool ok = true;

    for (uintptr_t i = 0; i < 2; i++)
        threads[i] = CreateThread(NULL, 0, ping_pong, (void *)i, 0, NULL);
    for (int i = 0; i < 2; i++)
        ok &= WaitForSingleObject(threads[i], LIMIT_MS) == WAIT_OBJECT_0 && CloseHandle(threads[i]);
    return ok;
}

static void print_round(const char *what)
{
    printf("%s: %llu ns\n", what, (unsigned long long)(took / (uint64_t)rounds));
}

int part_timings(void)
{
    int some = evidence.brief ? 200 : 5000, many = some * 10;

    events[0] = CreateEventA(NULL, FALSE, FALSE, NULL);
    events[1] = CreateEventA(NULL, FALSE, FALSE, NULL);
    rounds = many;
    time_fibers();
    print_round("SwitchToFiber, there and back");
    rounds = some;
    if (!time_threads())
        return PART_FAILED;
    print_round("two threads, an event there and one back");
    if (strncmp(evidence.part, "own-", 4) && !load_umsshim())
        return PART_FAILED;
    if (!find_functions())
        return PART_FAILED;
    rounds = many;
    if (!run_workers(yield_often, 1)) {
        printf("the worker that yields did not end, last error %lu\n", GetLastError());
        return PART_FAILED;
    }
    print_round("a worker's yield and the execute after it");
    rounds = some;
    if (!run_workers(ping_pong, 2)) {
        printf("the workers that signal each other did not end, last error %lu\n", GetLastError());
        return PART_FAILED;
    }
    print_round("two workers, an event there and one back");
    return PART_TOLD;
}
