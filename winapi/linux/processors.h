/* SPDX-License-Identifier: MIT
 *
 * processors.h - sets of processors as Windows' masks.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PROCESSORS_H
#define UMSSHIM_WINAPI_LINUX_PROCESSORS_H

#include <sched.h>

#include "winapi/linux/surface.h"

/* The processors, of the first 64, on which the program may run since its start. */
DWORD_PTR win__system_mask(void);
/* All of them. The library's constructor asks for them first. */
const cpu_set_t *win__system_set(void);
DWORD_PTR win__mask_of(const cpu_set_t *set);

#endif
