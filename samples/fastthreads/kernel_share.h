/* SPDX-License-Identifier: MIT
 *
 * kernel_share.h - a program on kernel threads as one that shares the machine.
 */
#ifndef FASTTHREADS_KERNEL_SHARE_H
#define FASTTHREADS_KERNEL_SHARE_H

#include "fastthreads.h"

/* A thread that is stopped where the program has no processor at all. */
struct kernel_member {
    struct kernel_member *next;
    struct kernel_member *before;
    HANDLE handle;
};

/* Binds the process to as many processors of the machine as the options say, and to those that
 * their allocator grants, if they name one, from then on. FALSE: see the last error. */
BOOL ft__kernel_share_open(const struct ft_options *options);
/* When all threads have ended: the process may use the machine again. */
void ft__kernel_share_close(struct ft_statistics *statistics);

/* One thread more, or less, has something to do: the allocator hears it if it matters. */
void ft__kernel_busy(void);
void ft__kernel_rests(void);

/* A thread calls these at its begin and end. FALSE: it is not known and cannot be stopped; then it
 * does not call the second. */
BOOL ft__kernel_enter(struct kernel_member *self);
void ft__kernel_leave(struct kernel_member *self);

#endif
