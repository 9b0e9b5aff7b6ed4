/* SPDX-License-Identifier: MIT
 *
 * many.c - an old binary of fifty short workers: each prints a line and ends.
 *
 * One that is not there within the limit is told with the last step that it made, so that a worker that was lost
 * can be told from one that was late.
 */
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 50, LIMIT_MS = 20000 };

/* What is known of a worker, in the order in which it comes to pass. */
enum step { CREATED, ARRIVED, EXECUTED, RUNNING, PRINTED, ENDED };

static const char *const steps[] = {"was created",       "has arrived",        "was executed",
                                    "runs, no line yet", "has printed a line", "has ended"};

static struct worker {
    PUMS_CONTEXT context;
    volatile LONG step;
    struct worker *next;
} workers[WORKERS];

static PUMS_COMPLETION_LIST list;
static struct worker *first_ready, *last_ready;
static volatile LONG ended;

static DWORD WINAPI worker_main(LPVOID param)
{
    struct worker *self = param;

    self->step = RUNNING;
    printf("line of worker %d\n", (int)(self - workers));
    self->step = PRINTED;
    return 0;
}

static struct worker *worker_of(PUMS_CONTEXT context)
{
    struct worker *worker = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
    return worker;
}

static void take(PUMS_CONTEXT context)
{
    struct worker *worker = worker_of(context);
    BOOLEAN terminated = FALSE;

    QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                              NULL);
    if (terminated) {
        worker->step = ENDED;
        InterlockedIncrement(&ended);
        return;
    }
    if (worker->step == CREATED)
        worker->step = ARRIVED;
    worker->next = NULL;
    if (first_ready)
        last_ready->next = worker;
    else
        first_ready = worker;
    last_ready = worker;
}

static VOID WINAPI scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadYield)
        take((PUMS_CONTEXT)payload);
    while (ended < WORKERS) {
        PUMS_CONTEXT context = NULL;

        DequeueUmsCompletionListItems(list, first_ready ? 0 : INFINITE, &context);
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);

            take(context);
            context = next;
        }
        if (first_ready) {
            struct worker *worker = first_ready;

            first_ready = worker->next;
            if (worker->step == ARRIVED)
                worker->step = EXECUTED;
            ExecuteUmsThread(worker->context);
            take(worker->context); /* it could not be executed now */
        }
    }
}

static DWORD WINAPI watch(LPVOID unused)
{
    Sleep(LIMIT_MS);
    fprintf(stderr, "many: %ld of %d workers ended within %d ms\n", (long)ended, WORKERS, LIMIT_MS);
    for (int i = 0; i < WORKERS; i++) {
        BOOLEAN suspended = FALSE, terminated = FALSE;

        if (workers[i].step == ENDED)
            continue;
        QueryUmsThreadInformation(workers[i].context, UmsThreadIsSuspended, &suspended,
                                  sizeof(suspended), NULL);
        QueryUmsThreadInformation(workers[i].context, UmsThreadIsTerminated, &terminated,
                                  sizeof(terminated), NULL);
        fprintf(stderr, "many: worker %d %s; suspended %d, terminated %d\n", i,
                steps[workers[i].step], suspended, terminated);
    }
    ExitProcess(1);
}

static BOOL create(struct worker *worker)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums = {.UmsVersion = UMS_VERSION, .UmsCompletionList = list};
    HANDLE thread;

    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return FALSE;
    ums.UmsContext = worker->context;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return FALSE;
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, worker_main, worker, 0, attributes,
                                  NULL);
    DeleteProcThreadAttributeList(attributes);
    return thread && CloseHandle(thread);
}

int main(void)
{
    UMS_SCHEDULER_STARTUP_INFO info = {.UmsVersion = UMS_VERSION, .SchedulerProc = scheduler};

    CloseHandle(CreateThread(NULL, 0, watch, NULL, 0, NULL));
    if (!CreateUmsCompletionList(&list))
        return 2;
    for (int i = 0; i < WORKERS; i++)
        if (!create(&workers[i]))
            return 2;
    info.CompletionList = list;
    if (!EnterUmsSchedulingMode(&info))
        return 2;
    printf("workers ended: %ld\n", (long)ended);
    return ended == WORKERS ? 0 : 1;
}
