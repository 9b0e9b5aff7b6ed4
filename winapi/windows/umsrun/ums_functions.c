/* SPDX-License-Identifier: MIT
 *
 * ums_functions.c - see ums_functions.h.
 */
#include "winapi/windows/umsrun/ums_functions.h"

struct ums_functions ums;

static const struct {
    const char *name;
    void *pointer;
} wanted[] = {
    {"CreateUmsCompletionList", &ums.create_list},
    {"DeleteUmsCompletionList", &ums.delete_list},
    {"DequeueUmsCompletionListItems", &ums.dequeue},
    {"GetNextUmsListItem", &ums.next},
    {"CreateUmsThreadContext", &ums.create_context},
    {"DeleteUmsThreadContext", &ums.delete_context},
    {"EnterUmsSchedulingMode", &ums.enter},
    {"ExecuteUmsThread", &ums.execute},
    {"UmsThreadYield", &ums.yield},
    {"QueryUmsThreadInformation", &ums.query},
    {"UpdateProcThreadAttribute", &ums.update},
    {"CreateRemoteThreadEx", &ums.create_thread},
};

static void *from_kernel32(const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), name);
}

const char *ums_find(void)
{
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *function = from_kernel32(wanted[i].name);
        if (!function)
            return wanted[i].name;
        *(void **)wanted[i].pointer = function;
    }
    return NULL;
}

HANDLE ums_start(PUMS_CONTEXT context, PUMS_COMPLETION_LIST list, LPTHREAD_START_ROUTINE body,
                 void *arg)
{
    _Alignas(16) char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (void *)room;
    SIZE_T size = sizeof room;
    UMS_CREATE_THREAD_ATTRIBUTES worker = {UMS_VERSION, context, list};
    BOOL(WINAPI * initialize)
    (LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD, PSIZE_T) =
        from_kernel32("InitializeProcThreadAttributeList");
    if (!initialize || !initialize(attributes, 1, 0, &size) ||
        !ums.update(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &worker, sizeof worker, NULL,
                    NULL))
        return NULL;
    return ums.create_thread(GetCurrentProcess(), NULL, 0, body, arg, 0, attributes, NULL);
}
