/* SPDX-License-Identifier: MIT
 *
 * one_processor.c - UMSSHIM_TEST_PROCESSORS=1 (Windows): the program has one processor from its
 * start on. The engine sees that at its first call, and no hand-over spins.
 */
#include "is_set.h"

#include <stdio.h>
#include <windows.h>

__attribute__((constructor)) static void take_one_processor(void)
{
    DWORD_PTR ours, all;

    if (!is_set("UMSSHIM_TEST_PROCESSORS", "1"))
        return;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) ||
        !SetProcessAffinityMask(GetCurrentProcess(), ours & (~ours + 1))) {
        fprintf(stderr, "one processor of %#llx cannot be had: error %lu\n",
                (unsigned long long)ours, GetLastError());
        ExitProcess(1);
    }
}
