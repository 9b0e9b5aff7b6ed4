/* SPDX-License-Identifier: MIT
 *
 * grounds.c - the ways that this library has: UMS workers, fibers, its thread pool; and kernel threads.
 *
 * Each processor gets a thread; workers, fibers and threads are made before the first item of a round and end
 * after its last.
 */
#include <windows.h>

#include "items.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PROCESSORS = 64, STACK = 256 * 1024 };

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "items: %s failed, last error %u\n", what, (unsigned)GetLastError());
    exit(1);
}

static void on_each_processor(const struct plan *plan, LPTHREAD_START_ROUTINE routine, int each)
{
    static HANDLE threads[MOST_PROCESSORS * UNITS];
    int count = plan->processors * each;

    for (int i = 0; i < count; i++) {
        threads[i] = CreateThread(NULL, STACK, routine, NULL, 0, NULL);
        must(threads[i] != NULL, "CreateThread");
    }
    for (int i = 0; i < count; i++) {
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
}

/* ---- UMS ------------------------------------------------------------------------------------------ */

struct scheduler {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT ready[UNITS];
    unsigned first, end;
    int ended;
};

static VOID NTAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    static __thread struct scheduler *self;

    if (reason == UmsSchedulerStartup)
        self = param;
    if (reason == UmsSchedulerThreadYield)
        self->ready[self->end++ % UNITS] = (PUMS_CONTEXT)payload;
    while (self->ended < UNITS) {
        PUMS_CONTEXT context = NULL;

        if (reason != UmsSchedulerThreadYield || self->first == self->end)
            DequeueUmsCompletionListItems(self->list, self->first == self->end ? INFINITE : 0,
                                          &context);
        reason = UmsSchedulerThreadYield;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            BOOLEAN over = FALSE;

            QueryUmsThreadInformation(context, UmsThreadIsTerminated, &over, sizeof over, NULL);
            if (over)
                self->ended += DeleteUmsThreadContext(context) != 0;
            else
                self->ready[self->end++ % UNITS] = context;
            context = next;
        }
        if (self->first != self->end)
            ExecuteUmsThread(self->ready[self->first++ % UNITS]);
    }
}

static DWORD WINAPI worker(LPVOID unused)
{
    while (items_take()) {
        items_run_one();
        UmsThreadYield(NULL);
    }
    return 0;
}

static DWORD WINAPI ums_processor(LPVOID unused)
{
    struct scheduler self = {0};
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, NULL, schedule, &self};

    must(CreateUmsCompletionList(&self.list), "CreateUmsCompletionList");
    for (int i = 0; i < UNITS; i++) {
        UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, self.list};
        _Alignas(16) char room[128];
        SIZE_T size = sizeof room;
        HANDLE thread;

        must(CreateUmsThreadContext(&ums.UmsContext), "CreateUmsThreadContext");
        InitializeProcThreadAttributeList((void *)room, 1, 0, &size);
        UpdateProcThreadAttribute((void *)room, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                  sizeof ums, NULL, NULL);
        thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, STACK, worker, NULL, 0,
                                      (void *)room, NULL);
        must(thread != NULL, "CreateRemoteThreadEx");
        CloseHandle(thread);
    }
    info.CompletionList = self.list;
    must(EnterUmsSchedulingMode(&info), "EnterUmsSchedulingMode");
    DeleteUmsCompletionList(self.list);
    return 0;
}

static void ums(const struct plan *plan)
{
    on_each_processor(plan, ums_processor, 1);
}

/* ---- Fibers: each goes to the next of its thread ------------------------------------------------- */

struct ring {
    void *fibers[UNITS];
    int running;
};

static VOID CALLBACK fiber(LPVOID param)
{
    struct ring *ring = param;

    while (items_take()) {
        items_run_one();
        ring->running = (ring->running + 1) % UNITS;
        SwitchToFiber(ring->fibers[ring->running]);
    }
    SwitchToFiber(ring->fibers[0]); /* the thread's own */
}

static DWORD WINAPI fiber_processor(LPVOID unused)
{
    struct ring ring = {.running = 0};

    ring.fibers[0] = ConvertThreadToFiber(NULL);
    must(ring.fibers[0] != NULL, "ConvertThreadToFiber");
    for (int i = 1; i < UNITS; i++) {
        ring.fibers[i] = CreateFiber(STACK, fiber, &ring);
        must(ring.fibers[i] != NULL, "CreateFiber");
    }
    while (items_take()) {
        items_run_one();
        ring.running = 1;
        SwitchToFiber(ring.fibers[1]);
    }
    for (int i = 1; i < UNITS; i++)
        DeleteFiber(ring.fibers[i]);
    ConvertFiberToThread();
    return 0;
}

static void fibers(const struct plan *plan)
{
    on_each_processor(plan, fiber_processor, 1);
}

/* ---- The thread pool: a callback for each item ------------------------------------------------------ */

static VOID CALLBACK callback(PTP_CALLBACK_INSTANCE instance, PVOID param, PTP_WORK work)
{
    items_run_one();
}

static void pool(const struct plan *plan)
{
    PTP_WORK work = CreateThreadpoolWork(callback, NULL, NULL);

    must(work != NULL, "CreateThreadpoolWork");
    for (int i = 0; i < plan->items; i++)
        SubmitThreadpoolWork(work);
    WaitForThreadpoolWorkCallbacks(work, FALSE);
    CloseThreadpoolWork(work);
}

/* ---- Kernel threads ------------------------------------------------------------------------------------ */

static DWORD WINAPI thread(LPVOID unused)
{
    while (items_take()) {
        items_run_one();
        SwitchToThread();
    }
    return 0;
}

static void threads(const struct plan *plan)
{
    on_each_processor(plan, thread, UNITS);
}

int main(int argc, char **argv)
{
    static const struct ground grounds[] = {
        {"UMS", ums}, {"fibers", fibers}, {"pool", pool}, {"threads", threads}};

    return items_main(grounds, 4, argc, argv);
}
