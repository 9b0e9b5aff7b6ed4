/* SPDX-License-Identifier: MIT
 *
 * effect.c - a stub that is as it should be, and that kernelbase's calls go around: as another
 * product, or the system on another processor, may have it.
 */
#include "as_windows.h"

#include <string.h>

void effect_start(void)
{
    enum { STUB_BYTES = 40 };
    void *stub, *copy = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

    if (!copy)
        as_windows_ends("there is no memory for a stub", "");
    imports_lead("NtSetEvent", copy, &stub);
    memcpy(copy, stub, STUB_BYTES);
}
