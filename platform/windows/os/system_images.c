/* SPDX-License-Identifier: MIT
 *
 * system_images.c - see system_images.h.
 */
#include "platform/windows/os/system_images.h"

#include <string.h>

#include "platform/windows/os/export_table.h"

struct system_images system_images;

struct system_images system_images_ask(void)
{
    return (struct system_images){GetModuleHandleW(L"ntdll.dll"),
                                  GetModuleHandleW(L"kernelbase.dll")};
}

static HMODULE image_named(const char *name, size_t length)
{
    static const char ntdll[] = "ntdll", kernelbase[] = "kernelbase";
    if (length == sizeof ntdll - 1 && _strnicmp(name, ntdll, length) == 0)
        return system_images.ntdll;
    if (length == sizeof kernelbase - 1 && _strnicmp(name, kernelbase, length) == 0)
        return system_images.kernelbase;
    return NULL;
}

/* Follows one forwarder. No forwarder of these modules leads to another one. */
void *system_function(HMODULE module, const char *name)
{
    const char *forward = NULL;
    void *function = module ? export_address(module, name, &forward) : NULL;
    const char *dot = forward ? strchr(forward, '.') : NULL;
    HMODULE other = dot ? image_named(forward, (size_t)(dot - forward)) : NULL;
    return other ? export_address(other, dot + 1, NULL) : function;
}
