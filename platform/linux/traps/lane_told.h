/* SPDX-License-Identifier: MIT
 *
 * lane_told.h - the lines that say how a lane sees calls, and why it sees fewer than it could.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_LANE_TOLD_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_LANE_TOLD_H

struct lane;

/* Writes once why blocking system calls cannot be detected. `error` is -errno. */
void lane_tell_less(int error);
/* There is no lane, so not even calls made by libc's functions can leave in user mode. `error` is
 * errno. */
void lane_tell_none(int error);
/* Tells caps.h what the lane can do, for UMSSHIM_LOG=caps. */
void lane_found(const struct lane *lane);

#endif
