/* SPDX-License-Identifier: MIT
 *
 * names.c - the names that interpose.h changes for programs that know nothing of umsshim.dll.
 */
#include "winapi/windows/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/windows/engine.h"
#include "umsshim/include/umsshim_nt.h"
#include "winapi/windows/children.h"
#include "winapi/windows/interpose.h"
#include "winapi/windows/surface.h"
#include "winapi/windows/umsrun/inject.h"

#define OURS(function)                                                                             \
    {                                                                                              \
        .name = #function, .ours = (void *)function                                                \
    }
#define INSTEAD(function)                                                                          \
    {                                                                                              \
        .name = #function, .ours = (void *)umsshim_##function                                      \
    }

#define NTDLLS(function)                                                                           \
    {                                                                                              \
        .name = #function, .ours = (void *)function, .in_ntdll = true                              \
    }
#define NOT_OFFERED(function)                                                                      \
    {                                                                                              \
        .name = #function, .ours = (void *)not_offered, .in_ntdll = true                           \
    }

static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name);
static LONG NTAPI not_offered(void);

enum { UMS_NAMES = 14, KERNELS = 18, NTDLL = 13, REFUSED = 2, CHILDREN = 2 };
enum {
    ALWAYS = KERNELS + NTDLL,
    AT_REFUSED = ALWAYS,
    AT_CHILDREN = AT_REFUSED + REFUSED,
    AT_LOOKUP = AT_CHILDREN + CHILDREN,
    MOST
};

static const struct interposed all[MOST] = {
    OURS(CreateUmsCompletionList),
    OURS(CreateUmsThreadContext),
    OURS(DeleteUmsCompletionList),
    OURS(DeleteUmsThreadContext),
    OURS(DequeueUmsCompletionListItems),
    OURS(EnterUmsSchedulingMode),
    OURS(ExecuteUmsThread),
    OURS(GetCurrentUmsThread),
    OURS(GetNextUmsListItem),
    OURS(GetUmsCompletionListEvent),
    OURS(GetUmsSystemThreadInformation),
    OURS(QueryUmsThreadInformation),
    OURS(SetUmsThreadInformation),
    OURS(UmsThreadYield),
    INSTEAD(CreateRemoteThreadEx),
    INSTEAD(DeleteProcThreadAttributeList),
    INSTEAD(InitializeProcThreadAttributeList),
    INSTEAD(UpdateProcThreadAttribute),
    [KERNELS] = NTDLLS(RtlCreateUmsCompletionList),
    NTDLLS(RtlCreateUmsThreadContext),
    NTDLLS(RtlDeleteUmsCompletionList),
    NTDLLS(RtlDeleteUmsThreadContext),
    NTDLLS(RtlEnterUmsSchedulingMode),
    NTDLLS(RtlExecuteUmsThread),
    NTDLLS(RtlGetCurrentUmsThread),
    NTDLLS(RtlGetUmsCompletionListEvent),
    NTDLLS(RtlQueryUmsThreadInformation),
    NTDLLS(RtlSetUmsThreadInformation),
    NTDLLS(RtlUmsThreadYield),
    NTDLLS(NtUmsThreadYield),
    NTDLLS(ZwUmsThreadYield),
    [AT_REFUSED] = NOT_OFFERED(RtlDequeueUmsCompletionListItems),
    NOT_OFFERED(RtlGetNextUmsListItem),
    [AT_CHILDREN] = INSTEAD(CreateProcessA),
    INSTEAD(CreateProcessW),
    [AT_LOOKUP] = INSTEAD(GetProcAddress),
};

static struct interposed served[MOST];
static size_t served_count;
static HMODULE kernel32, ntdll;

/* Takes the place of functions of ntdll's that the library does not offer: ntdll's own would take
 * the library's lists and contexts for its own. The caller takes the arguments off the stack, so
 * any arguments will do. */
static LONG NTAPI not_offered(void)
{
    return (LONG)0xC00000BB; /* STATUS_NOT_SUPPORTED */
}

static bool has(const struct interposed *name)
{
    return GetProcAddress(name->in_ntdll ? ntdll : kernel32, name->name) != NULL;
}

/* Served only where kernel32 or ntdll lacks one of the names, as no name can be added to their
 * export tables. */
static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name)
{
    if ((module == kernel32 || module == ntdll) && (uintptr_t)name > UINT16_MAX)
        for (size_t i = 0; i < ALWAYS; i++) {
            enum interposed_source source = module == ntdll ? FROM_NTDLL : FROM_KERNEL32;
            if (served[i].in_ntdll == (module == ntdll) && !served[i].theirs[source] &&
                strcmp(name, served[i].name) == 0)
                return (FARPROC)(uintptr_t)served[i].ours;
        }
    return GetProcAddress(module, name);
}

static void serve(size_t from, size_t count)
{
    memcpy(&served[served_count], &all[from], count * sizeof all[0]);
    served_count += count;
}

int names_serve(HMODULE self)
{
    bool all_there = true;
    kernel32 = GetModuleHandleW(L"kernel32.dll");
    ntdll = GetModuleHandleW(L"ntdll.dll");
    for (size_t i = 0; i < ALWAYS; i++)
        all_there &= has(&all[i]);
    serve(0, ALWAYS);
    for (size_t i = AT_REFUSED; i < AT_REFUSED + REFUSED; i++)
        if (has(&all[i]))
            serve(i, 1);
    if (inject_goes_on())
        serve(AT_CHILDREN, CHILDREN);
    if (!all_there)
        serve(AT_LOOKUP, 1);
    return interpose(self, served, served_count);
}

int names_describe(char *text, size_t room)
{
    size_t there = 0, functions = 0;
    for (size_t i = 0; i < UMS_NAMES; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= served[k].theirs[0] == served[i].theirs[0];
        there += served[i].theirs[0] != NULL;
        functions += served[i].theirs[0] && !seen;
    }
    return snprintf(text, room, "names: kernel32 has %llu of %d, which are %llu functions\n",
                    (unsigned long long)there, UMS_NAMES, (unsigned long long)functions);
}

void names_withdraw(HMODULE self)
{
    interpose_undo(self, served, served_count);
}
