/* SPDX-License-Identifier: MIT
 *
 * groups.h - processor groups: each has 64 processors, by their numbers, as on Windows.
 */
#ifndef UMSSHIM_WINAPI_LINUX_GROUPS_H
#define UMSSHIM_WINAPI_LINUX_GROUPS_H

#include <sched.h>

#include "winapi/linux/surface.h"

WORD win__group_count(void);
KAFFINITY win__group_mask(const cpu_set_t *set, WORD group);
/* The group that has most of the processors, and their mask there. */
GROUP_AFFINITY win__main_group(const cpu_set_t *set);
/* The main group of the calling thread. */
WORD win__current_group(void);

#endif
