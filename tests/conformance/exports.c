/* SPDX-License-Identifier: MIT
 *
 * exports.c - section 2: where the calls are found, and a system that has none.
 */
#include "host.h"
#include "rig.h"

static const char *const ums_names[] = {UMS_CALLS(UMS_NAME)};
static const char *const creation_names[] = {
    "CreateRemoteThreadEx", "InitializeProcThreadAttributeList", "UpdateProcThreadAttribute",
    "DeleteProcThreadAttributeList"};
enum { UMS_COUNT = 14 };

/* Linked to a DLL, kernel32 is the system's and none of our business. */
static HMODULE named_module(const char *name)
{
    HMODULE module = LoadLibraryA(name);

    if (!module || GetProcAddress(LoadLibraryA("kernel32"), "ExecuteUmsThread") !=
                       (FARPROC)(ULONG_PTR)calls.p_ExecuteUmsThread) {
        check_skip("this provider is not reached through kernel32");
        return NULL;
    }
    return module;
}

CLAUSE(XP, 1, DOC, "W:index", "kernel32 and the API set have 14 functions, by name")
{
    static const char *const modules[] = {"kernel32.dll", "api-ms-win-core-ums-l1-1-0.dll"};

    EXPECT_EQ(sizeof ums_names / sizeof *ums_names, UMS_COUNT);
    for (int i = 0; i < 2; i++) {
        HMODULE module = named_module(modules[i]);

        for (int j = 0; module && j < UMS_COUNT; j++)
            EXPECT_OK(GetProcAddress(module, ums_names[j]) != NULL);
    }
}

CLAUSE(XP, 2, OBS, "-", "The API set leads to the functions of kernel32")
{
    HMODULE set = named_module("api-ms-win-core-ums-l1-1-0.dll");

    for (int i = 0; set && i < UMS_COUNT; i++) {
        EXPECT_EQ((ULONG_PTR)GetProcAddress(set, ums_names[i]),
                  (ULONG_PTR)GetProcAddress(GetModuleHandleA("kernel32"), ums_names[i]));
    }
}

UNTESTED(XP, 3, OBS, "W:index", "Which systems and processors had UMS",
         "about other systems than the one that runs the test")

CLAUSE(XP, 4, OBS, "-", "ntdll has partners of the functions, under Rtl names")
{
    static const char *const names[] = {"RtlCreateUmsCompletionList",
                                        "RtlCreateUmsThreadContext",
                                        "RtlDeleteUmsCompletionList",
                                        "RtlDeleteUmsThreadContext",
                                        "RtlEnterUmsSchedulingMode",
                                        "RtlExecuteUmsThread",
                                        "RtlGetCurrentUmsThread",
                                        "RtlGetUmsCompletionListEvent",
                                        "RtlQueryUmsThreadInformation",
                                        "RtlSetUmsThreadInformation",
                                        "RtlUmsThreadYield",
                                        "NtUmsThreadYield"};

    for (size_t i = 0; named_module("kernel32.dll") && i < sizeof names / sizeof *names; i++)
        EXPECT_OK(GetProcAddress(GetModuleHandleA("ntdll.dll"), names[i]) != NULL);
}

CLAUSE(XP, 5, OBS, "-", "What ConcRT looks up in kernel32 by GetProcAddress is there")
{
    HMODULE module = named_module("kernel32.dll");

    for (int i = 0; module && i < UMS_COUNT; i++)
        EXPECT_OK(GetProcAddress(module, ums_names[i]) != NULL);
    for (int i = 0; module && i < 4; i++)
        EXPECT_OK(GetProcAddress(module, creation_names[i]) != NULL);
}

CLAUSE(XP, 6, OBS, "-", "All functions are there, or none")
{
    HMODULE module = LoadLibraryA("kernel32.dll");
    int found = 0;

    ASSERT_OK(module != NULL);
    if (!named_module("kernel32.dll"))
        return;
    for (int i = 0; i < UMS_COUNT; i++)
        found += GetProcAddress(module, ums_names[i]) != NULL;
    EXPECT(found == 0 || found == UMS_COUNT);
}

