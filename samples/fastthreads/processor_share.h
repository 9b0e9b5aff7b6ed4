/* SPDX-License-Identifier: MIT
 *
 * processor_share.h - a program and the processor allocator: what it may use, and what it wants.
 */
#ifndef FASTTHREADS_PROCESSOR_SHARE_H
#define FASTTHREADS_PROCESSOR_SHARE_H

#include "fastthreads.h"

/* What differs between the package and a program on kernel threads. */
struct ft__sharer {
    int (*wanted)(void); /* how many processors have or look for work; any thread may ask */
    /* The agent says which processors are the program's from now on. Where the allocator is lost or
     * left, they are all. */
    void (*granted)(DWORD_PTR processors);
    void (*take_back)(void); /* then the agent waits until the others were given up; may be NULL */
};

/* Registers with the options' allocator, as a program that can use these processors, and follows it
 * from then on; no allocator: all processors are ours. If it cannot be reached, or ends, all
 * processors are ours, too. */
void ft__share_open(const struct ft_options *options, DWORD_PTR usable,
                    const struct ft__sharer *sharer);
void ft__share_close(struct ft_statistics *statistics);

/* The downcalls, "more processors" and "this processor is idle", in one: tells the allocator how
 * many processors have or look for work, if that has changed. Never waits. */
void ft__share_tell(void);

#endif
