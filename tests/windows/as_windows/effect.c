/* SPDX-License-Identifier: MIT
 *
 * effect.c - a stub that is as it should be, and that kernelbase's calls go around: as another
 * product, or the system on another processor, may have it.
 */
#include "as_windows.h"

#include <stdint.h>
#include <string.h>

/* The call by which the function goes to the stub, near it: an instruction of five bytes. */
static uint8_t *find_call(uint8_t *function, const uint8_t *stub)
{
    enum { FUNCTION_BYTES = 768 };
    int32_t distance;

    for (uint8_t *at = function; at < function + FUNCTION_BYTES; at++) {
        memcpy(&distance, at + 1, sizeof distance);
        if ((*at == 0xE8 || *at == 0xE9) && at + 5 + distance == stub)
            return at;
    }
    return NULL;
}

void alerts_start(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    uint8_t *stub = (uint8_t *)(uintptr_t)GetProcAddress(ntdll, "NtAlertThreadByThreadId"),
            *function = (uint8_t *)(uintptr_t)GetProcAddress(ntdll, "RtlWakeAddressSingle"),
            *call = find_call(function, stub), *copy = stub_copy(ntdll, "NtAlertThreadByThreadId");
    DWORD before;

    if (!call || !copy || !VirtualProtect(call, 5, PAGE_EXECUTE_READWRITE, &before))
        as_windows_ends("a call cannot be led around its stub: ", "RtlWakeAddressSingle");
    int32_t distance = (int32_t)(copy - (call + 5));
    memcpy(call + 1, &distance, sizeof distance);
    VirtualProtect(call, 5, before, &before);
}

void effect_start(void)
{
    enum { STUB_BYTES = 40 };
    void *stub, *copy = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

    if (!copy)
        as_windows_ends("there is no memory for a stub", "");
    imports_lead("NtSetEvent", copy, &stub);
    memcpy(copy, stub, STUB_BYTES);
}
