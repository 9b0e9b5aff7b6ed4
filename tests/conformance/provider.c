/* SPDX-License-Identifier: MIT
 *
 * provider.c - fills the table of calls from where the program is told to take them.
 */
#include "calls.h"

#include <stdio.h>
#include <string.h>

struct calls calls;
const char *calls_provider = "";

const char *calls_default_provider(void)
{
    struct calls linked;

    return calls_from_linker(&linked) ? "linked" : "kernel32";
}

static void *look_up(HMODULE module, const char *name, const char *provider, int *missing)
{
    void *address = (void *)(ULONG_PTR)GetProcAddress(module, name);

    if (!address) {
        fprintf(stderr, "ums_conformance: %s has no %s\n", provider, name);
        ++*missing;
    }
    return address;
}

bool calls_load(const char *provider)
{
    HMODULE module;
    int missing = 0;

    calls_provider = provider;
    if (!strcmp(provider, "linked")) {
        if (calls_from_linker(&calls))
            return true;
        fprintf(stderr, "ums_conformance: this program is linked with no UMS library\n");
        return false;
    }
    module = LoadLibraryA(provider);
    if (!module) {
        fprintf(stderr, "ums_conformance: cannot load %s, error %lu\n", provider,
                (unsigned long)GetLastError());
        return false;
    }
#define FIND(result, name, arguments)                                                              \
    calls.p_##name = (result(WINAPI *) arguments)look_up(module, #name, provider, &missing);
    UMS_CALLS(FIND)
    CREATION_CALLS(FIND)
#undef FIND
    return missing == 0;
}
