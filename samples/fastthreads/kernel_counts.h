/* SPDX-License-Identifier: MIT
 *
 * kernel_counts.h - what the kernel itself counted of this process: the check on the package's own
 * counters.
 */
#ifndef FASTTHREADS_KERNEL_COUNTS_H
#define FASTTHREADS_KERNEL_COUNTS_H

/* -1: the system does not say, or not to this user. */
struct kernel_counts {
    long long calls;    /* system calls */
    long long switches; /* a thread of the system blocked, and its processor went to another */
};

/* Call the first before the threads start that are to be counted. */
void kernel_counts_open(void);
void kernel_counts_read(struct kernel_counts *counts);

#endif
