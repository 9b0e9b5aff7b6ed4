/* SPDX-License-Identifier: MIT
 *
 * halt.h - a process whose threads all stand still for a moment.
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

/* False: some thread could not be stopped, and all go on. */
bool halt_process(struct halt *halt, DWORD process);
void halt_over(struct halt *halt);

#endif
