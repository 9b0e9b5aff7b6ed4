/* SPDX-License-Identifier: MIT
 *
 * names.c - the names by which programs that know nothing of us are served, and nothing else.
 */
#include "winapi/windows/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/windows/engine.h"
#include "winapi/windows/children.h"
#include "winapi/windows/interpose.h"
#include "winapi/windows/surface.h"

#define OURS(function)                                                                             \
    {                                                                                              \
        .name = #function, .ours = (void *)function                                                \
    }
#define INSTEAD(function)                                                                          \
    {                                                                                              \
        .name = #function, .ours = (void *)umsshim_##function                                      \
    }

static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name);

enum { UMS_NAMES = 14, ALWAYS = 18, CHILDREN = 2, MOST = ALWAYS + CHILDREN + 1 };

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
    [ALWAYS] = INSTEAD(CreateProcessA),
    INSTEAD(CreateProcessW),
    [ALWAYS + CHILDREN] = INSTEAD(GetProcAddress),
};

static struct interposed served[MOST];
static size_t served_count;
static HMODULE kernel32;

/* Only where kernel32 lacks one of the names, which no table of its can be made to have. */
static FARPROC WINAPI umsshim_GetProcAddress(HMODULE module, LPCSTR name)
{
    if (module == kernel32 && (uintptr_t)name > UINT16_MAX)
        for (size_t i = 0; i < ALWAYS; i++)
            if (!served[i].theirs[0] && strcmp(name, served[i].name) == 0)
                return (FARPROC)(uintptr_t)served[i].ours;
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
    for (size_t i = 0; i < ALWAYS; i++)
        all_there &= GetProcAddress(kernel32, all[i].name) != NULL;
    serve(0, ALWAYS);
    if (plat_switch("UMSSHIM_CHILDREN", '1'))
        serve(ALWAYS, CHILDREN);
    if (!all_there)
        serve(ALWAYS + CHILDREN, 1);
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
