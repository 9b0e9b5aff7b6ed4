/* SPDX-License-Identifier: MIT
 *
 * lane_told.h - the lines that say how a lane sees calls, and why it sees fewer than it could.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_LANE_TOLD_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_LANE_TOLD_H

struct lane;

/* Once: why blocking system calls cannot be detected. -errno. */
void lane_tell_less(int error);
/* There is no lane: not even calls that are left in user mode can be seen through. errno. */
void lane_tell_none(int error);
/* For UMSSHIM_LOG=caps. */
void lane_found(const struct lane *lane);

#endif
