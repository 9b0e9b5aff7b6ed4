/* SPDX-License-Identifier: MIT
 *
 * mode_ums.c - workers are UMS threads: one that blocks in the system leaves its scheduler by
 * itself.
 *
 * Scheduler code is the SchedulerProc. An activation's stack is gone once a worker runs, so all
 * that lasts is in the SOS_SCHEDULER.
 *
 * Each host is a scheduler of UMS's kind, with nothing to schedule. A worker that blocks out there
 * comes back on the list that the hosts share, and goes on with one of them. Where UMS follows the
 * letter of Microsoft's page it comes back on the list of its creation, its scheduler's, which
 * sends it out again.
 */
#include "mode.h"

enum { ABANDON_MS = 10000 };

/* Either runs as the thread that entered scheduling, so it sees that thread's variables. */
static _Thread_local SOS_SCHEDULER *t_self;
static _Thread_local SOS_WORKER *t_guest; /* of a host */

static PUMS_COMPLETION_LIST s_list; /* all hosts' */
static HANDLE s_arrival;            /* its event */

/* ---- Workers --------------------------------------------------------------------------------- */

static DWORD WINAPI WorkerThread(LPVOID param)
{
    SOS_WORKER *worker = (SOS_WORKER *)param;

    SetCurrentWorker(worker);
    WorkerMain(worker);
    return 0;
}

static BOOL UmsCreate(SOS_WORKER *worker)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;

    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return FALSE;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList = worker->scheduler->list;
    if (InitializeProcThreadAttributeList(attributes, 1, 0, &size) &&
        UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                  sizeof(ums), NULL, NULL)) {
        worker->thread =
            CreateRemoteThreadEx(GetCurrentProcess(), NULL, WORKER_STACK_BYTES, WorkerThread,
                                 worker, STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
        DeleteProcThreadAttributeList(attributes);
        if (worker->thread)
            return TRUE;
    }
    DeleteUmsThreadContext(worker->context);
    return FALSE;
}

static VOID UmsDestroy(SOS_WORKER *worker)
{
    WaitForSingleObject(worker->thread, INFINITE);
    CloseHandle(worker->thread);
    DeleteUmsThreadContext(worker->context);
}

static BOOL UmsLeave(SOS_WORKER *worker, ULONG_PTR how)
{
    UNREFERENCED_PARAMETER(worker);
    return UmsThreadYield((PVOID)how);
}

/* ---- Schedulers ------------------------------------------------------------------------------ */

static BOOL UmsPrepare(SOS_SCHEDULER *scheduler)
{
    return CreateUmsCompletionList(&scheduler->list) &&
           GetUmsCompletionListEvent(scheduler->list, &scheduler->arrival);
}

static VOID UmsDispose(SOS_SCHEDULER *scheduler)
{
    if (scheduler->arrival)
        CloseHandle(scheduler->arrival);
    if (scheduler->list)
        DeleteUmsCompletionList(scheduler->list);
}

static SOS_WORKER *WorkerOf(PUMS_CONTEXT context)
{
    SOS_WORKER *worker = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
    return worker;
}

static VOID UmsAbandon(SOS_SCHEDULER *scheduler)
{
    PUMS_CONTEXT context = NULL;

    if (scheduler->list)
        DequeueUmsCompletionListItems(scheduler->list, ABANDON_MS, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        SOS_WORKER *worker = WorkerOf(context);

        TerminateThread(worker->thread, 0);
        Ended(scheduler, worker);
        context = next;
    }
}

/* New, unblocked or ended. */
static VOID UmsFetch(SOS_SCHEDULER *self)
{
    PUMS_CONTEXT context = NULL;

    DequeueUmsCompletionListItems(self->list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        BOOLEAN terminated = FALSE;

        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                  NULL);
        if (terminated) {
            Ended(self, WorkerOf(context));
            self->kernelBlocks--; /* it was taken for one */
        } else {
            Arrive(self, WorkerOf(context));
        }
        context = next;
    }
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SOS_SCHEDULER *self = t_self;
    SOS_WORKER *worker = self->current;

    UNREFERENCED_PARAMETER(payload);
    if (reason == UmsSchedulerStartup)
        SetEvent(g_sos.ready);
    if (worker)
        SchedulerTakeBack(self, worker,
                          reason == UmsSchedulerThreadYield ? (ULONG_PTR)param : YIELD_BLOCKED);
    while ((worker = SchedulerNext(self))) {
        ExecuteUmsThread(worker->context); /* comes back only if it failed */
        if (GetLastError() == ERROR_RETRY)
            Enqueue(self, worker);
        else
            InterlockedIncrement(&g_sos.failures);
    }
}

static DWORD Enter(PUMS_COMPLETION_LIST list, PUMS_SCHEDULER_ENTRY_POINT entry)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    info.UmsVersion = UMS_VERSION;
    info.CompletionList = list;
    info.SchedulerProc = entry;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

static DWORD UmsSchedule(SOS_SCHEDULER *self)
{
    t_self = self;
    return Enter(self->list, SchedulerProc);
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static BOOL UmsPrepareHosts(VOID)
{
    return CreateUmsCompletionList(&s_list) && GetUmsCompletionListEvent(s_list, &s_arrival);
}

static VOID UmsDisposeHosts(VOID)
{
    if (s_arrival)
        CloseHandle(s_arrival);
    if (s_list)
        DeleteUmsCompletionList(s_list);
    s_arrival = NULL;
    s_list = NULL;
}

/* A worker that unblocked out there wants a host again. */
static VOID TakeArrivals(VOID)
{
    PUMS_CONTEXT context = NULL;

    DequeueUmsCompletionListItems(s_list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);

        OutsideRun(WorkerOf(context));
        context = next;
    }
}

static VOID NTAPI HostProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SOS_HOST_NEXT what;

    UNREFERENCED_PARAMETER(payload);
    /* After Blocked the worker is somebody else's already. */
    if (reason == UmsSchedulerThreadYield)
        OutsideTakeBack(t_guest, (ULONG_PTR)param);
    while ((what = OutsideWait(s_arrival, &t_guest)) != OUTSIDE_OVER) {
        if (what == OUTSIDE_NEWS) {
            TakeArrivals();
            continue;
        }
        ExecuteUmsThread(t_guest->context);
        if (GetLastError() == ERROR_RETRY)
            OutsideRun(t_guest);
        else
            InterlockedIncrement(&g_sos.failures);
    }
}

static DWORD UmsHost(VOID)
{
    return Enter(s_list, HostProc);
}

const SOS_MODE_CALLS g_modeUms = {
    .name = "ums",
    .prepare = UmsPrepare,
    .dispose = UmsDispose,
    .abandon = UmsAbandon,
    .schedule = UmsSchedule,
    .fetch = UmsFetch,
    .create = UmsCreate,
    .destroy = UmsDestroy,
    .leave = UmsLeave,
    .prepareHosts = UmsPrepareHosts,
    .disposeHosts = UmsDisposeHosts,
    .host = UmsHost,
};
