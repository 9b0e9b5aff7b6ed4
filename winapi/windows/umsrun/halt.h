/* SPDX-License-Identifier: MIT
 *
 * halt.h - suspends all threads of a process for a moment.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_HALT_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_HALT_H

#include <stdbool.h>
#include <windows.h>

struct halt {
    HANDLE *threads;
    DWORD *ids;
    unsigned count, room;
};

/* False: some thread could not be suspended, and all go on. */
bool halt_process(struct halt *halt, DWORD process);
void halt_over(struct halt *halt);

#endif
