/* SPDX-License-Identifier: MIT
 *
 * guardian.h - keeps the listener for children that outlive us.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_GUARDIAN_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_GUARDIAN_H

struct lane;
void guardian_ensure(struct lane *lane);

#endif
