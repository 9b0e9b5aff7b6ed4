/* SPDX-License-Identifier: MIT
 *
 * reactor.h - the lane's thread that receives notifications and completes calls by the ring.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_REACTOR_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_REACTOR_H

enum reactor_go { REACTOR_RUNS = 1, REACTOR_ENDS };
void *reactor_main(void *lane);

#endif