UNTESTED(XP, 7, OBS, "-", "What Wine 8.0 exports", "about Wine, whose stubs are not under test")
UNTESTED(XP, 8, OBS, "-", "What ReactOS exports", "about ReactOS")

/* ---- a system without UMS ---- */

static VOID NTAPI never(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    (void)param;
}

static int refused(BOOL result)
{
    return result || GetLastError() != ERROR_NOT_SUPPORTED;
}
#define REFUSED(call) refused((SetLastError(SENTINEL), call))

/* One of the two refuses: a system without UMS may know the attribute or not (AT-7). */
static BOOL create_worker(UMS_CREATE_THREAD_ATTRIBUTES *ums)
{
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)buffer;
    SIZE_T size = sizeof buffer;

    return InitializeProcThreadAttributeList(attributes, 1, 0, &size) &&
           UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, ums,
                                     sizeof *ums, NULL, NULL) &&
           CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine_return, NULL, 0, attributes,
                                NULL);
}

/* How many calls were not refused. */
PART(disabled)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, &info, never, NULL};
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, &ums, &ums};
    UMS_SYSTEM_THREAD_INFORMATION system = {.UmsVersion = UMS_VERSION};
    PUMS_COMPLETION_LIST list = &list;
    PUMS_CONTEXT context = &context;
    HANDLE event = NULL;
    PVOID value = NULL;
    int wrong = 0;

    wrong += REFUSED(CreateUmsCompletionList(&list));
    wrong += REFUSED(CreateUmsThreadContext(&context));
    wrong += REFUSED(DeleteUmsCompletionList(&info));
    wrong += REFUSED(DeleteUmsThreadContext(&info));
    wrong += REFUSED(DequeueUmsCompletionListItems(&info, 0, &context));
    wrong += REFUSED(EnterUmsSchedulingMode(&info));
    wrong += REFUSED(ExecuteUmsThread(&info));
    wrong += REFUSED(GetCurrentUmsThread() != NULL);
    wrong += REFUSED(GetNextUmsListItem(&info) != NULL);
    wrong += REFUSED(GetUmsCompletionListEvent(&info, &event));
    wrong += REFUSED(GetUmsSystemThreadInformation(GetCurrentThread(), &system));
    wrong += REFUSED(QueryUmsThreadInformation(&info, UmsThreadUserContext, &value, 8, NULL));
    wrong += REFUSED(SetUmsThreadInformation(&info, UmsThreadUserContext, &value, 8));
    wrong += REFUSED(UmsThreadYield(NULL));
    wrong += REFUSED(create_worker(&ums));
    return wrong;
}

PART(disabled_outputs)
{
    PUMS_COMPLETION_LIST list = &list;
    PUMS_CONTEXT context = &context, chain = &chain;
    HANDLE event = &event;
    ULONG length = 99;
    PVOID value = &value;

    CreateUmsCompletionList(&list);
    CreateUmsThreadContext(&context);
    DequeueUmsCompletionListItems(&event, 0, &chain);
    GetUmsCompletionListEvent(&event, &event);
    QueryUmsThreadInformation(&event, UmsThreadUserContext, &value, 8, &length);
    return (list != NULL) + (context != NULL) + (chain != NULL) + (event != &event) +
           (value != &value) + (length != 99);
}

static bool can_be_disabled(void)
{
    if (host_is_oracle())
        check_skip("this system has UMS, and no switch for it");
    return !host_is_oracle();
}

CLAUSE(NS, 1, DOC, "U", "Without UMS every call fails with 50, the attribute's creation, too")
{
    if (can_be_disabled())
        EXPECT_EQ(kit_part("disabled", "UMSSHIM_DISABLE=1"), 0);
}

CLAUSE(NS, 2, UNS, "U",
       "Without UMS results are left alone, but of Dequeue and Create, which are NULL")
{
    if (can_be_disabled())
        EXPECT_EQ(kit_part("disabled_outputs", "UMSSHIM_DISABLE=1"), 0);
}
