/* SPDX-License-Identifier: MIT
 *
 * hello - the smallest UMS program: one scheduler, two workers that yield to each other.
 */
#include <windows.h>

#include <stdio.h>

enum { WORKERS = 2, TURNS = 3 };

struct worker {
    const char *name;
    PUMS_CONTEXT context;
    int turns;
};

static struct worker workers[WORKERS] = {{.name = "left"}, {.name = "right"}};
static PUMS_COMPLETION_LIST list;

/* The ready queue: contexts that may be executed, first in, first out. Only the scheduler uses it,
 * so it needs no lock. A worker is in it once at most. */
static PUMS_CONTEXT ready[WORKERS];
static unsigned first_ready;
static unsigned end_ready;
static unsigned arrived; /* workers that have come from their creation */
static unsigned ended;

static void push_ready(PUMS_CONTEXT context)
{
    ready[end_ready++ % WORKERS] = context;
}

static int fail(const char *what)
{
    fprintf(stderr, "hello: %s failed, last error %lu\n", what, (unsigned long)GetLastError());
    return 1;
}

static DWORD WINAPI worker_main(LPVOID param)
{
    struct worker *self = param;

    for (self->turns = 1; self->turns <= TURNS; self->turns++) {
        printf("worker %-5s turn %d\n", self->name, self->turns);
        fflush(stdout);
        UmsThreadYield(self); /* the scheduler runs; this returns when it executes us again */
    }
    return 0;
}

/* Entered at the start, and each time the executed worker yields, blocks or ends. It must not take
 * a lock that a worker may hold: so no printf and no malloc in here. */
static VOID WINAPI scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)param;
    if (reason == UmsSchedulerThreadYield)
        push_ready((PUMS_CONTEXT)payload); /* a worker that yields comes on no list */

    for (;;) {
        PUMS_CONTEXT context;

        /* New, unblocked and ended workers arrive here. Wait while nobody is ready, and until all
         * have come: the system starts one thread after the other, and they shall take turns. */
        BOOL idle = first_ready == end_ready || arrived < WORKERS;

        if (!DequeueUmsCompletionListItems(list, idle ? INFINITE : 0, &context) &&
            GetLastError() != ERROR_TIMEOUT) /* by Microsoft's page an empty list may say so */
            return;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            BOOLEAN terminated = FALSE;

            QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                      sizeof(terminated), NULL);
            if (terminated)
                ended++;
            else
                push_ready(context);
            if (arrived < WORKERS)
                arrived++;
            context = next;
        }
        if (ended == WORKERS)
            return; /* EnterUmsSchedulingMode returns, too */
        if (arrived == WORKERS && first_ready != end_ready) {
            ExecuteUmsThread(ready[first_ready++ % WORKERS]); /* returns only when it fails */
            return;
        }
    }
}

/* A thread becomes a worker through an attribute of its creation. */
static HANDLE create_worker(struct worker *worker)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;
    HANDLE thread;

    if (!CreateUmsThreadContext(&worker->context))
        return NULL;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList = list;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return NULL;
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, worker_main, worker, 0, attributes,
                                  NULL);
    DeleteProcThreadAttributeList(attributes);
    return thread;
}

/* Never hang, whatever happens. */
static DWORD WINAPI watchdog(LPVOID param)
{
    (void)param;
    Sleep(30000);
    fprintf(stderr, "hello: still not done after 30 seconds\n");
    ExitProcess(2);
}

int main(void)
{
    UMS_SCHEDULER_STARTUP_INFO info = {.UmsVersion = UMS_VERSION, .SchedulerProc = scheduler};
    HANDLE threads[WORKERS];

    CloseHandle(CreateThread(NULL, 0, watchdog, NULL, 0, NULL));
    if (!CreateUmsCompletionList(&list))
        return fail("CreateUmsCompletionList");
    for (int i = 0; i < WORKERS; i++) {
        threads[i] = create_worker(&workers[i]);
        if (!threads[i])
            return fail("creating a worker");
    }
    info.CompletionList = list;
    if (!EnterUmsSchedulingMode(&info)) /* this thread is the scheduler until its entry returns */
        return fail("EnterUmsSchedulingMode");

    printf("workers ended: %u\n", ended);
    for (int i = 0; i < WORKERS; i++) {
        CloseHandle(threads[i]);
        if (!DeleteUmsThreadContext(workers[i].context))
            return fail("DeleteUmsThreadContext");
    }
    if (!DeleteUmsCompletionList(list))
        return fail("DeleteUmsCompletionList");
    return ended == WORKERS ? 0 : 1;
}
