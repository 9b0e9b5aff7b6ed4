/* SPDX-License-Identifier: MIT
 *
 * processors.h - sets of processors as Windows' masks.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PROCESSORS_H
#define UMSSHIM_WINAPI_LINUX_PROCESSORS_H

#include <sched.h>

#include "winapi/linux/surface.h"

/* The mask of those of the first 64 processors on which the program could run at its start. */
DWORD_PTR win__system_mask(void);
/* The set of all processors on which the program could run at its start. The library's constructor
 * calls it first. */
const cpu_set_t *win__system_set(void);
DWORD_PTR win__mask_of(const cpu_set_t *set);

#endif
