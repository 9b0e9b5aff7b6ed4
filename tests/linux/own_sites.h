/* SPDX-License-Identifier: MIT
 *
 * own_sites.h - system calls of this program's own, and whether they are redirected to the library.
 *
 * The code shows whether a call is redirected: the instruction before the `syscall` has become a
 * jump.
 */
#ifndef UMSSHIM_TESTS_LINUX_OWN_SITES_H
#define UMSSHIM_TESTS_LINUX_OWN_SITES_H

#include "block_case.h"

#include <stdbool.h>

/* All take a descriptor, bytes and their count; the result is the kernel's. */
typedef long call_function(long fd, const void *bytes, long count);

call_function write_here, read_here, late_here, entered_here, made_here, first_here, second_here;
long any_here(long number, long fd, const void *bytes, long count);
extern const char write_call[], read_call[], any_call[], late_call[], entered_call[], made_call[];
extern const char first_call[], second_call[];

/* Calls any_here as the others are called, to write. */
long any_write(long fd, const void *bytes, long count);

/* Whether the site's lead, the instruction before it, is a jump by now, near or short. */
bool led(const char *call);

/* Runs the step in a worker, with null_device open. */
void in_worker(block_step step);
extern int null_device;

/* In a worker: calls until it is redirected to the library. A site far away from the library's
 * slots has to wait until there are some near it. */
bool use(call_function *call, long result, const char *place);

/* Steps for in_worker: write_here and read_here are led, or those of all shapes that can be, and
 * give what they should. */
void use_both(struct block_case *c);
void of_all_shapes(struct block_case *c);

#endif
