/* SPDX-License-Identifier: MIT
 *
 * call_identity.h - calls that name or change a thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_IDENTITY_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Gives the calling kernel thread what a context's home has. */
void inherit_from(pid_t home, bool affinity, bool scheduling);

#endif
