/* SPDX-License-Identifier: MIT
 *
 * site_call.h - a rewritten call site: the numbers of calls that it redirects, and how a worker's
 * call is made.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SITE_CALL_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SITE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called once, before the first site is written. */
void site_call_init(void);
/* Whether sites with this number are rewritten. The site in libc's `syscall` may have any number:
 * its slot asks at each call. */
bool site_wanted(long number);

/* On a worker's thread, around a fork: between the two, its calls go to the kernel as they are.
 * Until the child forgets the engine it has the parent's: a redirected call of the child's must not
 * let go workers that wait in the parent. */
void site_calls_shut(void);
void site_calls_open(void);

/* Read by site_slots.S. */
extern uint32_t site_numbers[];

/* site_slots.S asks whether the library makes this call. */
__attribute__((used)) bool sites_leads(long number, const long args[6]);
/* Makes the call; returns the kernel's result. `behind` is the address behind the call site. */
__attribute__((used)) long sites_call(long number, const long args[6], uintptr_t behind);
/* The same for libc's cancellable calls, which look whether they are cancelled if this returns
 * -EINTR. */
__attribute__((used)) long sites_shared_call(const void *cancelled, long number, long a, long b,
                                             long c, long d, long e, long f);

#endif
