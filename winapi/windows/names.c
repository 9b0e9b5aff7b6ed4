/* SPDX-License-Identifier: MIT
 *
 * names.c - the names by which programs that know nothing of us are served, and nothing else.
 */
#include "winapi/windows/names.h"

#include <string.h>

#include "winapi/windows/interpose.h"
#include "winapi/windows/surface.h"

#define OURS(name)                                                                                 \
    {                                                                                              \
#name, (void *)name,                                                                       \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }
#define INSTEAD(name)                                                                              \
    {                                                                                              \
#name, (void *)umsshim_##name,                                                             \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

enum { PROC_ADDRESS = 18 };

static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name);

static struct interposed names[] = {
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
    [PROC_ADDRESS] = INSTEAD(GetProcAddress),
};
_Static_assert(sizeof names / sizeof names[0] == PROC_ADDRESS + 1, "it comes last");

static bool all_there; /* the system exports all of the 14 names */
static HMODULE kernel32;

/* Only where kernel32 lacks one of the names, which no table of its can be made to have. */
static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name)
{
    if (module == kernel32 && (uintptr_t)name > UINT16_MAX)
        for (size_t i = 0; i < PROC_ADDRESS; i++)
            if (!names[i].theirs[0] && strcmp(name, names[i].name) == 0)
                return (FARPROC)(uintptr_t)names[i].ours;
    return GetProcAddress(module, name);
}

int names_serve(HMODULE self)
{
    kernel32 = GetModuleHandleW(L"kernel32.dll");
    all_there = true;
    for (size_t i = 0; i < PROC_ADDRESS; i++)
        all_there &= GetProcAddress(kernel32, names[i].name) != NULL;
    return interpose(self, names, all_there ? PROC_ADDRESS : PROC_ADDRESS + 1);
}

void names_withdraw(HMODULE self)
{
    interpose_undo(self, names, all_there ? PROC_ADDRESS : PROC_ADDRESS + 1);
}
