/* SPDX-License-Identifier: MIT
 *
 * ground.h - what a ground has to offer: the calls of fastthreads.h, as a table.
 *
 * Two grounds (UMS and user) share the package proper and so most of the table; kernel and
 * processes hand every call to the system, and spin does so but for locks and conditions.
 */
#ifndef FASTTHREADS_GROUND_H
#define FASTTHREADS_GROUND_H

#include "fastthreads.h"

struct ft_ground_calls {
    DWORD(*run)
    (const struct ft_options *options, void (*first)(void *), void *arg,
     struct ft_statistics *statistics);
    struct ft_thread *(*fork)(int priority, void (*body)(void *), void *arg);
    void (*join)(struct ft_thread *thread);
    void (*yield)(void);
    void (*lock_init)(struct ft_lock *lock);
    void (*acquire)(struct ft_lock *lock);
    void (*release)(struct ft_lock *lock);
    void (*condition_init)(struct ft_condition *condition);
    void (*wait)(struct ft_condition *condition, struct ft_lock *lock);
    void (*signal)(struct ft_condition *condition);
    void (*broadcast)(struct ft_condition *condition);
    void *(*allocate)(size_t bytes);
    void (*free)(void *memory, size_t bytes);
};

/* A fork's priority: the caller's. */
enum { FT__INHERITED = -1 };

extern const struct ft_ground_calls ft__ums;
extern const struct ft_ground_calls ft__kernel;
extern const struct ft_ground_calls ft__spin;
extern const struct ft_ground_calls ft__user;
extern const struct ft_ground_calls ft__processes;

/* memory for the grounds that live in one process */
void *ft__heap_allocate(size_t bytes);
void ft__heap_free(void *memory, size_t bytes);

enum { FT__STACK_BYTES = 65536 };

static inline SIZE_T ft__stack_bytes(const struct ft_options *options)
{
    return options->stack_bytes ? options->stack_bytes : FT__STACK_BYTES;
}

#endif
