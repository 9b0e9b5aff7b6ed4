/* SPDX-License-Identifier: MIT
 *
 * consumer.c - a UMS source as Windows programmers write it: <windows.h> and nothing of ours. It
 * calls all fourteen UMS functions, compiles as C and as C++, and stands beside POSIX headers.
 */
#include <windows.h>

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static PUMS_COMPLETION_LIST list;
static HANDLE list_event;
static PUMS_CONTEXT worker_context;
static int marker;
static int yields_seen;
static int worker_done;
static int scheduler_flags;
static int worker_flags;

static int flags_of(HANDLE thread)
{
    UMS_SYSTEM_THREAD_INFORMATION info;

    memset(&info, 0, sizeof(info));
    info.UmsVersion = UMS_VERSION;
    if (!GetUmsSystemThreadInformation(thread, &info))
        return -1;
    return (info.IsUmsSchedulerThread ? 1 : 0) | (info.IsUmsWorkerThread ? 2 : 0);
}

static DWORD WINAPI WorkerThread(LPVOID lpParameter)
{
    int *counter = (int *)lpParameter;

    worker_flags = flags_of(GetCurrentThread());
    if (GetCurrentUmsThread() != worker_context)
        return 1;
    ++*counter;
    UmsThreadYield(&marker);
    Sleep(10);
    ++*counter;
    return 42;
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON Reason, ULONG_PTR ActivationPayload,
                                PVOID SchedulerParam)
{
    PUMS_CONTEXT context = NULL;

    if (Reason == UmsSchedulerStartup)
        scheduler_flags = flags_of(GetCurrentThread());
    if (Reason == UmsSchedulerThreadYield) {
        if (SchedulerParam == &marker && (PUMS_CONTEXT)ActivationPayload == worker_context)
            yields_seen++;
        ExecuteUmsThread((PUMS_CONTEXT)ActivationPayload);
        return;
    }
    while (!worker_done) {
        WaitForSingleObject(list_event, 5000);
        if (!DequeueUmsCompletionListItems(list, 0, &context))
            return;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            BOOLEAN terminated = FALSE;
            ULONG length = 0;

            if (!QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                           sizeof(terminated), &length))
                return;
            if (terminated)
                worker_done = 1;
            else
                ExecuteUmsThread(context);
            context = next;
        }
    }
}

static int Fail(const char *what)
{
    printf("consumer: %s, last error %lu\n", what, (unsigned long)GetLastError());
    return 1;
}

int main(void)
{
    UMS_SCHEDULER_STARTUP_INFO startup;
    UMS_CREATE_THREAD_ATTRIBUTES attributes;
    LPPROC_THREAD_ATTRIBUTE_LIST attribute_list;
    struct sockaddr_in address; /* only to stand beside windows.h */
    SIZE_T size = 0;
    HANDLE thread;
    DWORD exit_code = 0;
    DWORD thread_id = 0;
    int counter = 0;
    void *tag = &counter;

    alarm(30);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    if (!CreateUmsCompletionList(&list) || !GetUmsCompletionListEvent(list, &list_event))
        return Fail("the completion list");
    if (!CreateUmsThreadContext(&worker_context) ||
        !SetUmsThreadInformation(worker_context, UmsThreadUserContext, &tag, sizeof(tag)))
        return Fail("the context");
    if (InitializeProcThreadAttributeList(NULL, 1, 0, &size) ||
        GetLastError() != ERROR_INSUFFICIENT_BUFFER)
        return Fail("the sizing call");
    attribute_list = (LPPROC_THREAD_ATTRIBUTE_LIST)HeapAlloc(GetProcessHeap(), 0, size);
    attributes.UmsVersion = UMS_VERSION;
    attributes.UmsContext = worker_context;
    attributes.UmsCompletionList = list;
    if (!InitializeProcThreadAttributeList(attribute_list, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attribute_list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &attributes,
                                   sizeof(attributes), NULL, NULL))
        return Fail("the attribute");
    thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, WorkerThread, &counter,
                                  STACK_SIZE_PARAM_IS_A_RESERVATION, attribute_list, &thread_id);
    if (!thread)
        return Fail("the worker");
    DeleteProcThreadAttributeList(attribute_list);
    HeapFree(GetProcessHeap(), 0, attribute_list);

    startup.UmsVersion = UMS_VERSION;
    startup.CompletionList = list;
    startup.SchedulerProc = SchedulerProc;
    startup.SchedulerParam = NULL;
    if (!EnterUmsSchedulingMode(&startup))
        return Fail("EnterUmsSchedulingMode");
    if (WaitForSingleObject(thread, 5000) != WAIT_OBJECT_0 ||
        !GetExitCodeThread(thread, &exit_code))
        return Fail("waiting for the worker");
    CloseHandle(thread);
    CloseHandle(list_event);
    if (!DeleteUmsThreadContext(worker_context) || !DeleteUmsCompletionList(list))
        return Fail("deleting");

    printf("consumer: counter %d, exit code %lu, yields %d, flags %d and %d\n", counter,
           (unsigned long)exit_code, yields_seen, scheduler_flags, worker_flags);
    return counter == 2 && exit_code == 42 && yields_seen == 1 && scheduler_flags == 1 &&
                   worker_flags == 2 && thread_id != 0
               ? 0
               : 1;
}
