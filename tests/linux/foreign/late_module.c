/* SPDX-License-Identifier: MIT
 *
 * late_module.c - a plug-in that uses UMS, for late_host.cc: runs a function in a worker.
 */
#include <windows.h>

#include "late_module.h"

static PUMS_COMPLETION_LIST list;
static void (*worker_body)(void);
static int ended;

static DWORD WINAPI worker(LPVOID unused)
{
    worker_body();
    return 0;
}

static VOID NTAPI scheduler(RTL_UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    for (;;) {
        PUMS_CONTEXT context;
        BOOLEAN terminated = FALSE;
        ULONG length;
        if (!DequeueUmsCompletionListItems(list, 10000, &context) || !context)
            return; /* nothing for ten seconds: late_run fails */
        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof terminated,
                                  &length);
        if (terminated) {
            ended = 1;
            return;
        }
        ExecuteUmsThread(context);
    }
}

int late_run(void (*body)(void))
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, NULL, scheduler, NULL};
    char room[256];
    SIZE_T size = sizeof room;
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;

    worker_body = body;
    if (!CreateUmsCompletionList(&list) || !CreateUmsThreadContext(&ums.UmsContext) ||
        !InitializeProcThreadAttributeList(attributes, 1, 0, &size))
        return 1;
    ums.UmsCompletionList = info.CompletionList = list;
    if (!UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof ums, NULL, NULL) ||
        !CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, worker, NULL, 0, attributes, NULL) ||
        !EnterUmsSchedulingMode(&info))
        return 2;
    return ended ? 0 : 3;
}
