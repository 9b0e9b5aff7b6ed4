/* SPDX-License-Identifier: MIT
 *
 * outside_front.h - libc's functions that make a thread inside themselves: for a UMS thread the
 * broker calls them, so that the new thread has no filter (outside_front.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_OUTSIDE_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_OUTSIDE_FRONT_H

#include <signal.h>
#include <time.h>

int timer_create_libcs(clockid_t clock, struct sigevent *event, timer_t *timer);

#endif
