/* SPDX-License-Identifier: MIT
 *
 * site_call.h - what a rewritten call does: which numbers are led here, and how a worker's call is
 * made.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SITE_CALL_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SITE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, before the first site is written. */
void site_call_init(void);
/* Whether sites with this number are rewritten. libc's `syscall` has any number, and asks at each
 * call. */
bool site_wanted(long number);

/* On a worker's thread, around a fork: between the two its calls go to the kernel as they are. The
 * engine that the child finds before it forgets it is the parent's: workers that wait there are not
 * to be let go here. */
void site_calls_shut(void);
void site_calls_open(void);

/* Read by site_slots.S. */
extern uint32_t site_numbers[];

/* Called by site_slots.S. Whether a call of this number is to be made here. */
__attribute__((used)) bool sites_leads(long number, const long args[6]);
/* The result as the kernel has it. `behind` is where the call was made. */
__attribute__((used)) long sites_call(long number, const long args[6], uintptr_t behind);
/* For libc's cancellable calls, which look whether they are cancelled when this says EINTR. */
__attribute__((used)) long sites_shared_call(const void *cancelled, long number, long a, long b,
                                             long c, long d, long e, long f);

#endif
