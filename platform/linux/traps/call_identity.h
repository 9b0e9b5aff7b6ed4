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
/* Whether the call's answer depends on the thread that makes it. */
bool call_is_about_caller(const struct call_row *entry);
/* For a scheduler's call. If the call is about its caller, this function makes it, puts the result
 * into the scheduler's record, and returns true. */
bool scheduler_call(struct plat_context *scheduler, struct lane *lane, const struct call_row *entry,
                    const long args[6]);

/* Gives the calling kernel thread the processors, or the policy and niceness, of a context's
 * home. */
void inherit_from(pid_t home, bool affinity, bool scheduling);

#endif
