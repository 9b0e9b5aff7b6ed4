/* SPDX-License-Identifier: MIT
 *
 * ground_processes_windows.c - Windows has no fork: there is no such ground: ft_ground_here.
 */
#include "ground.h"

static DWORD process_run(const struct ft_options *options, void (*first)(void *), void *arg,
                         struct ft_statistics *statistics)
{
    UNREFERENCED_PARAMETER(options);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(arg);
    UNREFERENCED_PARAMETER(statistics);
    return ERROR_NOT_SUPPORTED;
}

const struct ft_ground_calls ft__processes = {.run = process_run};
