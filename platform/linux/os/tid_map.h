/* SPDX-License-Identifier: MIT
 *
 * tid_map.h - kernel thread ids to carriers, and to contexts whose home they are.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TID_MAP_H
#define UMSSHIM_PLATFORM_LINUX_OS_TID_MAP_H

#include <sys/types.h>

struct carrier;
struct plat_context;
int tid_map_carrier(pid_t tid, struct carrier *carrier);
int tid_map_home(pid_t tid, struct plat_context *context);
void tid_map_forget(void);
struct carrier *tid_carrier(pid_t tid);
struct plat_context *tid_home(pid_t tid);

#endif
