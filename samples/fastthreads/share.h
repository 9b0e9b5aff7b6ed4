/* SPDX-License-Identifier: MIT
 *
 * share.h - the package's side of the processor allocator: what it may use, and what it wants.
 */
#ifndef FASTTHREADS_SHARE_H
#define FASTTHREADS_SHARE_H

#include "fastthreads.h"

/* Registers with an allocator, as a program of this priority, and follows it from then on; NULL: all processors are ours. If it
 * cannot be reached, or ends, all processors are ours, too. */
void ft__share_open(const char *allocator, int priority);
void ft__share_close(struct ft_statistics *statistics);

/* The downcalls, "more processors" and "this processor is idle", in one: tells the allocator how
 * many processors have or look for work, if that has changed. Never waits. */
void ft__share_tell(void);

#endif
