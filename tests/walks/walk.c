/* SPDX-License-Identifier: MIT
 *
 * walk.c - one operation of a worker's, recorded from the call to its return, or to the entry point that runs instead.
 *
 *     walk read    a worker reads an empty pipe and leaves (not on Windows)
 *     walk wait    a worker waits for an event that is not set and leaves
 *     walk set     SetEvent releases such a worker
 *
 * The operation is done ROUNDS times and the last is told, so that nothing is met that happens only once. A line for each
 * function that was entered: its address and that of the call, in the library, hexadecimal; 0 where it was left. walks.py
 * reads them.
 */
#include <windows.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umsshim.h>
#ifndef _WIN32
#include <dlfcn.h>
#include <unistd.h>
#endif

#include "recorder.h"

enum { ROUNDS = 4 };

static PUMS_COMPLETION_LIST list;
static HANDLE event, list_event;
#ifndef _WIN32
static int ends[2];
#endif
static enum { READ, WAIT, SET } what;
static const struct walk_record *records;
static unsigned count;
static volatile int rounds;

static void fail(const char *doing)
{
    fprintf(stderr, "walk: %s failed with %lu\n", doing, (unsigned long)GetLastError());
    exit(1);
}

static DWORD WINAPI work(LPVOID param)
{
    (void)param;
    while (rounds < ROUNDS) {
#ifndef _WIN32
        char byte;
        if (what == READ) {
            walk_arm();
            if (read(ends[0], &byte, 1) != 1)
                fail("read");
            continue;
        }
#endif
        if (what == WAIT)
            walk_arm();
        if (WaitForSingleObject(event, INFINITE))
            fail("WaitForSingleObject");
    }
    return 0;
}

/* On the scheduler, while the worker is blocked. */
static void complete(void)
{
    if (what != SET)
        count = walk_disarm(&records);
    rounds++;
#ifndef _WIN32
    if (what == READ) {
        if (write(ends[1], "", 1) != 1)
            fail("write");
        return;
    }
#endif
    if (what == SET) {
        /* The list's event has to be set, too. Nothing takes its signal if a worker was there already. */
        WaitForSingleObject(list_event, 0);
        walk_arm();
    }
    SetEvent(event);
    if (what == SET)
        count = walk_disarm(&records);
}

static VOID WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload, (void)param;
    PUMS_CONTEXT worker;
    if (reason == UmsSchedulerThreadBlocked) {
        if (rounds == ROUNDS)
            return; /* that was its end */
        complete();
    }
    if (!DequeueUmsCompletionListItems(list, 10000, &worker) || !worker)
        fail("DequeueUmsCompletionListItems");
    ExecuteUmsThread(worker);
    fail("ExecuteUmsThread");
}

static void create_worker(void)
{
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    if (!CreateUmsThreadContext(&ums.UmsContext) ||
        !InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof ums, NULL, NULL) ||
        !CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, work, NULL, 0, attributes, NULL))
        fail("creating a worker");
}

static uintptr_t base_of_library(void)
{
#ifdef _WIN32
    return (uintptr_t)GetModuleHandleA("umsshim.dll");
#else
    Dl_info info;
    return dladdr((void *)(uintptr_t)CreateUmsCompletionList, &info) ? (uintptr_t)info.dli_fbase
                                                                     : 0;
#endif
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    what = !strcmp(name, "set") ? SET : !strcmp(name, "wait") ? WAIT : READ;
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, NULL, schedule, NULL};
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
#ifndef _WIN32
    if (what == READ && pipe(ends))
        fail("pipe");
#endif
    if (!event || !CreateUmsCompletionList(&list) || !GetUmsCompletionListEvent(list, &list_event))
        fail("creating a list");
    info.CompletionList = list;
    create_worker();
    if (!EnterUmsSchedulingMode(&info))
        fail("EnterUmsSchedulingMode");
    uintptr_t base = base_of_library();
    for (unsigned i = 0; i < count; i++) {
        uintptr_t site = (uintptr_t)records[i].call_site;
        printf("%llx %llx\n", (unsigned long long)((uintptr_t)records[i].function - base),
               (unsigned long long)(site ? site - base : 0));
    }
    return 0;
}
