/* SPDX-License-Identifier: MIT
 *
 * call_identity.h - calls that name or change a thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_IDENTITY_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

struct lane;
struct plat_context;
struct call_row;
/* Its answer depends on who makes it. */
bool call_is_about_caller(const struct call_row *entry);
/* A scheduler's call: true, with the result in its record, if it asks for what the kernel knows of
 * the caller. */
bool scheduler_call(struct plat_context *scheduler, struct lane *lane, const struct call_row *entry,
                    const long args[6]);

/* Gives the calling kernel thread what a context's home has. */
void inherit_from(pid_t home, bool affinity, bool scheduling);

#endif
